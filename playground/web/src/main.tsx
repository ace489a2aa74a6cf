/** Where does it begin? The store, the theme and the page are made here, and meet here. */
import "@fontsource-variable/inter";
import "@fontsource-variable/jetbrains-mono";
import "./styles/tokens.css";
import "./styles/base.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./App";
import { Broken } from "./components/Broken";
import { Guard } from "./components/Guard";
import { browserDeps } from "./conversation/browser";
import { createPlayground } from "./conversation/playground";
import { themeOfPage } from "./theme/pageTheme";

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no #root");

const playground = createPlayground(browserDeps());
const showConnection = () => {
  root.dataset.connection = playground.getState().connection.kind;
};
playground.subscribe(showConnection);
showConnection();

createRoot(root).render(
  <StrictMode>
    <Guard instead={<Broken />}>
      <App playground={playground} theme={themeOfPage()} />
    </Guard>
  </StrictMode>,
);
