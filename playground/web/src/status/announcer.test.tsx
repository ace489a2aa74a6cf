// @vitest-environment jsdom
import { act, cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { Announcer, useAnnounce } from "./announcer";

afterEach(cleanup);

let announce = (_: string) => {};
function Speaker() {
  announce = useAnnounce();
  return null;
}

test("one region says the latest, wherever it came from", () => {
  const page = (text: string) => (
    <Announcer announcement={text}>
      <Speaker />
    </Announcer>
  );
  const { rerender } = render(page(""));
  const region = screen.getByRole("status");

  rerender(page("Generating"));
  expect(region.textContent).toBe("Generating");

  act(() => announce("Copied"));
  expect(region.textContent).toBe("Copied");
});

test("the same words twice are a change, so that they are said twice", () => {
  render(
    <Announcer announcement="">
      <Speaker />
    </Announcer>,
  );
  const region = screen.getByRole("status");
  act(() => announce("Copied"));
  const first = region.firstChild;

  act(() => announce("Copied"));

  expect(region.textContent).toBe("Copied");
  expect(region.firstChild).not.toBe(first);
});
