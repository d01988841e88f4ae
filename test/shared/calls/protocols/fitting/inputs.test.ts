/** What each client's body brings beside text, part by part, and how a model refuses it. */
import { describe, expect, test } from "vitest";
import { GatewayError } from "#shared/base/errors.ts";
import type { InputForm } from "#shared/books/catalog/traits.ts";
import { refuseInputs, refuseStops } from "#shared/calls/protocols/fitting/inputs.ts";
import { crossings } from "#test/support/crossings.ts";
import type { Room } from "#test/support/traits.ts";

type Json = Record<string, unknown>;

const address = "https://a.test/b";
const png = "data:image/png;base64,iVBORw0KGgo=";
const pdf = "data:application/pdf;base64,JVBERi0=";

/** A body with one part, and the place of that part. */
const holders: Record<Room, { at: string; of: (part: Json) => Json }> = {
  "openai-chat": {
    at: "messages[0].content[0]",
    of: (part) => ({ messages: [{ role: "user", content: [part] }] }),
  },
  anthropic: {
    at: "messages[0].content[0]",
    of: (part) => ({ messages: [{ role: "user", content: [part] }] }),
  },
  gemini: { at: "contents[0].parts[0]", of: (part) => ({ contents: [{ parts: [part] }] }) },
  "openai-responses": {
    at: "input[0].content[0]",
    of: (part) => ({ input: [{ role: "user", content: [part] }] }),
  },
};

const base64 = (media_type: string) => ({ type: "base64", media_type, data: "aGk=" });

describe("parts", () => {
  test.each<[room: Room, part: Json, form: InputForm | undefined]>([
    ["openai-chat", { type: "image_url", image_url: { url: address } }, "image_url"],
    ["openai-chat", { type: "image_url", image_url: png }, "image_bytes"],
    ["openai-chat", { type: "image_url", image_url: { url: "iVBORw0KGgo=" } }, "image_bytes"],
    ["openai-chat", { type: "video_url", video_url: { url: address } }, "video_url"],
    ["openai-chat", { type: "input_audio", input_audio: { data: "aGk=", format: "wav" } }, "audio_bytes"],
    ["openai-chat", { type: "input_audio", input_audio: { url: address } }, "audio_url"],
    ["openai-chat", { type: "file", file: { file_data: pdf } }, "pdf_bytes"],
    ["openai-chat", { type: "file", file: { file_data: "JVBERi0=" } }, "pdf_bytes"],
    ["openai-chat", { type: "file", file: { file_data: "data:text/plain;base64,aGk=" } }, undefined],
    ["openai-chat", { type: "file", file: { file_id: "f" } }, undefined],
    ["openai-chat", { type: "text", text: address }, undefined],
    ["anthropic", { type: "image", source: { type: "url", url: address } }, "image_url"],
    ["anthropic", { type: "image", source: base64("image/png") }, "image_bytes"],
    ["anthropic", { type: "image", source: { type: "file", file_id: "f" } }, undefined],
    ["anthropic", { type: "document", source: { type: "url", url: address } }, "pdf_url"],
    ["anthropic", { type: "document", source: base64("application/pdf") }, "pdf_bytes"],
    ["anthropic", { type: "document", source: { type: "text", data: "hi" } }, undefined],
    ["gemini", { fileData: { fileUri: address, mimeType: "image/png" } }, "image_url"],
    ["gemini", { file_data: { file_uri: address, mime_type: "video/mp4" } }, "video_url"],
    ["gemini", { fileData: { fileUri: "gs://a/b", mimeType: "image/png" } }, undefined],
    [
      "gemini",
      {
        fileData: {
          fileUri: "https://generativelanguage.googleapis.com/v1beta/files/f",
          mimeType: "image/png",
        },
      },
      undefined,
    ],
    ["gemini", { inlineData: { mimeType: "audio/wav", data: "aGk=" } }, "audio_bytes"],
    ["openai-responses", { type: "input_image", image_url: address }, "image_url"],
    ["openai-responses", { type: "input_image", image_url: png }, "image_bytes"],
    ["openai-responses", { type: "input_image", file_id: "f" }, undefined],
    ["openai-responses", { type: "input_file", file_url: address }, "pdf_url"],
    ["openai-responses", { type: "input_file", file_data: pdf }, "pdf_bytes"],
    ["openai-responses", { type: "input_audio", input_audio: { data: "aGk=" } }, "audio_bytes"],
  ])("of %s: %j", (room, part, form) => {
    const { at, of } = holders[room];
    expect(crossings[room].asked(of(part)).inputs).toEqual(form ? [{ at, form }] : []);
  });

  test("of results and documents are found inside them", () => {
    const image = { type: "image", source: { type: "url", url: address } };
    const content = [
      { type: "tool_result", tool_use_id: "t", content: [{ type: "text", text: "" }, image] },
      { type: "document", source: { type: "content", content: [image] } },
    ];
    const places = crossings.anthropic
      .asked({ messages: [{ role: "user", content }] })
      .inputs.map(({ at }) => at);
    expect(places).toEqual(["messages[0].content[0].content[1]", "messages[0].content[1].source.content[0]"]);
    const output = [{ type: "input_image", image_url: png }];
    const items = { input: ["text", { type: "function_call_output", call_id: "c", output }] };
    expect(crossings["openai-responses"].asked(items).inputs).toEqual([
      { at: "input[1].output[0]", form: "image_bytes" },
    ]);
    const parts = [{ functionResponse: { name: "f", parts: [{ inlineData: { mimeType: "image/png" } }] } }];
    expect(crossings.gemini.asked({ contents: [{ parts }] }).inputs).toEqual([
      { at: "contents[0].parts[0].functionResponse.parts[0]", form: "image_bytes" },
    ]);
  });
});

describe("a refusal", () => {
  const told = (form: InputForm, takes: InputForm[] | undefined): string | undefined => {
    try {
      refuseInputs([{ at: "a[0]", form }], takes);
      return undefined;
    } catch (error) {
      return error instanceof GatewayError ? error.detail.message : String(error);
    }
  };
  test.each<[InputForm, InputForm[] | undefined, string | undefined]>([
    [
      "image_url",
      ["image_bytes"],
      "`a[0]` is an image by its address. This model takes images as bytes only: send it as base64.",
    ],
    ["pdf_bytes", ["pdf_url"], "`a[0]` is a PDF as bytes. This model takes PDFs by address only."],
    ["audio_bytes", ["image_url"], "`a[0]` is sound as bytes. This model takes no sound."],
    ["video_url", [], "`a[0]` is a video by its address. This model takes no videos."],
    ["image_url", ["image_url"], undefined],
    ["image_url", undefined, undefined],
  ])("of %s by a model that takes %j", (form, takes, message) => {
    expect(told(form, takes)).toBe(message);
  });

  test.each<[count: number, most: number | undefined, refused: boolean]>([
    [1, 1, false],
    [2, 1, true],
    [5, undefined, false],
    // A model that takes none gets none, by name.
    [5, 0, false],
  ])("of %i stop sequences by a model that takes %s", (count, most, refused) => {
    const ask = () => refuseStops({ field: "stop", count }, most);
    if (refused) expect(ask).toThrow(`has ${count} stop sequences, and this model takes at most ${most}`);
    else expect(ask).not.toThrow();
  });
});
