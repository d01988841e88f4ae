/** Answers of Anthropic messages (protocols.md §2.2, §2.3). */
import {
  type Call,
  type Counts,
  callsIn,
  finished,
  frame,
  type Json,
  pieces,
  type Said,
  type Vendor,
} from "./said.ts";

/** Parts in any order. Calls that were not finished are there in streams only, and only the last one of an answer. */
function within(said: Said, streamed: boolean): Said {
  const parts = said.parts.map((part, at) => {
    if (part.kind !== "call") return part;
    const { signature: _, ...call } = part;
    const id = call.id.replace(/[^a-zA-Z0-9_-]/g, "_");
    return { ...(streamed && at === said.parts.length - 1 ? call : finished(call)), id };
  });
  const { refusal } = said;
  const called = parts.some(({ kind }) => kind === "call");
  const why = refusal !== undefined ? "filtered" : called && said.why === "paused" ? "done" : said.why;
  return { ...said, parts, why };
}

function ending(said: Said): Json {
  const { why, refusal, odd } = said;
  const stop_reason = {
    done: callsIn(said).length > 0 ? "tool_use" : "end_turn",
    sequence: "stop_sequence",
    length: odd.extras ? "model_context_window_exceeded" : "max_tokens",
    filtered: "refusal",
    paused: "pause_turn",
  }[why];
  const told = refusal === undefined ? null : { type: "refusal", category: "cyber", explanation: refusal };
  return {
    stop_reason,
    stop_sequence: why === "sequence" ? "END" : null,
    ...((told || odd.nulls) && { stop_details: told }),
  };
}

function usageOf({ fresh, cached, stored, output, reasoned }: Counts, { odd }: Said): Json {
  const count = (given: number) => (given === 0 && odd.nulls ? null : given);
  return {
    input_tokens: fresh,
    ...(!(odd.bare && cached + stored === 0) && {
      cache_creation_input_tokens: count(stored),
      cache_read_input_tokens: count(cached),
    }),
    output_tokens: output,
    ...(odd.extras && {
      cache_creation: { ephemeral_5m_input_tokens: stored, ephemeral_1h_input_tokens: 0 },
      server_tool_use: null,
      service_tier: "standard",
      inference_geo: "global",
    }),
    ...(reasoned !== undefined && { output_tokens_details: { thinking_tokens: reasoned } }),
  };
}

function blockOf(part: Said["parts"][number], names: readonly string[], { odd }: Said): Json {
  switch (part.kind) {
    case "text":
      return { type: "text", text: part.text, ...(odd.nulls && { citations: null }) };
    case "thought":
      return part.redacted
        ? { type: "redacted_thinking", data: part.signature }
        : { type: "thinking", thinking: part.text, signature: part.signature ?? "" };
    case "call": {
      const { id, tool, args } = part;
      const by = odd.extras ? { caller: { type: "direct" } } : {};
      return { type: "tool_use", id, name: names[tool], input: JSON.parse(args) as unknown, ...by };
    }
  }
}

const head = ({ id }: Said): Json => ({
  id: `msg_${id}`,
  type: "message",
  role: "assistant",
  model: "upstream",
});

function whole(said: Said, names: readonly string[]): Json {
  const { counts, odd } = said;
  return {
    ...head(said),
    content: said.parts.map((part) => blockOf(part, names, said)),
    ...ending(said),
    ...(counts && { usage: usageOf(counts, said) }),
    ...(odd.extras && { container: null, context_management: { applied_edits: [] } }),
  };
}

/** What opens a block, and the deltas that fill it. */
function opened(part: Said["parts"][number], names: readonly string[], said: Said): [Json, Json[]] {
  const { odd } = said;
  if (part.kind === "text") {
    const deltas = pieces(part.text, odd.piece).map((text) => ({ type: "text_delta", text }));
    const cited = odd.extras ? [{ type: "citations_delta", citation: { type: "page_location" } }] : [];
    return [{ ...blockOf(part, names, said), text: "" }, [...cited, ...deltas]];
  }
  if (part.kind === "thought") {
    const block = blockOf(part, names, said);
    if (part.redacted) return [block, []];
    const deltas = pieces(part.text, odd.piece).map((thinking) => ({ type: "thinking_delta", thinking }));
    const { signature } = part;
    const signed = signature === undefined ? [] : [{ type: "signature_delta", signature }];
    return [{ ...block, thinking: "", signature: "" }, [...deltas, ...signed]];
  }
  const block = { ...blockOf({ ...part, args: "{}" } satisfies Call, names, said) };
  const texts = part.args === "{}" && odd.bare ? [] : ["", ...pieces(part.args, odd.piece * 2)];
  return [block, texts.map((partial_json) => ({ type: "input_json_delta", partial_json }))];
}

function frames(said: Said, names: readonly string[]): string[] {
  const { counts, odd } = said;
  const usage = counts && usageOf(counts, said);
  const open = { content: [], stop_reason: null, stop_sequence: null };
  const start = { ...head(said), ...open, ...(usage && { usage: { ...usage, output_tokens: 1 } }) };
  const blocks = said.parts.flatMap((part, index): Json[] => {
    const [content_block, deltas] = opened(part, names, said);
    return [
      { type: "content_block_start", index, content_block },
      ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ];
  });
  const total = usage && (odd.bare ? { output_tokens: usage.output_tokens } : usage);
  const spoken = usage && { ...total, output_tokens_details: usage.output_tokens_details };
  const events: Json[] = [
    { type: "message_start", message: start },
    ...blocks,
    { type: "message_delta", delta: ending(said), usage: spoken ?? { output_tokens: 0 } },
    { type: "message_stop" },
  ];
  if (!usage) delete (events.at(-2) as Json).usage;
  const ping = { type: "ping" };
  const unknown = { type: "some_later_event", index: 0 };
  const told = events.flatMap((event, at) => [
    event,
    ...(odd.pings && at % 3 === 0 && event.type !== "message_stop" ? [ping] : []),
    ...(odd.extras && at === 0 ? [unknown] : []),
  ]);
  return told.map((event) => frame(odd, event, String(event.type)));
}

export const anthropic: Vendor = { within, whole, frames };
