/** How is the page put together? The one place that knows all its parts. */
import Keyboard from "lucide-react/icons/keyboard";
import Settings2 from "lucide-react/icons/settings-2";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import "./app.css";
import { DropZone } from "./components/composer/DropZone";
import { Dock } from "./components/Dock";
import { Header } from "./components/header/Header";
import { Transcript } from "./components/transcript/Transcript";
import { Welcome } from "./components/welcome/Welcome";
import { IconButton } from "./controls/IconButton";
import type { Playground } from "./conversation/model";
import { isBusy } from "./conversation/possible";
import { sizeWords } from "./conversation/wording";
import { ExportMenu } from "./panels/ExportMenu";
import { HelpSheet } from "./panels/HelpSheet";
import { SidePanel, type Tab } from "./panels/SidePanel";
import { useShortcuts } from "./shortcuts/useShortcuts";
import { Announcer } from "./status/announcer";
import { ThemeMenu } from "./theme/ThemeMenu";
import type { Theme } from "./theme/theme";
import { usePlayground } from "./usePlayground";

interface AppProps {
  readonly playground: Playground;
  readonly theme: Theme;
}

export function App({ playground, theme }: AppProps) {
  const { actions } = playground;
  const announcement = usePlayground(playground, (state) => state.announcement);
  const connection = usePlayground(playground, (state) => state.connection);
  const runtime = usePlayground(playground, (state) => state.runtime);
  const settings = usePlayground(playground, (state) => state.settings);
  const live = usePlayground(playground, isBusy);
  const blank = usePlayground(playground, (state) => state.messages.length === 0);
  const resetting = usePlayground(playground, (state) => state.resetting);
  const mine = usePlayground(playground, (state) => state.ownership.kind === "mine");
  const [tab, setTab] = useState<Tab>("settings");
  const [panelOpen, setPanelOpen] = useState(false);
  const [helpOpen, setHelpOpen] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const focusComposer = useCallback(() => field.current?.focus(), []);
  const closePanel = useCallback(() => setPanelOpen(false), []);
  const beside = useMemo(
    () => ({ settings, runtime, connection }),
    [settings, runtime, connection],
  );
  const limit = runtime?.maxImageBytes ?? null;
  const newChatDisabled = blank || resetting || !mine;

  useEffect(() => {
    if (window.matchMedia("(hover: hover)").matches) focusComposer(); // no keyboard pops up
  }, [focusComposer]);

  function newChat() {
    focusComposer();
    if (!newChatDisabled) void actions.newChat();
  }

  useShortcuts({
    "focus-composer": focusComposer,
    "new-chat": newChat,
    settings: () => setPanelOpen(!panelOpen),
    help: () => setHelpOpen(true),
    ...(live && { stop: () => void actions.stop() }),
  });

  return (
    <Announcer announcement={announcement}>
      <div className="app">
        <Header
          model={runtime?.model ?? null}
          connection={connection}
          device={runtime?.device ?? null}
          newChatDisabled={newChatDisabled}
          onNewChat={newChat}
        >
          <ExportMenu playground={playground} disabled={blank} />
          <ThemeMenu theme={theme} />
          <IconButton
            className="app-keyboard"
            name="Keyboard shortcuts"
            icon={<Keyboard />}
            aria-haspopup="dialog"
            onClick={() => setHelpOpen(true)}
          />
          <IconButton
            name="Settings"
            icon={<Settings2 />}
            aria-expanded={panelOpen}
            onClick={() => setPanelOpen(!panelOpen)}
          />
        </Header>
        <div className="app-body">
          <main className="app-main">
            <Transcript
              playground={playground}
              focusComposer={focusComposer}
              welcome={<Welcome playground={playground} focusComposer={focusComposer} />}
            />
            <Dock playground={playground} field={field} focusComposer={focusComposer} />
          </main>
          <SidePanel
            playground={playground}
            state={beside}
            reports={playground.reports}
            open={panelOpen}
            tab={tab}
            onTab={setTab}
            onClose={closePanel}
          />
        </div>
      </div>
      <HelpSheet open={helpOpen} onClose={() => setHelpOpen(false)} />
      <DropZone
        accepts={mine && (runtime?.supports.vision ?? false)}
        limit={`One a conversation${limit === null ? "" : `, up to ${sizeWords(limit)}`}`}
        onFile={actions.attach}
      />
    </Announcer>
  );
}
