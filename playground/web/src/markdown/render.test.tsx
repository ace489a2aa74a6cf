// @vitest-environment jsdom
import { render } from "@testing-library/react";
import { expect, test } from "vitest";
import { Markdown } from "./Markdown";

function html(text: string): string {
  return render(<Markdown text={text} streaming={false} />).container.innerHTML;
}

test.each([
  ["script element", "<script>alert(1)</script>"],
  ["handler", "text <img src=x onerror=alert(1)> text"],
  ["iframe", '<iframe srcdoc="<script>alert(1)</script>"></iframe>'],
  ["svg", "<svg onload=alert(1)>"],
  ["id that clobbers", '<form id="location"><input name="x"></form>'],
])("HTML is shown as text: %s", (_name, text) => {
  const { container } = render(<Markdown text={text} streaming={false} />);

  expect(
    container.querySelector("script, img, iframe, svg, form, input, [id], [onerror]"),
  ).toBeNull();
  expect(container.textContent).toBe(text);
});

test("a table, a task list, emphasis and a list start", () => {
  const shown = html(
    "| a | b |\n|:-:|--:|\n| 1 | 2 |\n\n- [x] done\n- [ ] to do\n\n3. ~~x~~ **y**",
  );

  expect(shown).toContain('<th scope="col" data-align="center">a</th>');
  expect(shown).toContain('aria-label="done"');
  expect(shown).toContain('<ol start="3"><li><p><del>x</del> <strong>y</strong></p></li></ol>');
});
