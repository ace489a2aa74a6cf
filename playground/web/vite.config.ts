/** How the page is built: one folder, `dist`, that the server serves as it is. */
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const PLAYGROUND = "http://127.0.0.1:3939";

export default defineConfig({
  plugins: [react()],
  build: {
    target: "es2023",
    assetsInlineLimit: 0, // the content security policy allows files of this origin alone
  },
  server: {
    host: "127.0.0.1",
    proxy: Object.fromEntries(
      ["/health", "/v1", "/api", "/reports"].map((path) => [
        path,
        // it serves pages of its own origin alone, so this one speaks as if it were
        { target: PLAYGROUND, changeOrigin: true, headers: { origin: PLAYGROUND } },
      ]),
    ),
  },
});
