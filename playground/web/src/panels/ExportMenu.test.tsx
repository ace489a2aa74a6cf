// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import type { State } from "../conversation/model";
import { INITIAL_SETTINGS } from "../conversation/settings";
import { RUNTIME } from "../testing/runtime";
import { ExportMenu } from "./ExportMenu";

afterEach(cleanup);

const STATE = {
  messages: [{ role: "user", id: "1", text: "Hello there", image: null, edited: false }],
  settings: INITIAL_SETTINGS,
  runtime: RUNTIME,
} as unknown as State;

test.each([
  ["Save as Markdown", "md", "text/markdown;charset=utf-8"],
  ["Save as JSON", "json", "application/json"],
])("%s gives a file with what was said", (item, ending, kind) => {
  const files: { name: string; type: string; text: string }[] = [];
  render(
    <ExportMenu
      playground={{ getState: () => STATE }}
      disabled={false}
      save={(name, type, text) => files.push({ name, type, text })}
    />,
  );

  fireEvent.click(screen.getByRole("button", { name: "Export" }));
  fireEvent.click(screen.getByRole("menuitem", { name: item }));

  expect(files).toHaveLength(1);
  expect(files[0]?.name.endsWith(`.${ending}`)).toBe(true);
  expect(files[0]?.type).toBe(kind);
  expect(files[0]?.text).toContain("Hello there");
});

test("there is nothing to export from an empty conversation", () => {
  render(<ExportMenu playground={{ getState: () => STATE }} disabled />);

  const button = screen.getByRole<HTMLButtonElement>("button", { name: "Export" });

  expect(button.disabled).toBe(true);
});
