/** What stands at the foot of the page: what is wrong, what was done, and where one writes. */
import { type RefObject, useEffect, useRef } from "react";
import type { Playground } from "../conversation/model";
import { usePlayground } from "../usePlayground";
import { Composer } from "./composer/Composer";
import { InUse } from "./connection/InUse";
import { Trouble } from "./connection/Trouble";
import "./dock.css";
import { Hints } from "./Hints";
import { Notices } from "./notices/Notices";

interface DockProps {
  readonly playground: Playground;
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly focusComposer: () => void;
}

export function Dock({ playground, field, focusComposer }: DockProps) {
  const connection = usePlayground(playground, (state) => state.connection);
  const ownership = usePlayground(playground, (state) => state.ownership);
  const blank = usePlayground(playground, (state) => state.messages.length === 0);
  const mine = ownership.kind === "mine";
  const wasMine = useRef(mine);
  useEffect(() => {
    if (mine && !wasMine.current) focusComposer(); // the button that took over is gone
    wasMine.current = mine;
  }, [mine, focusComposer]);

  return (
    <div className="dock">
      <div className="dock-column">
        <Notices playground={playground} handOn={focusComposer} />
        {!blank && (
          <Trouble
            connection={connection}
            onTryAgain={() => void playground.actions.checkNow()}
            handOn={focusComposer}
          />
        )}
        <Hints playground={playground} />
        {ownership.kind === "mine" ? (
          <Composer playground={playground} field={field} />
        ) : (
          <InUse ownership={ownership} actions={playground.actions} />
        )}
      </div>
    </div>
  );
}
