/** The size of what a client of Converse says, by which its call is held. */
import { describe, expect, test } from "vitest";
import { measureInput } from "#shared/calls/chat/measure.ts";

describe("its size", () => {
  const sizeOf = (...content: object[]) => measureInput({ messages: [{ role: "user", content }] }, 10_000);
  const bytes = Buffer.alloc(3_000, "a").toString("base64");

  test.each<[string, object, object]>([
    [
      "a picture",
      { image: { format: "png", source: { bytes } } },
      { pictures: 1, files: 0, text_bytes: 6_000 },
    ],
    [
      "a PDF",
      { document: { format: "pdf", name: "a", source: { bytes } } },
      { pictures: 0, files: 1, text_bytes: 6_000 },
    ],
    ["a clip", { video: { format: "mp4", source: { bytes } } }, { pictures: 0, files: 1, text_bytes: 6_000 }],
    [
      "words",
      { document: { format: "txt", name: "a", source: { bytes } } },
      { pictures: 0, files: 0, text_bytes: 10_000 },
    ],
    [
      "words as text",
      { document: { format: "txt", source: { text: "a" } } },
      { pictures: 0, files: 0, text_bytes: 10_000 },
    ],
    [
      "arguments",
      { toolUse: { toolUseId: "t", input: { source: { data: bytes } } } },
      { pictures: 0, files: 0, text_bytes: 10_000 },
    ],
    [
      "a picture in a result",
      { toolResult: { toolUseId: "t", content: [{ image: { format: "png", source: { bytes } } }] } },
      { pictures: 1, files: 0, text_bytes: 6_000 },
    ],
  ])("counts %s", (_, block, size) => {
    expect(sizeOf(block)).toEqual(size);
  });

  test("words that are a packed file are a file", () => {
    const packed = Buffer.alloc(3_000).toString("base64");
    expect(sizeOf({ document: { format: "md", source: { bytes: packed } } }).files).toBe(1);
  });
});
