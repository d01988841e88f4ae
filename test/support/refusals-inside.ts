/** Refusals of requests inside of a 200, as each protocol's providers send them, and how their streams begin. */
import { expect } from "vitest";
import type { Speech } from "./crossed.ts";

type Json = Record<string, unknown>;

export interface Refusal {
  name: string;
  /** The frame, or the body of a whole answer. */
  event: Json;
  /** What a client of OpenAI is told. */
  code: string;
  /** Where its providers do not say it. */
  not?: "later";
  /** How the message begins that a client of Anthropic is told. */
  says?: unknown;
}

/** What a stream brings before it is refused. */
export const begun: Record<Speech, Json[]> = {
  openai: [{ id: "c", choices: [{ index: 0, delta: { role: "assistant", content: "Hi" } }] }],
  anthropic: [
    {
      type: "message_start",
      message: {
        id: "m",
        type: "message",
        role: "assistant",
        content: [],
        usage: { input_tokens: 10, output_tokens: 1 },
      },
    },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi" } },
  ],
  gemini: [{ candidates: [{ content: { role: "model", parts: [{ text: "Hi" }] } }] }],
  responses: [
    {
      type: "response.created",
      sequence_number: 0,
      response: { id: "resp_1", object: "response", status: "in_progress", created_at: 1, output: [] },
    },
  ],
};

const begins = (text: string): unknown => expect.stringMatching(new RegExp(`^${text}`));
const tooLong = { code: "context_length_exceeded", says: begins("prompt is too long") };
const filtered = { code: "content_filter", says: begins("Output blocked by content filtering policy") };
const picture = { code: "image_parse_error", says: begins("Could not process image") };
const openai = (message: string, code: string | number | null, type = "invalid_request_error"): Json => ({
  error: { message, type, code, param: null },
});
const anthropic = (message: string, type = "invalid_request_error"): Json => ({
  type: "error",
  error: { type, message },
});
const gemini = (message: string, status = "INVALID_ARGUMENT"): Json => ({
  error: { code: 400, message, status },
});
const failed = (code: string, message: string): Json => ({
  type: "response.failed",
  sequence_number: 1,
  response: { id: "resp_1", object: "response", status: "failed", output: [], error: { code, message } },
});
const exceeds = "Your input exceeds the context window of this model.";

export const refusals: Record<Speech, Refusal[]> = {
  openai: [
    { name: "a long context", event: openai(exceeds, "context_length_exceeded"), ...tooLong },
    {
      name: "OpenRouter's of a long context",
      event: openai("This endpoint's maximum context length is 8 tokens. However, you requested", 400),
      ...tooLong,
    },
    {
      name: "vLLM's of a long context",
      event: {
        object: "error",
        message: "This model's maximum context length is 8 tokens. However, you requested 9 tokens",
        type: "BadRequestError",
        code: 400,
      },
      not: "later",
      ...tooLong,
    },
    { name: "a filter", event: openai("It was filtered.", "content_filter"), ...filtered },
    { name: "a picture", event: openai("No picture.", "image_parse_error"), ...picture },
  ],
  anthropic: [
    { name: "a long context", event: anthropic("prompt is too long: 9 tokens > 8 maximum"), ...tooLong },
    { name: "a filter", event: anthropic("Output blocked by content filtering policy"), ...filtered },
    { name: "a picture", event: anthropic("Could not process image"), ...picture },
  ],
  gemini: [
    {
      name: "a long context",
      event: gemini("The input token count (9) exceeds the maximum number of tokens allowed (8)."),
      ...tooLong,
    },
    { name: "a picture", event: gemini("Unable to process input image. Please retry."), ...picture },
  ],
  responses: [
    { name: "a long context", event: failed("context_length_exceeded", exceeds), ...tooLong },
    {
      name: "a flat error",
      event: { type: "error", sequence_number: 1, code: "context_length_exceeded", message: exceeds },
      ...tooLong,
    },
    {
      name: "a nested error",
      event: { type: "error", ...openai(exceeds, "context_length_exceeded") },
      ...tooLong,
    },
    {
      name: "a prompt that was flagged",
      event: failed("invalid_prompt", "Invalid prompt: your prompt was flagged."),
      code: "invalid_prompt",
      says: expect.stringContaining("your prompt was flagged"),
    },
    { name: "a picture", event: failed("image_parse_error", "No picture."), ...picture },
    ...["image_too_large", "empty_image_file", "invalid_base64_image"].map((code) => ({
      name: `a picture, ${code}`,
      event: failed(code, "No picture."),
      code,
      says: picture.says,
    })),
    ...["image_content_policy_violation", "cyber_policy", "bio_policy"].map((code) => ({
      name: `a filter, ${code}`,
      event: failed(code, "Not that."),
      code,
      says: filtered.says,
    })),
  ],
};
