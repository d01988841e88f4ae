/** How the vendors' own SDKs ask one question that the cache may answer, whole and streamed. */
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import type { Speech } from "#test/support/crossed.ts";
import type { LocalGateway } from "#test/support/local.ts";

/** What a client's SDK gives: the text, and the counters of input and output. */
interface Told {
  text: string | null | undefined;
  counts: unknown[];
}

export type CachedClients = Record<
  Speech,
  { whole(model: string): Promise<Told>; streamed(model: string): Promise<Told> }
>;

/** How each client asks this question with these headers. */
export function cachedClients(
  gateway: Pick<LocalGateway, "url">,
  apiKey: string,
  { question, headers }: { question: string; headers: Record<string, string> },
): CachedClients {
  const messages = [{ role: "user" as const, content: question }];
  const openai = new OpenAI({ apiKey, baseURL: `${gateway.url}/v1`, defaultHeaders: headers });
  const anthropic = new Anthropic({ apiKey, baseURL: gateway.url, defaultHeaders: headers });
  const google = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: `${gateway.url}/api`, headers } });
  return {
    openai: {
      async whole(model) {
        const { choices, usage } = await openai.chat.completions.create({ model, messages });
        return {
          text: choices[0]?.message.content,
          counts: [usage?.prompt_tokens, usage?.completion_tokens],
        };
      },
      async streamed(model) {
        const asked = { model, messages, stream_options: { include_usage: true } };
        const { choices, usage } = await openai.chat.completions.stream(asked).finalChatCompletion();
        return {
          text: choices[0]?.message.content,
          counts: [usage?.prompt_tokens, usage?.completion_tokens],
        };
      },
    },
    responses: {
      async whole(model) {
        const asked = { model, input: question, store: false };
        const { output_text, usage } = await openai.responses.create(asked);
        return { text: output_text, counts: [usage?.input_tokens, usage?.output_tokens] };
      },
      async streamed(model) {
        const asked = { model, input: question, store: false };
        const { output_text, usage } = await openai.responses.stream(asked).finalResponse();
        return { text: output_text, counts: [usage?.input_tokens, usage?.output_tokens] };
      },
    },
    anthropic: {
      async whole(model) {
        const message = await anthropic.messages.create({ model, max_tokens: 100, messages });
        return toldBy(message);
      },
      async streamed(model) {
        return toldBy(await anthropic.messages.stream({ model, max_tokens: 100, messages }).finalMessage());
      },
    },
    gemini: {
      async whole(model) {
        const { text, usageMetadata } = await google.models.generateContent({
          model,
          contents: question,
        });
        return { text, counts: [usageMetadata?.promptTokenCount, usageMetadata?.candidatesTokenCount ?? 0] };
      },
      async streamed(model) {
        const asked = { model, contents: question };
        const chunks = await Array.fromAsync(await google.models.generateContentStream(asked));
        const usage = chunks.at(-1)?.usageMetadata;
        const text = chunks.map((chunk) => chunk.text ?? "").join("");
        return { text, counts: [usage?.promptTokenCount, usage?.candidatesTokenCount ?? 0] };
      },
    },
  };
}

function toldBy({ content, usage }: Anthropic.Message): Told {
  const text = content.map((block) => (block.type === "text" ? block.text : "")).join("");
  return { text, counts: [usage.input_tokens, usage.output_tokens] };
}
