/** What a request can be in tokens: its text is a bound, its inline media a fixed allowance (design §3). */
import { describe, expect, test } from "vitest";
import { plainCall } from "#shared/chat/call.ts";
import { inputTokensMax, measureInput, outputTokensMax, tokensGuess } from "#shared/chat/estimate.ts";
import { limits } from "#shared/limits.ts";

const data = "A".repeat(30_000);

/** One picture or file in each way the protocols carry one (protocols.md §6.1). */
const bodies: [name: string, body: object][] = [
  [
    "OpenAI image_url",
    { messages: [{ content: [{ type: "image_url", image_url: { url: `data:image/png;base64,${data}` } }] }] },
  ],
  [
    "OpenAI input_audio",
    { messages: [{ content: [{ type: "input_audio", input_audio: { data, format: "wav" } }] }] },
  ],
  [
    "OpenAI file",
    { messages: [{ content: [{ type: "file", file: { file_data: data, filename: "a.pdf" } }] }] },
  ],
  [
    "Anthropic source",
    {
      messages: [{ content: [{ type: "image", source: { type: "base64", media_type: "image/png", data } }] }],
    },
  ],
  ["Gemini inlineData", { contents: [{ parts: [{ inlineData: { mimeType: "image/png", data } }] }] }],
  ["Gemini inline_data", { contents: [{ parts: [{ inline_data: { mime_type: "image/png", data } }] }] }],
  [
    "Responses input_image",
    { input: [{ content: [{ type: "input_image", image_url: `data:image/png;base64,${data}` }] }] },
  ],
  [
    "Responses input_file",
    { input: [{ content: [{ type: "input_file", filename: "a.pdf", file_data: data }] }] },
  ],
];

describe("inline media", () => {
  test.each(bodies)("%s counts an allowance, not its base64", (_, body) => {
    const size = measureInput(body, JSON.stringify(body).length);
    expect(size.media).toBe(1);
    expect(size.text_bytes).toBeLessThan(200);
    expect(inputTokensMax(size, 1_000_000)).toBeLessThan(limits.mediaTokens + 300);
  });

  test("plain text, however long, is text", () => {
    const body = { messages: [{ role: "user", content: data }] };
    const bytes = JSON.stringify(body).length;
    expect(measureInput(body, bytes)).toEqual({ text_bytes: bytes, media: 0 });
  });
});

test("no bound is above the model's own", () => {
  expect(inputTokensMax({ text_bytes: 10_000_000, media: 0 }, 1_000)).toBe(1_000);
  expect(outputTokensMax({ ...plainCall, max_output_tokens: 9_000, choices: 2 }, 4_000)).toBe(8_000);
  expect(outputTokensMax(plainCall, 4_000)).toBe(4_000);
});

test("a third of the bytes is the guess, rounded up", () => {
  expect([tokensGuess(0), tokensGuess(1), tokensGuess(9)]).toEqual([0, 1, 3]);
});
