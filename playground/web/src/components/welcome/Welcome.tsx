/** What is this, and what can be done with it? Shown while nothing was said. */
import TriangleAlert from "lucide-react/icons/triangle-alert";
import { useRef } from "react";
import { Button } from "../../controls/Button";
import { Spinner } from "../../controls/Spinner";
import type { Connection, Playground } from "../../conversation/model";
import { usePlayground } from "../../usePlayground";
import { troubleWords } from "../connection/Trouble";
import { useHandOn } from "../useHandOn";
import { EXAMPLES } from "./examples";
import { Mark } from "./Mark";
import "./welcome.css";

interface WelcomeProps {
  readonly playground: Playground;
  readonly focusComposer: () => void;
}

export function Welcome({ playground, focusComposer }: WelcomeProps) {
  const { actions } = playground;
  const connection = usePlayground(playground, (state) => state.connection);
  const runtime = usePlayground(playground, (state) => state.runtime);
  const mine = usePlayground(playground, (state) => state.ownership.kind === "mine");
  const model = runtime?.model ?? "Muse";
  return (
    <section className="welcome" data-kind={connection.kind} aria-label="Welcome">
      <Mark />
      <h2 className="welcome-title">
        {connection.kind === "ready" ? `Talk with ${model}` : model}
      </h2>
      <p className="welcome-lead">
        It runs on this machine{runtime?.device ? ` (${runtime.device})` : ""}. What you write stays
        here, and is gone when you close the page.
      </p>
      {connection.kind !== "ready" && (
        <Waiting
          connection={connection}
          onTryAgain={() => void actions.checkNow()}
          handOn={focusComposer}
        />
      )}
      {connection.kind === "ready" && mine && (
        <ul className="welcome-examples" aria-label="Examples">
          {EXAMPLES.map(({ kind, prompt }) => (
            <li key={kind}>
              <button
                type="button"
                className="welcome-example"
                onClick={() => {
                  actions.setDraft(prompt);
                  focusComposer();
                }}
              >
                <span className="welcome-example-kind">{kind}</span>
                <span>{prompt}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

interface WaitingProps {
  readonly connection: Connection;
  readonly onTryAgain: () => void;
  readonly handOn: () => void;
}

function Waiting({ connection, onTryAgain, handOn }: WaitingProps) {
  const box = useRef<HTMLDivElement>(null);
  useHandOn(box, handOn);
  const words = troubleWords(connection);
  const waits = connection.kind === "connecting" || connection.kind === "loading";
  return (
    <div ref={box} className="welcome-waiting" data-kind={connection.kind}>
      {waits ? <Spinner /> : <TriangleAlert aria-hidden="true" />}
      <p>
        <strong>{words?.what ?? "Connecting…"}</strong> {words?.so}
      </p>
      {!waits && <Button onClick={onTryAgain}>Try again</Button>}
    </div>
  );
}
