/**
 * What is the next turn asked with?
 *
 * Each field commits on its own; what is wrong stays written with its problem beside it, and the
 * value in force is used. "Reset to defaults" forgets such drafts too.
 */
import RotateCcw from "lucide-react/icons/rotate-ccw";
import { useState } from "react";
import { Button } from "../controls/Button";
import { NumberField } from "../controls/NumberField";
import { rangeInWords } from "../controls/number";
import { Segmented } from "../controls/Segmented";
import { Switch } from "../controls/Switch";
import { TextArea } from "../controls/TextArea";
import type { Actions, Settings, Strength } from "../conversation/model";
import { MAX_STOP_CHARACTERS, MAX_STOPS, rangesFor } from "../conversation/settings";
import type { RuntimeReport } from "../protocol/types";
import { readStops } from "./stops";

const STRENGTHS: readonly { value: Strength; label: string }[] = [
  { value: "low", label: "Low" },
  { value: "medium", label: "Medium" },
  { value: "high", label: "High" },
  { value: "xhigh", label: "Extra high" },
];

interface SettingsPanelProps {
  readonly settings: Settings;
  readonly runtime: RuntimeReport | null;
  readonly actions: Pick<Actions, "setSettings" | "resetSettings">;
}

export function SettingsPanel({ settings, runtime, actions }: SettingsPanelProps) {
  const [resets, setResets] = useState(0);
  const set = actions.setSettings;
  return (
    <>
      <div className="panel-sections" key={resets}>
        <Conversation settings={settings} set={set} />
        <Sampling settings={settings} set={set} />
        <Output settings={settings} runtime={runtime} set={set} />
        <section className="panel-section">
          <Switch
            label="Keep settings over a reload"
            hint="In this browser only. Messages are never stored."
            on={settings.remember}
            onChange={(remember) => set({ remember })}
          />
        </section>
      </div>
      <div className="panel-end">
        <Button
          icon={<RotateCcw />}
          onClick={() => {
            setResets(resets + 1);
            actions.resetSettings();
          }}
        >
          Reset to defaults
        </Button>
        <p className="field-hint">The system message stays.</p>
      </div>
    </>
  );
}

interface SectionProps {
  readonly settings: Settings;
  readonly set: Actions["setSettings"];
}

function Conversation({ settings, set }: SectionProps) {
  return (
    <section className="panel-section">
      <TextArea
        label="System message"
        text={settings.system}
        read={(value) => ({ value })}
        placeholder="None"
        onCommit={(system) => set({ system })}
      />
      <Segmented
        label="Reasoning"
        hint="Low is the minimum: this model always thinks."
        value={settings.strength}
        options={STRENGTHS}
        onChange={(strength) => set({ strength })}
      />
      <p className="panel-note">
        Another system message or reasoning strength makes the next turn cold: the server reads the
        whole conversation again.
      </p>
    </section>
  );
}

function Sampling({ settings, set }: SectionProps) {
  const ranges = rangesFor(null); // they do not depend on what runs
  return (
    <section className="panel-section">
      <h3 className="panel-heading">Sampling</h3>
      <div className="panel-row">
        <NumberField
          label="Temperature"
          hint={rangeInWords(ranges.temperature)}
          value={settings.temperature}
          range={ranges.temperature}
          onCommit={(temperature) => temperature !== null && set({ temperature })}
        />
        <NumberField
          label="Top P"
          hint={rangeInWords(ranges.topP)}
          value={settings.topP}
          range={ranges.topP}
          onCommit={(topP) => topP !== null && set({ topP })}
        />
        <NumberField
          label="Top K"
          hint="0 or more; 0 is no limit"
          value={settings.topK}
          range={ranges.topK}
          onCommit={(topK) => topK !== null && set({ topK })}
        />
        <NumberField
          label="Seed"
          hint="1 or more; blank is a new one for each turn"
          value={settings.seed}
          range={ranges.seed}
          placeholder="New each turn"
          onCommit={(seed) => set({ seed })}
        />
      </div>
    </section>
  );
}

function Output({
  settings,
  runtime,
  set,
}: SectionProps & { readonly runtime: RuntimeReport | null }) {
  const range = rangesFor(runtime).maxTokens;
  return (
    <section className="panel-section">
      <h3 className="panel-heading">Output</h3>
      <NumberField
        label="Maximum output"
        hint={
          runtime?.contextLength
            ? `${rangeInWords(range)} tokens; blank is all the room that the prompt leaves`
            : "Blank is all the room that the prompt leaves"
        }
        value={settings.maxTokens}
        range={range}
        placeholder="Room left"
        blankedBy="Fill context"
        onCommit={(maxTokens) => set({ maxTokens })}
      />
      <TextArea
        label="Stop strings"
        hint={`One a line, up to ${MAX_STOPS} of ${MAX_STOP_CHARACTERS} characters. The answer ends before the first that appears.`}
        text={settings.stop.join("\n")}
        read={readStops}
        rows={2}
        placeholder="None"
        code
        onCommit={(stop) => set({ stop })}
      />
      {runtime?.supports.dflash ? (
        <Switch
          label="DFlash"
          hint="Drafts several tokens at once, and keeps those that the model agrees with."
          on={settings.dflash}
          onChange={(dflash) => set({ dflash })}
        />
      ) : (
        <p className="panel-note">{whyNoDraft(runtime)}</p>
      )}
    </section>
  );
}

function whyNoDraft(runtime: RuntimeReport | null): string {
  return runtime === null
    ? "DFlash: known as soon as the server has answered."
    : "DFlash is not offered: the model that is served reports no draft.";
}
