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

/** Text that stands where a medium could: providers read all of it, so that it must be held for. */
const words: [name: string, body: object][] = [
  [
    "an Anthropic document of plain text",
    {
      messages: [
        { content: [{ type: "document", source: { type: "text", media_type: "text/plain", data } }] },
      ],
    },
  ],
  [
    "one of text in base64",
    {
      messages: [
        { content: [{ type: "document", source: { type: "base64", media_type: "text/csv", data } }] },
      ],
    },
  ],
  [
    "an Anthropic document of blocks",
    {
      messages: [
        {
          content: [
            { type: "document", source: { type: "content", content: [{ type: "text", text: data }] } },
          ],
        },
      ],
    },
  ],
  [
    "what an Anthropic tool is called with",
    {
      messages: [
        { content: [{ type: "tool_use", id: "a", name: "write", input: { file: { text: data } } }] },
      ],
    },
  ],
  [
    "what a Gemini function is called with",
    { contents: [{ parts: [{ functionCall: { name: "write", args: { file: { text: data } } } }] }] },
  ],
  [
    "what a Gemini function answers",
    { contents: [{ parts: [{ functionResponse: { name: "read", response: { source: { text: data } } } }] }] },
  ],
  ["a Gemini text file", { contents: [{ parts: [{ inlineData: { mimeType: "text/plain", data } }] }] }],
  [
    "a text file as a data URL",
    { input: [{ content: [{ type: "input_file", file_data: `data:text/plain;base64,${data}` }] }] },
  ],
  [
    "a tool's description",
    { messages: [], tools: [{ parameters: { properties: { file: { title: data } } } }] },
  ],
];

test.each(words)("%s is text and counts its bytes", (_, body) => {
  const bytes = JSON.stringify(body).length;
  expect(measureInput(body, bytes)).toEqual({ text_bytes: bytes, media: 0 });
});

test("a picture in a document of blocks, and one beside a tool's answer, are still media", () => {
  const source = { type: "base64", media_type: "image/png", data };
  const block = { type: "document", source: { type: "content", content: [{ type: "image", source }] } };
  const part = {
    functionResponse: { name: "f", response: {}, parts: [{ inlineData: { mimeType: "image/png", data } }] },
  };
  const body = { messages: [{ content: [block] }], contents: [{ parts: [part] }] };
  const size = measureInput(body, JSON.stringify(body).length);
  expect(size.media).toBe(2);
  expect(size.text_bytes).toBeLessThan(500);
});

test("input that is not in the body may fill the context", () => {
  const call = { ...plainCall, unseen_input: true };
  expect(inputTokensMax({ text_bytes: 10, media: 0 }, 1_000, call)).toBe(1_000);
});

test("no bound is above the model's own", () => {
  expect(inputTokensMax({ text_bytes: 10_000_000, media: 0 }, 1_000)).toBe(1_000);
  expect(outputTokensMax({ ...plainCall, max_output_tokens: 9_000, choices: 2 }, 4_000)).toBe(8_000);
  expect(outputTokensMax(plainCall, 4_000)).toBe(4_000);
});

test("a third of the bytes is the guess, rounded up", () => {
  expect([tokensGuess(0), tokensGuess(1), tokensGuess(9)]).toEqual([0, 1, 3]);
});
