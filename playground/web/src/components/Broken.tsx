/** What is left when the page itself breaks? A way to begin again. */
import { Button } from "../controls/Button";
import "./broken.css";

export function Broken() {
  return (
    <main className="broken">
      <h1>The page broke</h1>
      <p>
        This is a fault of the page, not of the model or of you. What was written here is lost; the
        server goes on.
      </p>
      <Button tone="primary" onClick={() => window.location.reload()}>
        Load the page again
      </Button>
    </main>
  );
}
