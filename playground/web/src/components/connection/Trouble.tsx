/** Why can nothing be asked now? Said over the composer, once something is on the page. */
import TriangleAlert from "lucide-react/icons/triangle-alert";
import { useRef } from "react";
import { Button } from "../../controls/Button";
import { Spinner } from "../../controls/Spinner";
import type { Connection } from "../../conversation/model";
import { useHandOn } from "../useHandOn";
import "./connection.css";

interface TroubleProps {
  readonly connection: Connection;
  readonly onTryAgain: () => void;
  /** Who has the focus when the trouble is over, if it had it. */
  readonly handOn: () => void;
}

export function Trouble(props: TroubleProps) {
  const words = troubleWords(props.connection);
  return words && <Line words={words} {...props} />;
}

interface LineProps extends TroubleProps {
  readonly words: TroubleWords;
}

function Line({ words, connection, onTryAgain, handOn }: LineProps) {
  const line = useRef<HTMLDivElement>(null);
  useHandOn(line, handOn);
  const waiting = connection.kind === "loading";
  return (
    <div ref={line} className="trouble" data-kind={connection.kind}>
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

interface TroubleWords {
  readonly what: string;
  readonly so: string;
}

/** What is the matter, and what comes of it; null where nothing is. */
export function troubleWords(connection: Connection): TroubleWords | null {
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
  const begun = words.charAt(0).toUpperCase() + words.slice(1);
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`;
}
