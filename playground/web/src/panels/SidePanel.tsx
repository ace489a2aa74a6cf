/**
 * What stands beside the conversation: settings, what runs, and what was measured.
 *
 * On a wide page it is an `<aside>` in the flow, on a narrow one a sheet over it. Opening it moves
 * the focus to the chosen tab; closing gives the focus back to where it came from.
 */
import X from "lucide-react/icons/x";
import { type KeyboardEvent, useEffect, useId, useRef, useSyncExternalStore } from "react";
import { Dialog } from "../controls/Dialog";
import { IconButton } from "../controls/IconButton";
import type { Playground, State } from "../conversation/model";
import type { Api } from "../protocol/api";
import { BenchmarksPanel } from "./BenchmarksPanel";
import { RuntimePanel } from "./RuntimePanel";
import { SettingsPanel } from "./SettingsPanel";
import "./panels.css";

export type Tab = "settings" | "runtime" | "benchmarks";

const TABS: readonly { tab: Tab; label: string }[] = [
  { tab: "settings", label: "Settings" },
  { tab: "runtime", label: "Runtime" },
  { tab: "benchmarks", label: "Benchmarks" },
];

const NAME = "Settings and reports";

interface SidePanelProps {
  readonly playground: Playground;
  readonly state: Pick<State, "settings" | "runtime" | "connection">;
  readonly reports: Api["reports"];
  readonly open: boolean;
  readonly tab: Tab;
  readonly onTab: (tab: Tab) => void;
  readonly onClose: () => void;
}

export function SidePanel(props: SidePanelProps) {
  const wide = useSyncExternalStore(subscribeToWidth, isWide);
  if (wide) return props.open ? <Beside {...props} /> : null;
  return (
    <Dialog shape="sheet" open={props.open} title={NAME} onClose={props.onClose}>
      <aside className="panel" aria-label={NAME}>
        <Tabs {...props} />
      </aside>
    </Dialog>
  );
}

const WIDE = "(min-width: 1100px)";

function isWide(): boolean {
  return window.matchMedia(WIDE).matches;
}

function subscribeToWidth(listener: () => void): () => void {
  const query = window.matchMedia(WIDE);
  query.addEventListener("change", listener);
  return () => query.removeEventListener("change", listener);
}

function Beside(props: SidePanelProps) {
  const ref = useRef<HTMLElement>(null);
  useEffect(() => {
    const panel = ref.current;
    const cameFrom = document.activeElement;
    panel?.querySelector<HTMLElement>('[role="tab"][aria-selected="true"]')?.focus();
    return () => {
      const lost = document.activeElement === document.body;
      if (!lost && !panel?.contains(document.activeElement)) return;
      if (cameFrom instanceof HTMLElement && cameFrom.isConnected) cameFrom.focus();
    };
  }, []);
  return (
    <aside className="panel panel-beside" aria-label={NAME} ref={ref}>
      <Tabs {...props} />
    </aside>
  );
}

/** https://www.w3.org/WAI/ARIA/apg/patterns/tabs/: arrows choose, Home and End too. */
function Tabs({ playground, state, reports, tab: chosen, onTab, onClose }: SidePanelProps) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);

  const onKeyDown = (event: KeyboardEvent) => {
    const next = nextTab(event.key, chosen);
    if (!next) return;
    event.preventDefault();
    onTab(next);
    list.current?.querySelector<HTMLElement>(`[data-tab="${next}"]`)?.focus();
  };

  return (
    <>
      <div className="panel-top">
        <div className="tabs" role="tablist" aria-label={NAME} ref={list} onKeyDown={onKeyDown}>
          {TABS.map(({ tab, label }) => (
            <button
              key={tab}
              id={`${id}-${tab}`}
              type="button"
              className="tab"
              role="tab"
              data-tab={tab}
              aria-selected={tab === chosen}
              aria-controls={tab === chosen ? `${id}-panel` : undefined}
              tabIndex={tab === chosen ? 0 : -1}
              onClick={() => onTab(tab)}
            >
              {label}
            </button>
          ))}
        </div>
        <IconButton name="Close" icon={<X />} onClick={onClose} />
      </div>
      <div
        className="panel-body"
        role="tabpanel"
        id={`${id}-panel`}
        key={chosen}
        aria-labelledby={`${id}-${chosen}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
        tabIndex={0}
      >
        {chosen === "settings" && <SettingsPanel {...state} actions={playground.actions} />}
        {chosen === "runtime" && <RuntimePanel {...state} actions={playground.actions} />}
        {chosen === "benchmarks" && <BenchmarksPanel reports={reports} />}
      </div>
    </>
  );
}

function nextTab(key: string, chosen: Tab): Tab | null {
  const at = TABS.findIndex(({ tab }) => tab === chosen);
  const goes: Readonly<Record<string, number>> = {
    ArrowRight: (at + 1) % TABS.length,
    ArrowLeft: (at - 1 + TABS.length) % TABS.length,
    Home: 0,
    End: TABS.length - 1,
  };
  const index = goes[key];
  return index === undefined ? null : (TABS[index]?.tab ?? null);
}
