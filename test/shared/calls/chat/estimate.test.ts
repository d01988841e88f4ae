/**
 * What a request can be in tokens: its text by its bytes, its pictures by what vendors publish, files at their most.
 */
import { describe, expect, test } from "vitest";
import { limits } from "#shared/base/limits.ts";
import { plainCall } from "#shared/books/billing/call.ts";
import {
  type InputRoom,
  inputTokensGuess,
  inputTokensMax,
  inputTokensReserved,
  outputTokensMax,
  tokensGuess,
} from "#shared/calls/chat/estimate.ts";
import { measureInput } from "#shared/calls/chat/measure.ts";

/** Base64 of 22,500 letters. */
const data = Buffer.from("text ".repeat(4_500)).toString("base64");
const png = `data:image/png;base64,${data}`;
const url = "https://host.example/some/where.bin";
const room: InputRoom = {
  context_tokens: 1_000_000,
  call_tokens: 1_000_000,
  picture_tokens: 5_000,
  file_tokens: 1_000_000,
};

const openai = (part: object) => ({ messages: [{ role: "user", content: [part] }] });
const anthropic = (type: string, source: object) => openai({ type, source });
const gemini = (part: object) => ({ contents: [{ parts: [part] }] });
const responses = (part: object) => ({ input: [{ role: "user", content: [part] }] });
const measured = (body: object) => measureInput(body, JSON.stringify(body).length);

/** A picture in each way the protocols carry one (protocols.md §6.1). */
const pictures: [name: string, body: object][] = [
  ["OpenAI, inline", openai({ type: "image_url", image_url: { url: png } })],
  ["OpenAI, by address", openai({ type: "image_url", image_url: { url, detail: "high" } })],
  ["OpenAI, without the object around", openai({ type: "image_url", image_url: url })],
  ["Anthropic, inline", anthropic("image", { type: "base64", media_type: "image/png", data })],
  ["Anthropic, by address", anthropic("image", { type: "url", url })],
  ["Anthropic, by file id", anthropic("image", { type: "file", file_id: "file_1" })],
  [
    "Anthropic, beside a tool's answer",
    openai({ type: "tool_result", content: [{ type: "image", source: { type: "url", url } }] }),
  ],
  [
    "Anthropic, in a document of blocks",
    anthropic("document", {
      type: "content",
      content: [{ type: "image", source: { type: "base64", media_type: "image/png", data } }],
    }),
  ],
  ["Gemini, inline", gemini({ inlineData: { mimeType: "image/png", data } })],
  ["Gemini, inline, in the other spelling", gemini({ inline_data: { mime_type: "image/png", data } })],
  ["Gemini, by address", gemini({ fileData: { mimeType: "image/png", fileUri: url } })],
  [
    "Gemini, beside a function's answer",
    gemini({
      functionResponse: { name: "f", response: {}, parts: [{ inlineData: { mimeType: "image/png", data } }] },
    }),
  ],
  ["Responses, inline", responses({ type: "input_image", image_url: png })],
  ["Responses, by address", responses({ type: "input_image", image_url: url })],
  ["Responses, by file id", responses({ type: "input_image", file_id: "file-1" })],
  [
    "Responses, a screenshot",
    { input: [{ type: "computer_call_output", output: { type: "computer_screenshot", image_url: url } }] },
  ],
];

/** A document, sound or clip: nobody can say what it comes to before the provider has read it. */
const files: [name: string, body: object][] = [
  ["OpenAI file by id", openai({ type: "file", file: { file_id: "file-1" } })],
  ["OpenAI file, inline", openai({ type: "file", file: { file_data: data, filename: "a.pdf" } })],
  [
    "OpenAI file that calls itself a picture",
    openai({ type: "file", file: { file_data: png, filename: "a.pdf", mimeType: "image/png" } }),
  ],
  ["OpenAI sound, inline", openai({ type: "input_audio", input_audio: { data, format: "wav" } })],
  ["OpenAI sound, by address", openai({ type: "input_audio", input_audio: { url } })],
  ["OpenAI sound of an earlier answer", { messages: [{ role: "assistant", audio: { id: "audio_1" } }] }],
  ["OpenAI clip by address", openai({ type: "video_url", video_url: { url } })],
  ["OpenAI clip, inline", openai({ type: "video_url", video_url: { url: `data:video/mp4;base64,${data}` } })],
  ["Zhipu file by address", openai({ type: "file_url", file_url: { url } })],
  [
    "a PDF where a picture could be",
    openai({ type: "image_url", image_url: { url: `data:application/pdf;base64,${data}` } }),
  ],
  ["Anthropic document by address", anthropic("document", { type: "url", url })],
  [
    "Anthropic document by address, called text",
    anthropic("document", { type: "url", url, media_type: "text/plain" }),
  ],
  ["Anthropic document by file id", anthropic("document", { type: "file", file_id: "file_1" })],
  [
    "Anthropic document, inline",
    anthropic("document", { type: "base64", media_type: "application/pdf", data }),
  ],
  [
    "Anthropic document that calls itself a picture",
    anthropic("document", { type: "base64", media_type: "image/png", data }),
  ],
  ["Anthropic upload to a container", openai({ type: "container_upload", file_id: "file_1" })],
  ["Gemini document by address", gemini({ fileData: { mimeType: "application/pdf", fileUri: url } })],
  ["Gemini clip without a type", gemini({ file_data: { file_uri: "https://youtube.example/watch?v=1" } })],
  ["Gemini text by address", gemini({ fileData: { mimeType: "text/plain", fileUri: url } })],
  ["Gemini sound, inline", gemini({ inlineData: { mimeType: "audio/flac", data } })],
  ["Responses file by address", responses({ type: "input_file", file_url: url })],
  ["Responses file by id", responses({ type: "input_file", file_id: "file-1" })],
  ["Responses file, inline", responses({ type: "input_file", filename: "a.pdf", file_data: data })],
  ["Responses sound", responses({ type: "input_audio", input_audio: { data, format: "mp3" } })],
  [
    "a PDF that calls itself text",
    anthropic("document", {
      type: "base64",
      media_type: "text/plain",
      data: Buffer.from(`\n%PDF-1.7\n${data}`).toString("base64"),
    }),
  ],
  [
    "packed data that calls itself text",
    responses({
      type: "input_file",
      file_data: `data:text/plain;base64,${Buffer.from("PK\u0003\u0004\u0014\0 …").toString("base64")}`,
    }),
  ],
];

/** Text that stands where a medium could: providers read all of it, so that it must be held for. */
const words: [name: string, body: object][] = [
  ["a message", { messages: [{ role: "user", content: data }] }],
  [
    "an Anthropic document of plain text",
    anthropic("document", { type: "text", media_type: "text/plain", data }),
  ],
  ["one of text in base64", anthropic("document", { type: "base64", media_type: "text/csv", data })],
  ["one of blocks", anthropic("document", { type: "content", content: [{ type: "text", text: data }] })],
  [
    "what an Anthropic tool is called with",
    openai({ type: "tool_use", id: "a", name: "write", input: { file: { text: data } } }),
  ],
  [
    "what a Gemini function is called with",
    gemini({ functionCall: { name: "write", args: { file: { text: data } } } }),
  ],
  [
    "what a Gemini function answers",
    gemini({ functionResponse: { name: "read", response: { source: { text: data } } } }),
  ],
  ["a Gemini text file", gemini({ inlineData: { mimeType: "text/plain", data } })],
  [
    "a text file as a data URL",
    responses({ type: "input_file", file_data: `data:text/plain;base64,${data}` }),
  ],
  [
    "a text file as OpenAI's",
    openai({ type: "file", file: { file_data: `data:application/json;base64,${data}` } }),
  ],
  [
    "a tool's description",
    { messages: [], tools: [{ type: "function", parameters: { properties: { file: { title: data } } } }] },
  ],
  [
    "a file that an answer has named",
    {
      input: [
        {
          role: "assistant",
          content: [
            { type: "output_text", text: data, annotations: [{ type: "file_citation", file_id: "file-1" }] },
          ],
        },
      ],
    },
  ],
];

describe("what a request brings", () => {
  test.each(pictures)("a picture: %s", (_, body) => {
    const size = measured(body);
    expect(size).toMatchObject({ pictures: 1, files: 0 });
    expect(size.text_bytes).toBeLessThan(250);
    expect(inputTokensMax(size, room)).toBeLessThan(room.picture_tokens + 320);
  });

  test.each(files)("a file: %s", (_, body) => {
    const size = measured(body);
    expect(size).toMatchObject({ pictures: 0, files: 1 });
    expect(inputTokensMax(size, room)).toBe(room.context_tokens);
  });

  test.each(words)("%s is text and counts its bytes", (_, body) => {
    const bytes = JSON.stringify(body).length;
    expect(measureInput(body, bytes)).toEqual({ text_bytes: bytes, pictures: 0, files: 0 });
  });

  test("no member beside its data is taken for a medium's", () => {
    const body = anthropic("image", { type: "base64", media_type: "image/png", data: "AAAA", title: data });
    const bytes = JSON.stringify(body).length;
    expect(measureInput(body, bytes).text_bytes).toBe(bytes - 4);
  });
});

describe("input that is not in the body may fill the context", () => {
  const hello = { messages: [{ role: "user", content: "Hello" }] };
  test.each([
    ["an item that is stored", { input: [{ type: "item_reference", id: "msg_1" }] }],
    ["one by its id alone", { input: [{ id: "msg_1" }] }],
    ["reasoning that is stored", { input: [{ type: "reasoning", id: "rs_1", summary: [] }] }],
    ["a search of Anthropic's", { ...hello, tools: [{ type: "web_search_20250305", name: "web_search" }] }],
    [
      "a page that Anthropic fetches",
      { ...hello, tools: [{ type: "web_fetch_20250910", name: "web_fetch" }] },
    ],
    ["a server of tools", { ...hello, mcp_servers: [{ type: "url", url }] }],
    ["a search of Responses", { input: "Hi", tools: [{ type: "web_search" }] }],
    ["a search in files", { input: "Hi", tools: [{ type: "function", name: "f" }, { type: "file_search" }] }],
    ["a search of OpenAI's chat", { ...hello, web_search_options: {} }],
    ["pages that Gemini reads", { contents: [], tools: [{ functionDeclarations: [] }, { urlContext: {} }] }],
    ["the same in the other spelling", { contents: [], tools: [{ google_search: {}, name: "f" }] }],
  ])("%s", (_, body) => {
    expect(inputTokensMax(measured(body), room)).toBe(room.context_tokens);
  });

  test.each([
    ["functions", { ...hello, tools: [{ type: "function", function: { name: "f" } }] }],
    ["Anthropic's own form of them", { ...hello, tools: [{ name: "f", input_schema: {} }] }],
    ["Anthropic's tools that a client runs", { ...hello, tools: [{ type: "bash_20250124", name: "bash" }] }],
    ["Gemini's", { contents: [], tools: [{ functionDeclarations: [{ name: "f" }] }] }],
    ["turns with ids", { input: [{ type: "message", role: "assistant", id: "msg_1", content: [] }] }],
    ["reasoning that comes back", { input: [{ type: "reasoning", id: "rs_1", encrypted_content: "abc" }] }],
  ])("not so %s", (_, body) => {
    expect(inputTokensMax(measured(body), room)).toBeLessThan(300);
  });

  test("nor in an earlier answer", () => {
    const call = { ...plainCall, unseen_input: true };
    expect(inputTokensMax({ text_bytes: 10, pictures: 0, files: 0 }, room, call)).toBe(1_000_000);
  });
});

describe("windows", () => {
  const size = { text_bytes: 300, pictures: 0, files: 0 };
  test("reserve media at most a part of the minute, and likely pictures", () => {
    expect(inputTokensReserved({ ...size, files: 3 }, room, 5_000)).toBe(5_100);
    expect(inputTokensReserved({ ...size, pictures: 1 }, room, 5_000)).toBe(100 + limits.mediaTokens);
    expect(inputTokensReserved({ ...size, pictures: 9 }, room, 5_000)).toBe(5_100);
    expect(inputTokensReserved({ ...size, files: 1 }, { ...room, file_tokens: 700 }, 5_000)).toBe(800);
    expect(inputTokensReserved(size, room, 5_000)).toBe(100);
    expect(inputTokensReserved({ ...size, files: 1 }, room, Number.POSITIVE_INFINITY)).toBe(1_000_000);
  });
});

test("an unlimited room, as embeddings have, is bounded by what each input can be", () => {
  const embeddings = {
    ...room,
    context_tokens: 8_000,
    file_tokens: 8_000,
    call_tokens: Number.POSITIVE_INFINITY,
  };
  const size = { text_bytes: 36, pictures: 1, files: 2, provider_tools: true as const };
  expect(inputTokensMax(size, embeddings)).toBe(100 + 5_000 + 16_000 + 8_000);
});

test("the guess, which windows and calls without a report go by, is no bound", () => {
  expect(inputTokensGuess({ text_bytes: 30, pictures: 1, files: 1 }, 1_000_000)).toBe(10 + 2 * 4_096);
});

test("no bound is above the model's own", () => {
  const small = { ...room, call_tokens: 1_000 };
  expect(inputTokensMax({ text_bytes: 10_000_000, pictures: 0, files: 0 }, small)).toBe(1_000);
  expect(outputTokensMax({ ...plainCall, max_output_tokens: 9_000, choices: 2 }, 4_000)).toBe(8_000);
  expect(outputTokensMax(plainCall, 4_000)).toBe(4_000);
});

test("a third of the bytes is the guess, rounded up", () => {
  expect([tokensGuess(0), tokensGuess(1), tokensGuess(9)]).toEqual([0, 1, 3]);
});
