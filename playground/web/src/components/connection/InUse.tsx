/** Who else has this conversation's session, and how does one get it? In the composer's place. */
import MonitorSmartphone from "lucide-react/icons/monitor-smartphone";
import { Button } from "../../controls/Button";
import type { Actions, Ownership } from "../../conversation/model";
import "./connection.css";

interface InUseProps {
  readonly ownership: Exclude<Ownership, { readonly kind: "mine" }>;
  readonly actions: Actions;
}

export function InUse({ ownership, actions }: InUseProps) {
  const tab = ownership.kind === "other-tab";
  return (
    <section className="in-use" aria-label="In use elsewhere">
      <MonitorSmartphone aria-hidden="true" />
      <div className="in-use-words">
        <h2>{tab ? "In use in another tab" : "In use elsewhere"}</h2>
        <p>
          {tab
            ? "One tab at a time talks to the model. Taking over stops what the other one is doing."
            : ownership.message}
        </p>
      </div>
      <div className="in-use-actions">
        {tab ? (
          <Button tone="primary" onClick={() => void actions.takeOver()}>
            Take over
          </Button>
        ) : (
          <>
            <Button onClick={() => void actions.goAnonymous()}>Continue without warm resume</Button>
            <Button tone="primary" onClick={() => void actions.takeOver()}>
              Try again
            </Button>
          </>
        )}
      </div>
    </section>
  );
}
