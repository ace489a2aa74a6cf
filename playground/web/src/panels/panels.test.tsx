// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { useState } from "react";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Connection, Playground, Settings } from "../conversation/model";
import { INITIAL_SETTINGS } from "../conversation/settings";
import type { ReportList, RuntimeReport } from "../protocol/types";
import { SHORTCUTS } from "../shortcuts/shortcuts";
import { findingsOf } from "../testing/axe";
import { installDialogs, installMedia } from "../testing/browser";
import { RUNTIME } from "../testing/runtime";
import { BenchmarksPanel } from "./BenchmarksPanel";
import { HelpSheet } from "./HelpSheet";
import { RuntimePanel } from "./RuntimePanel";
import { SettingsPanel } from "./SettingsPanel";
import { SidePanel, type Tab } from "./SidePanel";

beforeAll(installDialogs);
beforeEach(() => {
  installMedia(true);
});
afterEach(cleanup);

interface FormProps {
  readonly runtime: RuntimeReport | null;
  readonly changes: Partial<Settings>[];
}

/** The settings as the page keeps them, and each change of them. */
function SettingsForm({ runtime, changes }: FormProps) {
  const [settings, setSettings] = useState(INITIAL_SETTINGS);
  const actions = {
    setSettings(change: Partial<Settings>) {
      changes.push(change);
      setSettings({ ...settings, ...change });
    },
    resetSettings: () => setSettings(INITIAL_SETTINGS),
  };
  return <SettingsPanel settings={settings} runtime={runtime} actions={actions} />;
}

function showSettings(runtime: RuntimeReport | null = RUNTIME): Partial<Settings>[] {
  const changes: Partial<Settings>[] = [];
  render(<SettingsForm runtime={runtime} changes={changes} />);
  return changes;
}

function enter(name: string, text: string): HTMLInputElement {
  const field = screen.getByRole<HTMLInputElement>("textbox", { name });
  fireEvent.change(field, { target: { value: text } });
  fireEvent.blur(field);
  return field;
}

describe("settings", () => {
  test("each field changes its own setting", () => {
    const changes = showSettings();

    enter("System message", "Be brief.");
    enter("Temperature", "0.2");
    enter("Top P", "0.5");
    enter("Top K", "10");
    enter("Seed", "7");
    enter("Stop strings", "END\nSTOP");
    enter("Maximum output", "512");
    fireEvent.click(screen.getByRole("radio", { name: "Extra high" }));
    fireEvent.click(screen.getByRole("switch", { name: "DFlash" }));
    fireEvent.click(screen.getByRole("switch", { name: "Keep settings over a reload" }));

    expect(changes).toEqual([
      { system: "Be brief." },
      { temperature: 0.2 },
      { topP: 0.5 },
      { topK: 10 },
      { seed: 7 },
      { stop: ["END", "STOP"] },
      { maxTokens: 512 },
      { strength: "xhigh" },
      { dflash: false },
      { remember: true },
    ]);
  });

  test("an output beyond the context is refused with the context's length", () => {
    const changes = showSettings();

    enter("Maximum output", "9000");

    expect(changes).toEqual([]);
    expect(screen.getByRole("alert").textContent).toBe(
      "9000 is out of range. Enter a whole number from 1 to 8,192.",
    );
  });

  test("Fill context takes the limit away", () => {
    const changes = showSettings();
    enter("Maximum output", "512");

    fireEvent.click(screen.getByRole("button", { name: "Fill context" }));

    expect(changes.at(-1)).toEqual({ maxTokens: null });
  });

  test("a reset takes wrong drafts away too, and keeps the focus on its button", () => {
    showSettings();
    enter("Temperature", "hot");
    const reset = screen.getByRole("button", { name: "Reset to defaults" });
    reset.focus();

    fireEvent.click(reset);

    expect(screen.queryByRole("alert")).toBeNull();
    expect(screen.getByRole<HTMLInputElement>("textbox", { name: "Temperature" }).value).toBe("1");
    expect(document.activeElement).toBe(reset);
  });

  test("without a draft there is no switch, but the reason", () => {
    showSettings({ ...RUNTIME, supports: { ...RUNTIME.supports, dflash: false } });

    expect(screen.queryByRole("switch", { name: "DFlash" })).toBeNull();
    expect(screen.getByText(/DFlash is not offered: .* reports no draft/)).toBeDefined();
  });

  test.each([RUNTIME, null])("axe finds nothing", async (runtime) => {
    showSettings(runtime);
    enter("Temperature", "hot");

    expect(await findingsOf(document.body)).toEqual([]);
  });
});

describe("runtime", () => {
  const show = (runtime: RuntimeReport | null, connection: Connection) => {
    const asked: string[] = [];
    const checkNow = async () => void asked.push("now");
    render(<RuntimePanel runtime={runtime} connection={connection} actions={{ checkNow }} />);
    return asked;
  };

  test("a value that is unknown is said to be so", () => {
    show(RUNTIME, { kind: "ready" });

    const torch = screen.getByText("PyTorch").parentElement as HTMLElement;

    expect(within(torch).getByText("not reported")).toBeDefined();
  });

  test("what was reported last is not passed off as current", () => {
    show(RUNTIME, { kind: "offline" });

    expect(
      screen.getByText("The server does not answer. This is what it reported last."),
    ).toBeDefined();
  });

  test("says why there is nothing yet, and asks again when told to", () => {
    const asked = show(null, { kind: "engine-gone", reason: "worker exited with 9" });

    fireEvent.click(screen.getByRole("button", { name: "Refresh" }));

    expect(
      screen.getByText("The engine is gone: worker exited with 9. It has not reported yet."),
    ).toBeDefined();
    expect(asked).toEqual(["now"]);
  });

  test("axe finds nothing", async () => {
    show(RUNTIME, { kind: "ready" });

    expect(await findingsOf(document.body)).toEqual([]);
  });
});

const RUNS: ReportList = {
  directory: "reports/runs",
  reports: [
    {
      name: "2026-01-02 warm",
      scenario: "warm-resume",
      verdict: "pass",
      headline: "Nine turns reused 98 %",
      finished: "2026-01-02T03:04:05Z",
    },
    { name: "broken", scenario: null, verdict: null, headline: null, finished: "yesterday" },
  ],
};

describe("benchmarks", () => {
  test("each run opens in a tab that has no hold on this one", async () => {
    render(<BenchmarksPanel reports={async () => RUNS} />);

    const link = await screen.findByRole("link", { name: /^warm-resume/ });

    expect(link.getAttribute("href")).toBe("/reports/2026-01-02%20warm/report.html");
    expect([link.getAttribute("target"), link.getAttribute("rel")]).toEqual(["_blank", "noopener"]);
  });

  test("a list stays while it is read again", async () => {
    render(<BenchmarksPanel reports={async () => RUNS} />);
    await screen.findAllByRole("listitem");

    fireEvent.click(screen.getByRole("button", { name: "Reload" }));

    expect(screen.getAllByRole("listitem")).toHaveLength(2);
  });

  test("a run tells its verdict in words, its headline and when it ended", async () => {
    render(<BenchmarksPanel reports={async () => RUNS} />);
    const [told, bare] = await screen.findAllByRole("listitem");

    expect(within(told as HTMLElement).getByText("Passed")).toBeDefined();
    expect(within(told as HTMLElement).getByText("Nine turns reused 98 %")).toBeDefined();
    expect(told?.querySelector("time")?.dateTime).toBe("2026-01-02T03:04:05Z");
    expect(bare?.textContent).toBe("broken (opens in a new tab)No verdictyesterday");
  });

  test("without a folder it says how to give one", async () => {
    render(<BenchmarksPanel reports={async () => ({ directory: null, reports: [] })} />);

    expect(await screen.findByText("muse-playground --reports reports/runs")).toBeDefined();
  });

  test("an empty folder is named, with the command that fills it", async () => {
    render(<BenchmarksPanel reports={async () => ({ directory: "my/runs", reports: [] })} />);

    expect(await screen.findByText("my/runs")).toBeDefined();
    expect(screen.getByText(/^muse-bench run --scenario warm-resume --target http/)).toBeDefined();
  });

  test("a failure is told, and a reload asks again", async () => {
    const answers = [Promise.reject(new Error("The server is away.")), Promise.resolve(RUNS)];
    const reports = () => answers.shift() ?? Promise.resolve(RUNS);
    render(<BenchmarksPanel reports={reports} />);
    const alert = await screen.findByRole("alert");

    fireEvent.click(screen.getByRole("button", { name: "Reload" }));

    expect(alert.textContent).toBe("The list could not be read. The server is away.");
    expect(await screen.findAllByRole("listitem")).toHaveLength(2);
    expect(screen.queryByRole("alert")).toBeNull();
  });

  test("axe finds nothing in any state", async () => {
    const findings = [];
    for (const list of [RUNS, { directory: null, reports: [] }]) {
      render(<BenchmarksPanel reports={async () => list} />);
      await screen.findByText(/muse-bench run|Nine turns/);
      findings.push(...(await findingsOf(document.body)));
      cleanup();
    }

    expect(findings).toEqual([]);
  });
});

const PLAYGROUND = { actions: {} } as Playground;

function Page() {
  const [open, setOpen] = useState(false);
  const [tab, setTab] = useState<Tab>("settings");
  return (
    <>
      <button type="button" onClick={() => setOpen(!open)}>
        Opener
      </button>
      <SidePanel
        playground={PLAYGROUND}
        state={{ settings: INITIAL_SETTINGS, runtime: RUNTIME, connection: { kind: "ready" } }}
        reports={async () => RUNS}
        open={open}
        tab={tab}
        onTab={setTab}
        onClose={() => setOpen(false)}
      />
    </>
  );
}

function openPanel(): HTMLElement {
  render(<Page />);
  const opener = screen.getByRole("button", { name: "Opener" });
  opener.focus();
  fireEvent.click(opener);
  return opener;
}

describe.each([
  ["beside the conversation", true],
  ["as a sheet over it", false],
])("the panel, %s", (_, wide) => {
  beforeEach(() => {
    installMedia(wide);
  });

  test("takes the focus when it opens, and gives it back when it closes", () => {
    const opener = openPanel();
    const panel = screen.getByRole("complementary", { name: "Settings and reports" });
    const around = panel.closest("dialog") ?? panel;
    const inside = around.contains(document.activeElement);

    fireEvent.click(within(around).getByRole("button", { name: "Close" }));

    expect(inside).toBe(true);
    expect(document.activeElement).toBe(opener);
    expect(screen.queryByRole("complementary")).toBeNull();
  });

  test("has tabs that arrow keys go through", () => {
    openPanel();
    const visited: (string | null | undefined)[] = [];

    screen.getByRole("tab", { name: "Settings" }).focus();
    for (const key of ["ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft", "Home", "End"]) {
      fireEvent.keyDown(document.activeElement as Element, { key });
      visited.push(document.activeElement?.textContent);
    }

    expect(visited).toEqual([
      "Runtime",
      "Benchmarks",
      "Settings",
      "Benchmarks",
      "Settings",
      "Benchmarks",
    ]);
    expect(screen.getByRole("tabpanel", { name: "Benchmarks" })).toBeDefined();
  });

  test("axe finds nothing", async () => {
    openPanel();

    expect(await findingsOf(document.body)).toEqual([]);
  });
});

test("the help sheet tells every shortcut of the table, once", () => {
  render(<HelpSheet open mac={false} onClose={() => {}} />);

  const told = screen.getAllByRole("term").map((term) => term.textContent);

  expect(told).toEqual(SHORTCUTS.map(({ does }) => does));
  expect(screen.getByText("Start a new chat").nextSibling?.textContent).toBe(
    "Ctrl and Shift and O",
  );
});

test("axe finds nothing in the help sheet", async () => {
  render(<HelpSheet open onClose={() => {}} />);

  expect(await findingsOf(document.body)).toEqual([]);
});
