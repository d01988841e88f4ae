/** The SDKs whose exceptions are compared: how each makes a call, and which classes it throws. */
import { createOpenAI } from "@ai-sdk/openai";
import Anthropic from "@anthropic-ai/sdk";
import { ApiError, GoogleGenAI } from "@google/genai";
import { APICallError, generateText, streamText } from "ai";
import Anthropic0 from "anthropic-sdk-0";
import { ApiError as ApiError2, GoogleGenAI as GoogleGenAI2 } from "google-genai-2";
import OpenAI from "openai";
import OpenAI6 from "openai-6";
import { expect } from "vitest";
import { framesOf, type Speech } from "../support/crossed.ts";
import { delta, messageFrames } from "../support/scenario.ts";

/** One call. */
export interface Ask {
  url: string;
  key: string;
  model: string;
  content: string;
  stream: boolean;
  headers: Record<string, string>;
}
/** An SDK, and the classes of what it throws. */
export interface Sdk {
  speech: Speech;
  call(ask: Ask): Promise<unknown>;
  /** The class of a status, and of a failure that comes when the status is long gone. */
  thrown(status: number | undefined): new (...parameters: never[]) => unknown;
  /** Retries by itself; this SDK was told to do so once. */
  retries: boolean;
}

const drain = async (stream: AsyncIterable<unknown>) => {
  for await (const _ of stream);
};

const openai = (Client: typeof OpenAI): Sdk => ({
  speech: "openai",
  async call({ url, key, model, content, stream, headers }) {
    const client = new Client({
      apiKey: key,
      baseURL: `${url}/v1`,
      maxRetries: 1,
      defaultHeaders: headers,
    });
    const body = { model, messages: [{ role: "user" as const, content }] };
    if (stream) return await drain(await client.chat.completions.create({ ...body, stream: true }));
    return await client.chat.completions.create(body);
  },
  thrown: (status) => classOf(Client as never, status),
  retries: true,
});

const anthropic = (Client: typeof Anthropic): Sdk => ({
  speech: "anthropic",
  async call({ url, key, model, content, stream, headers }) {
    const client = new Client({ apiKey: key, baseURL: url, maxRetries: 1, defaultHeaders: headers });
    const body = { model, max_tokens: 100, messages: [{ role: "user" as const, content }] };
    if (stream) return await drain(await client.messages.create({ ...body, stream: true }));
    return await client.messages.create(body);
  },
  thrown: (status) => classOf(Client as never, status),
  retries: true,
});

/** Stainless' SDKs have a class for most statuses, each major for more of them. */
function classOf(Client: Record<string, never>, status: number | undefined) {
  const names: Record<number, string> = {
    400: "BadRequestError",
    401: "AuthenticationError",
    402: "PaymentRequiredError",
    403: "PermissionDeniedError",
    404: "NotFoundError",
    409: "ConflictError",
    413: "ContentTooLargeError",
    429: "RateLimitError",
    500: "InternalServerError",
  };
  return Client[names[status ?? 0] ?? ""] ?? (Client.APIError as never);
}

const google = (Client: typeof GoogleGenAI, Thrown: typeof ApiError): Sdk => ({
  speech: "gemini",
  async call({ url, key, model, content, stream, headers }) {
    const httpOptions = { baseUrl: `${url}/api`, headers };
    const { models } = new Client({ apiKey: key, httpOptions });
    if (stream) return await drain(await models.generateContentStream({ model, contents: content }));
    return await models.generateContent({ model, contents: content });
  },
  thrown: () => Thrown as never,
  retries: false,
});

export const vercel: Sdk = {
  speech: "openai",
  async call({ url, key, model, content, stream, headers }) {
    const chat = createOpenAI({ apiKey: key, baseURL: `${url}/v1`, headers }).chat(model);
    if (!stream) return await generateText({ model: chat, prompt: content, maxRetries: 0 });
    for await (const part of streamText({ model: chat, prompt: content, onError: () => {} }).fullStream) {
      if (part.type === "error") throw part.error;
    }
    return undefined;
  },
  thrown: (status) => (status === undefined ? Object : APICallError) as never,
  retries: false,
};

/** Every SDK of JavaScript. */
export const sdks: [name: string, sdk: Sdk][] = [
  ["openai 7", openai(OpenAI)],
  ["openai 6", openai(OpenAI6 as unknown as typeof OpenAI)],
  ["@anthropic-ai/sdk 1", anthropic(Anthropic)],
  ["@anthropic-ai/sdk 0", anthropic(Anthropic0 as unknown as typeof Anthropic)],
  ["@google/genai 3", google(GoogleGenAI, ApiError)],
  ["@google/genai 2", google(GoogleGenAI2 as never, ApiError2 as never)],
  ["ai 7", vercel],
];

/**
 * What a provider of each protocol says of a prompt that is too long, and where its SDK shows what people branch on.
 */
export const tooLong: Record<Speech, { body: object; shown: object }> = {
  openai: {
    body: {
      error: {
        message: "Too long.",
        type: "invalid_request_error",
        param: "messages",
        code: "context_length_exceeded",
      },
    },
    shown: { code: "context_length_exceeded", param: "messages", type: "invalid_request_error" },
  },
  anthropic: {
    body: {
      type: "error",
      error: { type: "invalid_request_error", message: "prompt is too long: 5 tokens > 4 maximum" },
    },
    shown: { message: expect.stringContaining("prompt is too long: 5 tokens > 4 maximum") },
  },
  gemini: {
    body: { error: { code: 400, message: "The input token count (5) exceeds", status: "INVALID_ARGUMENT" } },
    shown: {
      message: expect.stringMatching(/The input token count \(5\) exceeds.*"status":"INVALID_ARGUMENT"/s),
    },
  },
  responses: { body: {}, shown: {} },
};

/** What a provider of each protocol sends before it breaks off. */
export const broken: Record<Speech, string[]> = {
  openai: [delta("Hi")],
  anthropic: messageFrames,
  gemini: framesOf("gemini", [{ candidates: [{ content: { parts: [{ text: "Hi" }] } }] }]),
  responses: [],
};
