/** What a provider's cache can keep of a conversation: the part that is the same from one request to the next. */
import type { Json } from "#test/support/vendor-answers.ts";

/** A request as the pieces that a provider caches, in its order: tools, instructions, and each turn. */
export function piecesOf(body: Json): string[] {
  const turns = body.messages ?? body.input ?? body.contents;
  const instructions = body.system ?? body.instructions ?? body.systemInstruction;
  const list = Array.isArray(turns) ? turns : [turns];
  return [body.tools, instructions, ...list].map((piece) => JSON.stringify(piece ?? null, withoutMarks));
}

/** A mark of a cache says where a prefix ends. It is no part of it, and agents move it along. */
function withoutMarks(key: string, value: unknown): unknown {
  if (key === "cache_control") return undefined;
  // Claude Code's line of attribution, which no cache of Anthropic's has in its key.
  return typeof value === "string" && value.startsWith("x-anthropic-billing-header") ? "" : value;
}

/**
 * How many pieces of each request are at the beginning of the next one, as the first place that changes: -1 where all
 * of them are. A turn may get more content behind what it had.
 */
export function firstChange(bodies: readonly Json[]): number {
  for (const [at, body] of bodies.entries()) {
    const next = bodies[at + 1];
    if (!next) break;
    const [before, after] = [piecesOf(body), piecesOf(next)];
    const change = before.findIndex((piece, place) => piece !== after[place]);
    if (change >= 0) return change;
  }
  return -1;
}
