// @vitest-environment jsdom
import { act, cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { Announcer } from "../../status/announcer";
import { drawn } from "../../testing/drawn";
import { Notices } from "./Notices";

afterEach(cleanup);

const EDITED = { id: "1", tone: "info", text: "Edited.", action: "undo" } as const;

test("a note that goes with the focus in it hands the focus on", () => {
  const { playground, set } = drawn({ notices: [EDITED] });
  let handed = 0;
  render(<Notices playground={playground} handOn={() => handed++} />);

  screen.getByRole("button", { name: "Undo" }).focus();
  act(() => set({ notices: [] }));
  expect(handed).toBe(1);

  act(() => set({ notices: [EDITED] }));
  act(() => set({ notices: [] }));
  expect(handed).toBe(1);
});

test("what happened is told politely, what went wrong at once", () => {
  const { playground, set } = drawn();
  render(
    <Announcer announcement="">
      <Notices playground={playground} handOn={() => {}} />
    </Announcer>,
  );

  act(() => set({ notices: [EDITED] }));
  expect(screen.getByRole("status").textContent).toBe("Edited.");
  expect(screen.queryByRole("alert")).toBeNull();

  act(() => set({ notices: [{ id: "2", tone: "error", text: "Too large.", action: null }] }));
  expect(screen.getByRole("status").textContent).toBe("Edited.");
  expect(screen.getByRole("alert").textContent).toBe("Too large.");
});
