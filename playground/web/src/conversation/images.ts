/**
 * Which file can be sent as a picture, and as what?
 *
 * A file's first bytes say what it is, not its name. JPEG and PNG go as they are: the server turns
 * them as their EXIF says. Everything else that this browser can decode (WebP, AVIF, GIF, BMP, SVG,
 * and HEIC in some) is drawn, turned, and sent as PNG, or as JPEG where the PNG would be too large; of
 * moving pictures that is the first. What cannot be sent is refused with the reason and the limit.
 */

import type { Attachment } from "./model";
import { sizeWords } from "./wording";
import type { Pictures, Size } from "./world";

export const MAX_BYTES = 20 * 2 ** 20;
export const MAX_SIDE = 32_768;
export const MAX_PIXELS = 64 * 2 ** 20;
/** A drawn picture is not made larger than this; the model looks at fewer pixels anyway. */
export const DRAWN_SIDE = 4_096;

export type Prepared =
  | { readonly ok: true; readonly image: Attachment }
  | { readonly ok: false; readonly problem: string };

export type FileKind = "jpeg" | "png" | "apng" | "gif" | "webp" | "avif" | "heic" | "bmp" | "other";

/** What a file is by its first bytes; 64 KiB of them are enough. */
export function sniff(bytes: Uint8Array): FileKind {
  const latin = latin1(bytes.subarray(0, 2 ** 16));
  if (latin.startsWith("\xff\xd8\xff")) return "jpeg";
  if (latin.startsWith("\x89PNG\r\n\x1a\n")) return movesInChunks(latin) ? "apng" : "png";
  if (/^GIF8[79]a/.test(latin)) return "gif";
  if (latin.startsWith("RIFF") && latin.startsWith("WEBP", 8)) return "webp";
  if (latin.startsWith("BM")) return "bmp";
  if (latin.startsWith("ftyp", 4)) {
    const brands = latin.slice(8, 64);
    if (/avi[fs]/.test(brands)) return "avif";
    if (/hei[cxms]|hev[cx]|mif1|msf1/.test(brands)) return "heic";
  }
  return "other";
}

/** A PNG that says how often it plays, before its first picture, is an animation. */
function movesInChunks(latin: string): boolean {
  const animation = latin.indexOf("acTL");
  const picture = latin.indexOf("IDAT");
  return animation >= 0 && (picture < 0 || animation < picture);
}

/** A file as it can be sent. `maxBytes` is the server's limit, null if it has not said. */
export async function prepareImage(
  file: File,
  maxBytes: number | null,
  pictures: Pictures,
): Promise<Prepared> {
  const limit = maxBytes ?? MAX_BYTES;
  if (file.size === 0) return refused("This file is empty.");
  const kind = sniff(new Uint8Array(await file.slice(0, 2 ** 16).arrayBuffer()));
  const asItIs = kind === "jpeg" || kind === "png";
  if (asItIs && file.size > limit) return refused(tooLarge(file.size, limit));
  const size = await pictures.measure(file);
  if (size === null) return refused(unreadable(kind));
  const problem = sizeProblem(size);
  if (problem !== null) return refused(problem);
  if (asItIs) return attachment(file.name, file, `image/${kind}`, size);
  return draw(file, size, limit, pictures);
}

async function draw(file: File, size: Size, limit: number, pictures: Pictures): Promise<Prepared> {
  const drawn = fitted(size, DRAWN_SIDE);
  for (const type of ["image/png", "image/jpeg"] as const) {
    const blob = await pictures.encode(file, type, drawn);
    if (blob && blob.size <= limit) return attachment(file.name, blob, type, drawn);
  }
  return refused(`This picture could not be converted to one of at most ${sizeWords(limit)}.`);
}

/** The same shape, with no side longer than `side`. */
export function fitted({ width, height }: Size, side: number): Size {
  const scale = Math.min(1, side / Math.max(width, height));
  const scaled = (length: number) => Math.max(1, Math.round(length * scale));
  return { width: scaled(width), height: scaled(height) };
}

async function attachment(name: string, blob: Blob, type: string, size: Size): Promise<Prepared> {
  const url = `data:${type};base64,${base64(new Uint8Array(await blob.arrayBuffer()))}`;
  return { ok: true, image: { name: name || "image", url, bytes: blob.size, ...size } };
}

/** A character a byte. A browser's "latin1" decoder is windows-1252, where 0x89 is another one. */
function latin1(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}

/** Bytes in base64, piece by piece, since a call takes only so many arguments. */
export function base64(bytes: Uint8Array): string {
  const pieces: string[] = [];
  const length = 3 * 8192; // whole groups of three, so that pieces can be put together
  for (let from = 0; from < bytes.length; from += length) {
    pieces.push(btoa(String.fromCharCode(...bytes.subarray(from, from + length))));
  }
  return pieces.join("");
}

function sizeProblem({ width, height }: Size): string | null {
  const size = `${width} × ${height} pixels`;
  if (Math.max(width, height) > MAX_SIDE) {
    return `This picture has ${size}; a side may have ${MAX_SIDE.toLocaleString("en-US")}.`;
  }
  if (width * height > MAX_PIXELS) {
    return `This picture has ${size}; at most ${Math.floor(MAX_PIXELS / 1e6)} million pixels can be sent.`;
  }
  return null;
}

function tooLarge(bytes: number, limit: number): string {
  return `This picture has ${sizeWords(bytes)}; at most ${sizeWords(limit)} can be sent.`;
}

function unreadable(kind: FileKind): string {
  switch (kind) {
    case "jpeg":
    case "png":
      return `This ${kind.toUpperCase()} file cannot be read; it may be damaged.`;
    case "other":
      return "This file is not a picture that this browser can open. Attach a JPEG or PNG.";
    default: {
      const name = kind === "apng" ? "animated PNG" : kind === "webp" ? "WebP" : kind.toUpperCase();
      return `This browser cannot open ${name} pictures. Save it as JPEG or PNG and attach that.`;
    }
  }
}

function refused(problem: string): Prepared {
  return { ok: false, problem };
}
