import fc from "fast-check";
import { expect, test } from "vitest";
import { closeHalfOpen } from "./closing";

test.each([
  ["plain words", "plain words"],
  ["some **bold", "some **bold**"],
  ["some **bold*", "some **bold**"],
  ["some **bold ", "some **bold**"],
  ["some **", "some "],
  ["some *it", "some *it*"],
  ["***both", "***both***"],
  ["**bold *and it", "**bold *and it***"],
  ["~~gone", "~~gone~~"],
  ["~~gone~", "~~gone~~"],
  ["snake_case_name and _it", "snake_case_name and _it_"],
  ["2 * 3 * 4", "2 * 3 * 4"],
  ["run `npm", "run `npm`"],
  ["run ``a ` b", "run ``a ` b``"],
  ["run `", "run "],
  ["`**` and **b", "`**` and **b**"],
  ["see [the", "see the"],
  ["see [the text](htt", "see the text"],
  ["see [the text](http://a.b) a", "see [the text](http://a.b) a"],
  ["see [the **te", "see the **te**"],
  ["an image ![of", "an image "],
  ["an image ![of it](htt", "an image "],
  ["at <https://exam", "at https://exam"],
  ["a < b", "a < b"],
  ["\\*not **yet", "\\*not **yet**"],
  ["$5 and **b", "$5 and **b**"],
  ["$a_1 * b_2$ and *b", "$a_1 * b_2$ and *b*"],
  ["so \\(a_1 + ", "so "],
  ["- item\n- **bo", "- item\n- **bo**"],
  ["- item\n-", "- item"],
  ["- item\n- [", "- item\n- "],
  ["- item\n- [x]", "- item\n- "],
  ["- [ ] to *do", "- [ ] to *do*"],
  ["## Head **li", "## Head **li**"],
  ["text\n#", "text"],
  ["text\n--", "text"],
  ["text\n``", "text"],
  ["1. one\n2.", "1. one"],
  ["> quoted **li", "> quoted **li**"],
  ["**a\n\n*b", "**a\n\n*b*"],
  ["| a | b", "| a | b\n| --- | --- |"],
  ["| a | b |", "| a | b |\n| --- | --- |"],
  ["| a | b |\n|--", "| a | b |\n| --- | --- |"],
  ["| a | b |\n|---|---|\n| **c", "| a | b |\n|---|---|\n| **c**"],
  ["|", ""],
  ["- code\n  ```py\n  a ** b", "- code\n  ```py\n  a ** b"],
])("%j is shown as %j", (written, shown) => {
  expect(closeHalfOpen(written)).toBe(shown);
});

test("whatever was written, what is shown adds marks alone, and nothing is thrown", () => {
  const words = fc.constantFrom(
    "a",
    " ",
    "\n",
    "*",
    "**",
    "_",
    "`",
    "[",
    "](",
    ")",
    "!",
    "|",
    "-",
    "$",
    "\\(",
    "~~",
    "<",
    "#",
  );
  const text = fc.array(words, { maxLength: 30 }).map((all) => all.join(""));
  const letters = (text: string): number => text.match(/a/g)?.length ?? 0;
  fc.assert(
    fc.property(text, (text) => {
      expect(letters(closeHalfOpen(text))).toBeLessThanOrEqual(letters(text));
    }),
  );
});
