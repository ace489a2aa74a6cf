// @vitest-environment jsdom
import { cleanup, configure, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { Announcer } from "../status/announcer";
import { Markdown } from "./Markdown";

// For slow machines: nothing is timed here.
vi.setConfig({ testTimeout: 60_000 });
configure({ asyncUtilTimeout: 30_000 });
afterEach(cleanup);

function shown(text: string, streaming = false): HTMLElement {
  return render(<Markdown text={text} streaming={streaming} />).container;
}

const DANGEROUS =
  "script, img, iframe, object, embed, svg, form, video, audio, link, style, base, meta, [id], [name], [style], [srcdoc]";

test.each([
  ["a script", "<script>alert(1)</script>"],
  ["a handler", "text <img src=x onerror=alert(1)> text"],
  ["a frame", '<iframe srcdoc="<b>x</b>"></iframe>'],
  ["a drawing", "<svg onload=alert(1)>"],
  ["names that clobber", '<form id="location"><input name="x"></form>'],
  ["a style", "<style>*{background:url(https://evil.example)}</style>"],
  ["a comment", "<!-- <script> -->"],
])("HTML is shown as text: %s", (_name, text) => {
  const page = shown(text);

  expect(page.querySelector(DANGEROUS)).toBeNull();
  expect(page.textContent).toBe(text);
});

test.each([
  "[x](javascript:alert(1))",
  "[x](JaVaScRiPt:alert(1))",
  "[x](<java\tscript:alert(1)>)",
  "[x](java&#10;script:alert(1))",
  "[x](java&Tab;script:alert(1))",
  "[x](&#106;avascript:alert(1))",
  "[x](javascript&colon;alert(1))",
  "[x](\\javascript:alert(1))",
  "[x](data:text/html;base64,PHNjcmlwdD4=)",
  "[x](vbscript:x)",
  "[x](//evil.example)",
  "[x](/api/cancel)",
  "[x][1]\n\n[1]: javascript:alert(1)",
  "<javascript:alert(1)>",
  "<data:text/html,x>",
  "![x](javascript:alert(1))",
  "![x](data:image/svg+xml;base64,PHN2Zz4=)",
  "[^x]\n\n[^x]: [y](javascript:alert(1))",
  "# [x](javascript:alert(1))",
  "| [x](javascript:alert(1)) |\n|---|",
])("no link is made of %j, settled or streaming", (text) => {
  for (const streaming of [false, true]) {
    const page = shown(text, streaming);

    expect(page.querySelector("a")).toBeNull();
    expect(page.querySelector(DANGEROUS)).toBeNull();
  }
});

test("a link opens by itself, tells its target nothing, and says its host", () => {
  shown("[docs](https://docs.example/a)");

  const link = screen.getByRole("link", { name: "docs" });
  expect(link.getAttribute("href")).toBe("https://docs.example/a");
  expect(link.getAttribute("target")).toBe("_blank");
  expect(link.getAttribute("rel")).toBe("noopener noreferrer");
  expect(link.getAttribute("title")).toBe("docs.example");
});

test.each([
  ["inline", "![a cat](https://evil.example/c.png?x=1)"],
  ["by reference", "![a cat][c]\n\n[c]: https://evil.example/c.png?x=1"],
])("an image is a note with a link, and asks for nothing: %s", (_kind, text) => {
  const page = shown(text);

  expect(page.textContent).toBe("[Image: a cat] (evil.example)");
  expect(page.querySelector("img, picture, source, [src], [srcset]")).toBeNull();
});

test("the first heading is one below that of the message, however deep it calls itself", () => {
  const page = shown("### One\n\n##### Two\n\n## Three").innerHTML;

  expect(page).toContain('<h3 data-depth="3">One</h3>');
  expect(page).toContain('<h5 data-depth="5">Two</h5>');
  expect(page).toContain('<h3 data-depth="2">Three</h3>');
});

test("a table, a task list, a list's start and headings below the page's own", () => {
  const page = shown(
    "# One\n\n###### Six\n\n| a | b |\n|:-:|--:|\n| 1 | 2 |\n\n- [x] done\n- [ ] to do\n\n3. ~~x~~ **y**",
  ).innerHTML;

  expect(page).toContain('<h3 data-depth="1">One</h3>');
  expect(page).toContain('<h6 data-depth="6">Six</h6>');
  expect(page).toContain('<th scope="col" data-align="center">a</th>');
  expect(screen.getByRole("group", { name: "Table: a, b" }).tabIndex).toBe(0);
  expect(screen.getByRole<HTMLInputElement>("checkbox", { name: "done" }).checked).toBe(true);
  expect(screen.getByRole<HTMLInputElement>("checkbox", { name: "to do" }).disabled).toBe(true);
  expect(page).toContain('<ol start="3"><li><p><del>x</del> <strong>y</strong></p></li></ol>');
});

test("settled blocks keep their elements while the text grows and when it ends", () => {
  const text = "First **one**.\n\n- a\n- b\n- c\n\n```js\nlet x = 1;\nlet y";
  const { container, rerender } = render(<Markdown text={text} streaming />);
  const before = [...container.querySelectorAll("p, li, figure")];

  for (let end = 1; end <= 30; end++)
    rerender(
      <Markdown text={`${text}${" = 2;\n```\n\nThe end of it all.".slice(0, end)}`} streaming />,
    );
  rerender(<Markdown text={`${text} = 2;\n\`\`\`\n\nThe end of it all.`} streaming={false} />);

  expect(before).toHaveLength(8);
  for (const element of before) expect(container.contains(element)).toBe(true);
  expect(container.textContent).toContain("The end of it all.");
});

test("a text that turns into another one starts anew", () => {
  const { container, rerender } = render(<Markdown text={"old **text**\n\nand more"} streaming />);

  rerender(<Markdown text="new *text*" streaming />);

  expect(container.textContent).toBe("new text");
});

test("while it streams no marks show, whatever the step", () => {
  const text =
    "Some **bold *both* words** with `code`, [a link](https://a.example) and ~~gone~~ ones.\n\n| a | b |\n|---|---|\n| **1** | 2 |\n";
  const { container, rerender } = render(<Markdown text="" streaming />);
  for (let end = 1; end <= text.length; end++) {
    rerender(<Markdown text={text.slice(0, end)} streaming />);

    expect(container.textContent).not.toMatch(/[*`~|[\]]|https/);
  }
});

test("code says its language, is copied whole, and is coloured once it is settled", async () => {
  const writeText = vi.fn(async () => {});
  Object.defineProperty(navigator, "clipboard", { value: { writeText }, configurable: true });
  const text = "```python\ndef f(x):\n    return x\n";
  const page = (text: string, streaming: boolean) => (
    <Announcer announcement="">
      <Markdown text={text} streaming={streaming} />
    </Announcer>
  );
  const { container, rerender } = render(page(text, true));

  fireEvent.click(screen.getByRole("button", { name: "Copy code" }));
  await waitFor(() => expect(screen.getByRole("status").textContent).toBe("Copied"));
  expect(writeText).toHaveBeenCalledWith("def f(x):\n    return x");
  expect(container.querySelector(".hljs-keyword")).toBeNull();
  expect(screen.getByText("python").tagName).toBe("SPAN");

  rerender(page(`${text}\`\`\`\n`, false));
  await waitFor(() => expect(container.querySelector(".hljs-keyword")?.textContent).toBe("def"));
  expect(container.querySelector("pre")?.textContent).toBe("def f(x):\n    return x");
});

test("a formula is MathML, and one that cannot be read is its source", async () => {
  const { container } = render(
    <Markdown text={"$x^2$ and $\\nosuch{$ for $5"} streaming={false} />,
  );

  await waitFor(() => expect(container.querySelector("math msup")).not.toBeNull());
  expect(container.querySelector("[style]")).toBeNull();
  expect(container.querySelector("code")?.textContent).toBe("\\nosuch{");
  expect(container.textContent).toContain("for $5");
});

test("TeX cannot make links, load images or set styles", async () => {
  const text =
    "$\\href{javascript:alert(1)}{x}$ $\\includegraphics{https://e.example/x}$ $\\htmlStyle{color:red}{x}$ $\\pmb{x}$ $\\fcolorbox{red}{blue}{x}$ $\\boxed{z}$ $\\color{red}y$";
  const { container } = render(<Markdown text={text} streaming={false} />);

  await waitFor(() => expect(container.querySelector("math mi")).not.toBeNull());
  expect(container.querySelector("a, img, [style], [href], [src]")).toBeNull();
});
