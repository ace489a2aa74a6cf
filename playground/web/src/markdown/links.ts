/**
 * Which addresses may a link in an answer lead to? Those of the web and of mail, written whole.
 *
 * The text of an answer is not trusted: whatever is not plainly `http:`, `https:` or `mailto:` with
 * something behind it is shown as text. Browsers drop tabs, newlines and leading control characters
 * before they read a scheme, so an address that holds any is refused rather than cleaned.
 */

const WRITTEN_WHOLE = /^(?:https?:\/\/[^/?#\\\s]|mailto:[^\s/])/i;

export interface Link {
  readonly href: string;
  /** What the link leads to, in short: the host, or the address of a mail. */
  readonly host: string;
}

/** The link that an address makes, or null where it must stay text. */
export function safeLink(address: string): Link | null {
  if (hasControl(address) || !WRITTEN_WHOLE.test(address)) return null;
  if (!URL.canParse(address)) return null;
  const url = new URL(address);
  return { href: url.href, host: url.protocol === "mailto:" ? url.pathname : url.host };
}

function hasControl(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return true;
  }
  return false;
}
