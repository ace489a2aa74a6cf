/**
 * Which events does a stream of bytes hold? The format of server-sent events, as far as it is used.
 *
 * Lines end with LF, CR or CRLF; a BOM at the start is skipped; an empty line ends an event.
 *
 *     data: text     another line of the event's data (one space after the colon is dropped)
 *     data           an empty line of data
 *     : text         a comment, which only keeps the connection busy
 *     other: text    `event`, `id`, `retry`: nothing here uses them, so they are skipped
 *
 * Bytes may be cut anywhere, inside a character as well. An event that no empty line has ended is
 * not one, as the standard has it.
 *
 * https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */

const LINE_END = /\r\n|\r|\n/g;

/** `push` bytes as they come; each call returns the data of the events that they complete. */
export class SSEDecoder {
  private readonly text = new TextDecoder();
  private line = "";
  private data: string[] | null = null;
  private endedByCR = false;

  push(bytes: Uint8Array): string[] {
    return this.take(this.text.decode(bytes, { stream: true }));
  }

  private take(text: string): string[] {
    const events: string[] = [];
    let from = 0;
    if (text === "") return events;
    if (this.endedByCR && text.startsWith("\n")) from = 1; // the other half of a CRLF
    this.endedByCR = text.endsWith("\r");
    LINE_END.lastIndex = from;
    for (let end = LINE_END.exec(text); end !== null; end = LINE_END.exec(text)) {
      const event = this.takeLine(this.line + text.slice(from, end.index));
      if (event !== null) events.push(event);
      this.line = "";
      from = LINE_END.lastIndex;
    }
    this.line += text.slice(from);
    return events;
  }

  private takeLine(line: string): string | null {
    if (line === "") {
      const event = this.data?.join("\n") ?? null;
      this.data = null;
      return event;
    }
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    if (field === "data") {
      const value = colon < 0 ? "" : line.slice(colon + 1);
      this.data ??= [];
      this.data.push(value.startsWith(" ") ? value.slice(1) : value);
    }
    return null;
  }
}
