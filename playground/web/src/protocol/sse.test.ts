import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SSEDecoder } from "./sse";

const encode = (text: string) => new TextEncoder().encode(text);

function decode(...chunks: readonly Uint8Array[]): string[] {
  const decoder = new SSEDecoder();
  return chunks.flatMap((chunk) => decoder.push(chunk));
}

/** What a stream holds, whichever one place it is cut at. */
function decodeAtEverySplit(bytes: Uint8Array): string[][] {
  return Array.from({ length: bytes.length + 1 }, (_, at) =>
    decode(bytes.subarray(0, at), bytes.subarray(at)),
  );
}

describe("SSEDecoder", () => {
  it.each([
    ["an event", "data: one\n\n", ["one"]],
    ["data without a space", "data:one\n\n", ["one"]],
    ["one space only is dropped", "data:  one\n\n", [" one"]],
    ["two events", "data: one\n\ndata: two\n\n", ["one", "two"]],
    ["CRLF", "data: one\r\n\r\ndata: two\r\n\r\n", ["one", "two"]],
    ["CR", "data: one\r\rdata: two\r\r", ["one", "two"]],
    ["mixed line ends", "data: one\r\n\ndata: two\n\rdata: three\r\r\n", ["one", "two", "three"]],
    ["lines of data", "data: one\ndata\ndata: two\n\n", ["one\n\ntwo"]],
    ["lines of data with CRLF", "data: one\r\ndata: two\r\n\r\n", ["one\ntwo"]],
    ["comments", ": queued 1\n\n: prefill\n\ndata: one\n:\n\n", ["one"]],
    ["other fields", "event: x\nid: 7\nretry: 10\ndata: one\n\n", ["one"]],
    ["a field that only begins like data", "database: one\n\n", []],
    ["empty lines", "\n\n\ndata: one\n\n\n\n", ["one"]],
    ["a BOM", "\ufeffdata: one\n\n", ["one"]],
    ["an event that is not ended", "data: one\n\ndata: two\n", ["one"]],
    ["characters of many bytes", "data: é 中 👩‍👩‍👧 \u2028\n\n", ["é 中 👩‍👩‍👧 \u2028"]],
  ])("reads %s, wherever it is cut", (_, text, expected) => {
    for (const events of decodeAtEverySplit(encode(text))) expect(events).toEqual(expected);
  });

  it("reads the same of any chunks as of the whole", () => {
    const piece = fc.constantFrom(
      "data: ",
      "data",
      ":",
      " ",
      "a",
      "é",
      "👍",
      "\n",
      "\r",
      "\r\n",
      "\n\n",
    );
    fc.assert(
      fc.property(fc.array(piece), fc.array(fc.nat(8)), (pieces, lengths) => {
        const bytes = encode(pieces.join(""));
        const chunks: Uint8Array[] = [];
        let from = 0;
        for (const length of lengths) {
          chunks.push(bytes.subarray(from, from + length));
          from += length;
        }
        expect(decode(...chunks, bytes.subarray(from))).toEqual(decode(bytes));
      }),
    );
  });

  it("reads a long line that comes byte by byte", () => {
    const text = "x".repeat(2 ** 18);
    const decoder = new SSEDecoder();
    const events: string[] = [];
    for (const byte of encode(`data: ${text}\n\n`))
      events.push(...decoder.push(Uint8Array.of(byte)));
    expect(events).toEqual([text]);
  });

  it("says U+FFFD for bytes that are no UTF-8, and goes on", () => {
    const broken = Uint8Array.of(...encode("data: a"), 0xff, ...encode("b\n\n"));
    expect(decode(broken)).toEqual(["a\ufffdb"]);
  });
});
