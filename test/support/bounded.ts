/** Requests and texts for tests of what vendors take. */
import fc from "fast-check";
import type { ChatRequest } from "#shared/calls/chat/request.ts";

/** A plain request in the neutral form, with more of it. */
export const plainRequest = (more: Partial<ChatRequest>): ChatRequest => ({
  system: [],
  messages: [{ role: "user", parts: [{ type: "text", text: "Hello" }] }],
  tools: [],
  stop: [],
  stream: false,
  ...more,
});

/** A text in pieces of these lengths, over and over. */
export function cut(text: string, lengths: readonly number[]): string[] {
  const pieces: string[] = [];
  for (let at = 0, turn = 0; at < text.length; turn++) {
    const length = lengths[turn % lengths.length] ?? 1;
    pieces.push(text.slice(at, at + length));
    at += length;
  }
  return pieces;
}

export const lengths = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });
