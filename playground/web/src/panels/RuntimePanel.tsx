/** What is answering: which model, on what, with which limits? */
import RefreshCw from "lucide-react/icons/refresh-cw";
import { Button } from "../controls/Button";
import { CopyButton } from "../controls/CopyButton";
import type { Actions, Connection } from "../conversation/model";
import type { RuntimeReport } from "../protocol/types";
import { type Fact, factsOf } from "./runtimeFacts";

interface RuntimePanelProps {
  readonly runtime: RuntimeReport | null;
  readonly connection: Connection;
  readonly actions: Pick<Actions, "checkNow">;
}

export function RuntimePanel({ runtime, connection, actions }: RuntimePanelProps) {
  const doubt = doubtOf(runtime, connection);
  return (
    <>
      {doubt && <p className="panel-note">{doubt}</p>}
      {runtime && (
        <div className="panel-sections">
          {factsOf(runtime).map(({ title, facts }) => (
            <section className="panel-section" key={title}>
              <h3 className="panel-heading">{title}</h3>
              <dl className="facts">
                {facts.map((fact) => (
                  <FactLine key={fact.name} {...fact} />
                ))}
              </dl>
            </section>
          ))}
        </div>
      )}
      <Button icon={<RefreshCw />} onClick={() => void actions.checkNow()}>
        Refresh
      </Button>
    </>
  );
}

function FactLine({ name, value, because, whole }: Fact) {
  return (
    <div className="fact">
      <dt className="fact-name">{name}</dt>
      <dd className="fact-value">
        {value ?? <span className="fact-unknown">not reported</span>}
        {because && <span className="fact-because">{because}</span>}
        {whole && <CopyButton name={`Copy ${name}`} text={whole} />}
      </dd>
    </div>
  );
}

/** Why the report is missing, or may no longer hold. */
function doubtOf(runtime: RuntimeReport | null, connection: Connection): string | null {
  const held = runtime ? " This is what it reported last." : " It has not reported yet.";
  switch (connection.kind) {
    case "ready":
      return runtime ? null : `The server is ready.${held}`;
    case "connecting":
      return runtime ? null : `Asking the server.${held}`;
    case "loading":
      return `The server is loading its model.${held}`;
    case "offline":
      return `The server does not answer.${held}`;
    case "engine-gone":
      return `The engine is gone: ${connection.reason}${/[.!?]$/.test(connection.reason) ? "" : "."}${held}`;
  }
}
