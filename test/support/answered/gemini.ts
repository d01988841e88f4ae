/** Answers of Gemini (protocols.md §3.2, §3.4). */
import { type Counts, callsIn, finished, frame, type Json, pieces, type Said, type Vendor } from "./said.ts";

/** Signed or not, in any order. A prompt that is refused has no candidates, and a call is always whole. */
function within(said: Said): Said {
  const { counts, refusal, odd } = said;
  const parts = said.parts.flatMap((part): Said["parts"] => {
    if (part.kind === "call") return [finished(part)];
    // Google keeps nothing back in a part of its own. It signs a text with an empty part.
    if (part.kind !== "thought" || !part.redacted) return [part];
    return [];
  });
  const why =
    refusal !== undefined ? "filtered" : ["paused", "sequence"].includes(said.why) ? "done" : said.why;
  return {
    ...said,
    parts: refusal !== undefined && odd.together ? [] : parts,
    why,
    ...(counts && { counts: { ...counts, stored: 0 } }),
  };
}

const filters = ["SAFETY", "RECITATION", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII"];

function reasonOf({ why, odd, id }: Said): string {
  if (why === "filtered") return filters[id.length % filters.length] ?? "SAFETY";
  if (why === "length") return "MAX_TOKENS";
  return odd.woven && odd.extras ? "FINISH_REASON_UNSPECIFIED" : "STOP";
}

function usageOf({ fresh, cached, output, reasoned }: Counts, { odd }: Said): Json {
  const thoughts = reasoned ?? 0;
  const answer = output - thoughts;
  return {
    promptTokenCount: fresh + cached,
    ...(cached > 0 && { cachedContentTokenCount: cached }),
    // Google leaves zeros out.
    ...((answer > 0 || !odd.bare) && { candidatesTokenCount: answer }),
    ...(reasoned !== undefined && { thoughtsTokenCount: thoughts }),
    totalTokenCount: fresh + cached + output,
    ...(odd.extras && { promptTokensDetails: [{ modality: "TEXT", tokenCount: fresh + cached }] }),
  };
}

function partOf(part: Said["parts"][number], names: readonly string[], { odd }: Said): Json {
  if (part.kind === "text") return { text: part.text, ...(odd.nulls && { thought: false }) };
  const signed = part.signature === undefined ? {} : { thoughtSignature: part.signature };
  if (part.kind === "thought")
    return { text: part.text, ...(part.text !== "" && { thought: true }), ...signed };
  const { id, tool, args } = part;
  const given = args === "{}" && odd.bare ? {} : { args: JSON.parse(args) as unknown };
  return { functionCall: { ...(!odd.nulls && { id }), name: names[tool], ...given }, ...signed };
}

const origin = ({ id, odd }: Said): Json => ({
  modelVersion: "upstream-001",
  responseId: id,
  ...(odd.extras && { createTime: "2026-11-28T10:00:00.123Z" }),
});

const isBlocked = ({ refusal, odd }: Said): boolean => refusal !== undefined && odd.together;

function blocked(said: Said): Json {
  const { refusal, counts } = said;
  return {
    promptFeedback: { blockReason: "PROHIBITED_CONTENT", blockReasonMessage: refusal },
    ...(counts && { usageMetadata: usageOf({ ...counts }, said) }),
    ...origin(said),
  };
}

function ending(said: Said): Json {
  const { odd, refusal } = said;
  return {
    finishReason: reasonOf(said),
    ...(refusal !== undefined && { finishMessage: refusal }),
    ...(odd.extras && { safetyRatings: [], avgLogprobs: -0.1 }),
  };
}

function contentOf(parts: Json[], { odd }: Said): Json {
  if (parts.length === 0 && odd.bare) return odd.nulls ? {} : { content: { role: "model" } };
  return { content: { role: "model", parts } };
}

function whole(said: Said, names: readonly string[]): Json {
  const { counts, odd } = said;
  if (isBlocked(said)) return blocked(said);
  const parts = said.parts.map((part) => partOf(part, names, said));
  const candidate = { ...contentOf(parts, said), ...ending(said), ...(!odd.bare && { index: 0 }) };
  const other = { content: { role: "model", parts: [{ text: "Another" }] }, finishReason: "STOP", index: 1 };
  return {
    candidates: odd.second ? [candidate, other] : [candidate],
    ...(counts && { usageMetadata: usageOf(counts, said) }),
    ...origin(said),
  };
}

/** The parts of each chunk: texts come in pieces, of which the last is signed. */
function chunksOf(said: Said, names: readonly string[]): Json[][] {
  const { odd } = said;
  const each = said.parts.flatMap((part): Json[] => {
    if (part.kind === "call" || part.text === "") return [partOf(part, names, said)];
    const cut = pieces(part.text, odd.piece * 3);
    return cut.map((text, at) => {
      const { thoughtSignature: by, ...rest } = partOf({ ...part, text }, names, said);
      return at === cut.length - 1 && by !== undefined ? { ...rest, thoughtSignature: by } : rest;
    });
  });
  return odd.together ? (each.length > 0 ? [each] : []) : each.map((part) => [part]);
}

function frames(said: Said, names: readonly string[]): string[] {
  const { counts, odd } = said;
  if (isBlocked(said)) return [frame(odd, blocked(said))];
  const at = odd.bare ? {} : { index: 0 };
  const chunks = chunksOf(said, names);
  const last = odd.woven && chunks.length > 0 ? (chunks.pop() ?? []) : odd.bare ? [] : [{ text: "" }];
  const running = (share: number) =>
    counts && {
      usageMetadata: usageOf(
        { ...counts, output: Math.floor(counts.output * share), ...rising(counts) },
        said,
      ),
    };
  const rising = ({ reasoned }: Counts) => (reasoned === undefined ? {} : { reasoned: 0 });
  const other = { candidates: [{ content: { parts: [{ text: "Another" }] }, index: 1 }], ...origin(said) };
  const told: Json[] = [
    ...chunks.map((parts, nth) => ({
      candidates: [{ content: { role: "model", parts }, ...at }],
      ...(!odd.nulls && running(nth / (chunks.length + 1))),
      ...origin(said),
    })),
    ...(odd.second ? [other] : []),
    {
      candidates: [{ ...contentOf(last, said), ...ending(said), ...at }],
      ...(counts && { usageMetadata: usageOf(counts, said) }),
      ...origin(said),
    },
  ];
  return told.map((chunk) => frame(odd, chunk));
}

export const gemini: Vendor = { within, whole, frames };
export const hasOwnIds = (said: Said): boolean => !said.odd.nulls || callsIn(said).length === 0;
