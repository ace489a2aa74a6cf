/** Why can nothing be asked now? Said over the composer, once something is on the page. */
import TriangleAlert from "lucide-react/icons/triangle-alert";
import { Button } from "../../controls/Button";
import { Spinner } from "../../controls/Spinner";
import type { Connection } from "../../conversation/model";
import "./connection.css";

interface TroubleProps {
  readonly connection: Connection;
  readonly onTryAgain: () => void;
}

export function Trouble({ connection, onTryAgain }: TroubleProps) {
  const words = troubleWords(connection);
  if (words === null) return null;
  const waiting = connection.kind === "loading";
  return (
    <div className="trouble" data-kind={connection.kind}>
      {waiting ? <Spinner /> : <TriangleAlert aria-hidden="true" />}
      <p>
        <strong>{words.what}</strong> {words.so}
      </p>
      {!waiting && (
        <Button tone="quiet" onClick={onTryAgain}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** What is the matter, and what comes of it; null where nothing is. */
export function troubleWords(
  connection: Connection,
): { readonly what: string; readonly so: string } | null {
  switch (connection.kind) {
    case "connecting":
    case "ready":
      return null;
    case "loading":
      return { what: "Loading model…", so: connection.reason ?? "This takes a few seconds." };
    case "offline":
      return {
        what: "Offline.",
        so: "The server does not answer. The page keeps trying, and goes on when it is back.",
      };
    case "engine-gone":
      return {
        what: "Engine gone.",
        so: `${sentence(connection.reason)} Start the server again; what is written here stays.`,
      };
  }
}

function sentence(words: string): string {
  return /[.!?…]$/.test(words) ? words : `${words}.`;
}
