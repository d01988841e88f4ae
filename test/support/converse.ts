/** Goldens of Bedrock's Converse, and its streams in pieces. */
import { readdirSync, readFileSync } from "node:fs";
import type { Traits } from "#shared/books/catalog/traits.ts";
import type { ChatMessage, ChatRequest, UserPart } from "#shared/calls/chat/request.ts";
import { converseCrossing } from "#shared/calls/protocols/bedrock-converse/converse.ts";
import { plainRequest } from "./bounded.ts";

type Json = Record<string, unknown>;

const root = new URL("../golden/bedrock-converse/", import.meta.url);

export function readGolden(path: string): Buffer {
  return readFileSync(new URL(path, root));
}

/** Names of the cases in a folder: files that end in `ending`, without it. */
export function casesIn(folder: string, ending: string): string[] {
  return readdirSync(new URL(`${folder}/`, root))
    .filter((file) => file.endsWith(ending))
    .map((file) => file.slice(0, -ending.length));
}

interface Written {
  /** The body as it is sent. */
  body: Json & {
    messages: { role: string; content: Json[] }[];
    inferenceConfig: Json;
    toolConfig?: { tools: Json[]; toolChoice?: Json };
    additionalModelRequestFields?: Json;
  };
  /** Neutral names of what was lost, also of what does not fit the model. */
  dropped: string[];
}

/** A neutral request as a body of Converse, made to fit a model with these traits. */
export function written(more: Partial<ChatRequest>, traits: Traits = {}, places_points?: boolean): Written {
  const target = {
    model: "m",
    output_tokens: 4_000,
    traits,
    ...(places_points !== undefined && { places_points }),
  };
  const encoded = converseCrossing.encodeRequest(plainRequest(more), target);
  const fitted = converseCrossing.fitRequest(encoded.body, traits);
  const lost = fitted.changes.flatMap(({ neutral }) => neutral ?? []);
  return {
    body: JSON.parse(JSON.stringify(fitted.body)) as Written["body"],
    dropped: [...encoded.dropped, ...lost].sort(),
  };
}

/** Parts of conversations: words, a call of the one tool, and its result. */
export const text = (words: string, cache?: true) =>
  ({ type: "text", text: words, ...(cache && { cache }) }) as const;
export const said = (...parts: UserPart[]): ChatMessage => ({ role: "user", parts });
export const call = { type: "tool_call", id: "a", name: "f", arguments: "{}" } as const;
export const answered: ChatMessage = { role: "assistant", parts: [call] };
export const result = (more: Partial<UserPart & { type: "tool_result" }> = {}): UserPart => ({
  type: "tool_result",
  call_id: "a",
  content: [text("sunny")],
  ...more,
});
export const tools: ChatRequest["tools"] = [{ name: "f" }];
