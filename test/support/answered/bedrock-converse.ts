/** Answers of Bedrock's Converse (protocols.md §8.2, §8.3). */
import { type Counts, callsIn, finished, frame, type Json, pieces, type Said, type Vendor } from "./said.ts";

/**
 * Parts in any order. There is no refusal beside an answer and no pause. Calls that were not finished are there in
 * streams only, and only the last one of an answer. No reasoning is counted.
 */
function within({ refusal: _, ...said }: Said, streamed: boolean): Said {
  const parts = said.parts.map((part, at) => {
    if (part.kind !== "call") return part;
    const { signature: __, ...call } = part;
    const id = call.id.replace(/[^a-zA-Z0-9_-]/g, "_");
    return { ...(streamed && at === said.parts.length - 1 ? call : finished(call)), id };
  });
  const { counts } = said;
  const { reasoned: ___, ...counted } = counts ?? ({} as Counts);
  return {
    ...said,
    id: "",
    parts,
    why: said.why === "paused" ? "done" : said.why,
    ...(counts && { counts: counted }),
  };
}

function stopOf(said: Said): string {
  const { why, odd } = said;
  const reasons: Record<Said["why"], string> = {
    done: callsIn(said).length > 0 ? "tool_use" : "end_turn",
    sequence: "stop_sequence",
    length: odd.extras ? "model_context_window_exceeded" : "max_tokens",
    filtered: odd.extras ? "guardrail_intervened" : "content_filtered",
    paused: "end_turn",
  };
  return reasons[why];
}

function usageOf({ fresh, cached, stored, output }: Counts, { odd }: Said): Json {
  return {
    inputTokens: fresh,
    outputTokens: output,
    totalTokens: fresh + cached + stored + output,
    ...(!(odd.bare && cached + stored === 0) && {
      cacheReadInputTokens: cached,
      cacheWriteInputTokens: stored,
    }),
    ...(odd.extras && { cacheDetails: stored > 0 ? [{ ttl: "5m", inputTokens: stored }] : [] }),
  };
}

/** What stands beside the usage. */
const more = ({ odd }: Said): Json => ({
  metrics: { latencyMs: 900 },
  ...(odd.extras && {
    serviceTier: { type: "default" },
    performanceConfig: { latency: "standard" },
    trace: { promptRouter: { invokedModelId: "arn:aws:bedrock:us-east-1::foundation-model/x.y" } },
  }),
});

function blockOf(part: Said["parts"][number], names: readonly string[], { odd }: Said): Json {
  switch (part.kind) {
    case "text":
      return odd.together
        ? { citationsContent: { content: [{ text: part.text }], citations: [] } }
        : { text: part.text };
    case "thought":
      return {
        reasoningContent: part.redacted
          ? { redactedContent: part.signature }
          : { reasoningText: { text: part.text, ...(part.signature && { signature: part.signature }) } },
      };
    case "call": {
      const { id: toolUseId, tool, args } = part;
      return { toolUse: { toolUseId, name: names[tool], input: JSON.parse(args) as unknown } };
    }
  }
}

function whole(said: Said, names: readonly string[]): Json {
  const { counts, odd } = said;
  const later = odd.extras ? [{ someLaterBlock: { text: "?" } }] : [];
  return {
    output: {
      message: {
        role: "assistant",
        content: [...later, ...said.parts.map((part) => blockOf(part, names, said))],
      },
    },
    stopReason: stopOf(said),
    ...(counts && { usage: usageOf(counts, said) }),
    ...more(said),
    ...(odd.nulls && { additionalModelResponseFields: null }),
  };
}

/** The event that opens a block, which only calls have, and the deltas that fill it. */
function opened(part: Said["parts"][number], names: readonly string[], { odd }: Said): [Json[], Json[]] {
  if (part.kind === "text") {
    const cited = odd.extras
      ? [{ citation: { title: "Page", location: { web: { url: "https://a.example" } } } }]
      : [];
    return [[], [...pieces(part.text, odd.piece).map((text) => ({ text })), ...cited]];
  }
  if (part.kind === "thought") {
    const { signature, redacted, text } = part;
    if (redacted) return [[], [{ reasoningContent: { redactedContent: signature } }]];
    const told = pieces(text, odd.piece).map((piece) => ({ reasoningContent: { text: piece } }));
    return [[], signature ? [...told, { reasoningContent: { signature } }] : told];
  }
  const texts = part.args === "{}" && odd.bare ? [] : ["", ...pieces(part.args, odd.piece * 2)];
  return [
    [{ toolUse: { toolUseId: part.id, name: names[part.tool] } }],
    texts.map((input) => ({ toolUse: { input } })),
  ];
}

function frames(said: Said, names: readonly string[]): string[] {
  const { counts, odd } = said;
  const blocks = said.parts.flatMap((part, contentBlockIndex): [string, Json][] => {
    const [starts, deltas] = opened(part, names, said);
    return [
      ...starts.map((start): [string, Json] => ["contentBlockStart", { contentBlockIndex, start }]),
      ...deltas.map((delta): [string, Json] => ["contentBlockDelta", { contentBlockIndex, delta }]),
      ["contentBlockStop", { contentBlockIndex }],
    ];
  });
  const events: [string, Json][] = [
    ["messageStart", { role: "assistant" }],
    ...(odd.extras ? ([["someLaterEvent", { contentBlockIndex: 0 }]] satisfies [string, Json][]) : []),
    ...blocks,
    ["messageStop", { stopReason: stopOf(said) }],
    ["metadata", { ...(counts && { usage: usageOf(counts, said) }), ...more(said) }],
  ];
  // AWS pads each payload, so that its length does not tell what the model says.
  return events.map(([name, event], at) => frame(odd, { ...event, p: "abcdefghij".slice(at % 9) }, name));
}

export const bedrockConverse: Vendor = { within, whole, frames };
