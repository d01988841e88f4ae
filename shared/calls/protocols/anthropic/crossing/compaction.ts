/** Conversations that Anthropic has compacted. */
import { type Fields, isObject, objectsOf } from "../../../../base/json/fields.ts";

/** The turns from the last compaction on, whose summary opens the user's part. Anthropic reads nothing before it. */
export function compacted(turns: readonly unknown[]): readonly unknown[] {
  const at = turns.findLastIndex((turn) => blocksOf(turn).some(isSummary));
  if (at === -1) return turns;
  const blocks = blocksOf(turns[at]);
  const last = blocks.findLastIndex(isSummary);
  const summary = { role: "user", content: blocks[last]?.content };
  const rest = { ...(turns[at] as Fields), content: blocks.slice(last + 1) };
  return [summary, rest, ...turns.slice(at + 1)];
}

function blocksOf(turn: unknown): Fields[] {
  return isObject(turn) ? objectsOf(turn.content) : [];
}

/** A block without a summary is one that failed. */
function isSummary({ type, content }: Fields): boolean {
  return type === "compaction" && typeof content === "string";
}
