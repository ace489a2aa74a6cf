import { expect, test } from "vitest";
import { safeLink } from "./links";

test.each([
  "javascript:alert(1)",
  "JaVaScRiPt:alert(1)",
  " javascript:alert(1)",
  "java\tscript:alert(1)",
  "java\nscript:alert(1)",
  "\u0001javascript:alert(1)",
  "ht\ntps://example.org",
  "vbscript:msgbox(1)",
  "data:text/html,<script>alert(1)</script>",
  "data:image/svg+xml;base64,PHN2Zz4=",
  "blob:https://example.org/1",
  "file:///etc/passwd",
  "ftp://example.org",
  "//example.org/x",
  "/\\example.org",
  "https:example.org",
  "https:///example.org",
  "https:\\\\example.org",
  "http://",
  "mailto:",
  "/api/cancel",
  "#top",
  "?x=1",
  "api/reset",
  "",
])("%j stays text", (address) => {
  expect(safeLink(address)).toBeNull();
});

test.each([
  ["https://example.org/a?b=c#d", "https://example.org/a?b=c#d", "example.org"],
  ["HTTP://Example.org:8080", "http://example.org:8080/", "example.org:8080"],
  ["https://good.example@evil.example/", "https://good.example@evil.example/", "evil.example"],
  ["https://xn--pple-43d.com/", "https://xn--pple-43d.com/", "xn--pple-43d.com"],
  ["mailto:a@example.org", "mailto:a@example.org", "a@example.org"],
])("%j leads to %j and says %j", (address, href, host) => {
  expect(safeLink(address)).toEqual({ href, host });
});
