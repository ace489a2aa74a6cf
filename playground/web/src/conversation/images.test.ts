import { describe, expect, it } from "vitest";
import { base64, DRAWN_SIDE, fitted, prepareImage, sniff } from "./images";
import { TestWorld } from "./testing";
import type { Size } from "./world";

const latin = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));
const PNG = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
const FILES = {
  jpeg: "\xff\xd8\xff\xe0",
  png: `${PNG}....IDAT....acTL`,
  apng: `${PNG}....acTL....IDAT`,
  gif: "GIF89a",
  webp: "RIFF\0\0\0\0WEBPVP8 ",
  avif: "\0\0\0\x20ftypavif\0\0\0\0avifmif1",
  heic: "\0\0\0\x18ftypheic\0\0\0\0mif1heic",
  bmp: "BM\0\0",
  other: "<svg xmlns='http://www.w3.org/2000/svg'/>",
} as const;

const file = (kind: keyof typeof FILES, name = "a") => new File([latin(FILES[kind])], name);
const decodes = (
  size: Size | null,
  encoded: (type: string, size: Size) => Blob | null = () => null,
) => ({
  measure: async () => size,
  encode: async (_: Blob, type: string, drawn: Size) => encoded(type, drawn),
});
const SMALL = { width: 40, height: 30 };

async function problem(...args: Parameters<typeof prepareImage>): Promise<string> {
  const prepared = await prepareImage(...args);
  if (prepared.ok) throw new Error("it was not refused");
  return prepared.problem;
}

describe("sniff", () => {
  it.each(Object.entries(FILES))("knows %s by its bytes", (kind, bytes) => {
    expect(sniff(latin(bytes))).toBe(kind);
  });

  it.each(["", "\x89PN", "ftyp", "RIFF....WAVE", "\0\0\0\x18ftypmp42"])(
    "knows nothing of %j",
    (text) => {
      expect(sniff(latin(text))).toBe("other");
    },
  );
});

describe("prepareImage", () => {
  it.each(["jpeg", "png"] as const)("passes a %s as it is, whatever it is called", async (kind) => {
    const prepared = await prepareImage(file(kind, "cat.webp"), null, decodes(SMALL));
    expect(prepared).toEqual({
      ok: true,
      image: {
        name: "cat.webp",
        url: `data:image/${kind};base64,${btoa(FILES[kind])}`,
        bytes: FILES[kind].length,
        ...SMALL,
      },
    });
  });

  it.each(["apng", "gif", "webp", "avif", "heic", "bmp", "other"] as const)(
    "draws a %s that the browser can decode",
    async (kind) => {
      const pictures = decodes(SMALL, (type) => new Blob([type]));
      const prepared = await prepareImage(file(kind), null, pictures);
      expect(prepared).toMatchObject({
        ok: true,
        image: { url: `data:image/png;base64,${btoa("image/png")}`, bytes: 9, ...SMALL },
      });
    },
  );

  it("draws as JPEG what is too large as PNG, and no larger than is looked at", async () => {
    const drawn: string[] = [];
    const pictures = decodes({ width: 10_000, height: 5_000 }, (type, { width, height }) => {
      drawn.push(`${type} ${width} ${height}`);
      return new Blob(["x".repeat(type === "image/png" ? 101 : 100)]);
    });
    const prepared = await prepareImage(file("webp"), 100, pictures);
    expect(prepared).toMatchObject({ ok: true, image: { bytes: 100, width: DRAWN_SIDE } });
    expect(drawn).toEqual(["image/png 4096 2048", "image/jpeg 4096 2048"]);
  });

  it("says the limit where a file is too large", async () => {
    const large = new File([latin(FILES.png), new Uint8Array(3_000_000)], "a.png");
    expect(await problem(large, 2_000_000, decodes(SMALL))).toBe(
      "This picture has 3.0 MB; at most 2.0 MB can be sent.",
    );
    expect(
      await problem(
        file("gif"),
        0.5,
        decodes(SMALL, () => new Blob(["xx"])),
      ),
    ).toMatch(/could not be converted/);
  });

  it("says the limit where there are too many pixels", async () => {
    expect(await problem(file("png"), null, decodes({ width: 40_000, height: 1 }))).toBe(
      "This picture has 40000 × 1 pixels; a side may have 32,768.",
    );
    expect(await problem(file("png"), null, decodes({ width: 30_000, height: 30_000 }))).toBe(
      "This picture has 30000 × 30000 pixels; at most 67 million pixels can be sent.",
    );
  });

  it.each([
    ["jpeg", "This JPEG file cannot be read; it may be damaged."],
    ["png", "This PNG file cannot be read; it may be damaged."],
    ["heic", "This browser cannot open HEIC pictures. Save it as JPEG or PNG and attach that."],
    ["webp", "This browser cannot open WebP pictures. Save it as JPEG or PNG and attach that."],
    ["other", "This file is not a picture that this browser can open. Attach a JPEG or PNG."],
  ] as const)("says what to do with a %s that cannot be decoded", async (kind, words) => {
    expect(await problem(file(kind), null, decodes(null))).toBe(words);
  });

  it("refuses an empty file", async () => {
    expect(await problem(new File([], "a.png"), null, new TestWorld().pictures)).toBe(
      "This file is empty.",
    );
  });
});

describe("base64", () => {
  it("is the same in pieces as in one", () => {
    const bytes = Uint8Array.from({ length: 60_001 }, (_, place) => place % 251);
    const decoded = Uint8Array.from(atob(base64(bytes)), (character) => character.charCodeAt(0));
    expect(decoded).toEqual(bytes);
  });
});

describe("fitted", () => {
  it("keeps the shape, and at least a pixel", () => {
    expect(fitted({ width: 100, height: 50 }, 40)).toEqual({ width: 40, height: 20 });
    expect(fitted({ width: 30, height: 20 }, 40)).toEqual({ width: 30, height: 20 });
    expect(fitted({ width: 10_000, height: 1 }, 40)).toEqual({ width: 40, height: 1 });
  });
});
