/** Answers of OpenAI Responses (protocols.md §1.6). */
import {
  type Call,
  type Counts,
  frame,
  type Json,
  pieces,
  type Said,
  type Thought,
  type Vendor,
  type Words,
  woven,
} from "./said.ts";

/** Items in any order. A refusal is the last content of the answer, and stands in place of calls. */
function within(said: Said): Said {
  const { counts, refusal, odd } = said;
  const parts = said.parts.flatMap((part): Said["parts"] => {
    if (part.kind === "thought") return part.text === "" && !part.signature ? [] : [redacted(part)];
    if (part.kind === "text") return [part];
    const { signature: _, ...call } = part;
    return refusal === undefined ? [call] : [];
  });
  return {
    ...said,
    parts,
    why: ["paused", "sequence"].includes(said.why) ? "done" : said.why,
    ...(counts && { counts: odd.extras ? counts : { ...counts, stored: 0 } }),
  };
}

/** Reasoning without a summary is only there in its encrypted form. */
function redacted(part: Thought): Thought {
  return part.text === "" ? { ...part, redacted: true } : part;
}

function usageOf({ fresh, cached, stored, output, reasoned }: Counts, { odd }: Said): Json {
  const input_tokens = fresh + cached + stored;
  const details = { cached_tokens: cached, ...(stored > 0 && { cache_write_tokens: stored }) };
  return {
    input_tokens,
    ...(!(odd.bare && cached + stored === 0) && { input_tokens_details: details }),
    output_tokens: output,
    ...(reasoned !== undefined && { output_tokens_details: { reasoning_tokens: reasoned } }),
    total_tokens: input_tokens + output,
  };
}

interface Item {
  item: Json;
  /** The item as it opens, and the events that fill it. */
  opened: Json;
  events: Json[];
}

const textPart = (text: string): Json => ({ type: "output_text", text, annotations: [], logprobs: [] });

function messageItem(id: string, contents: Json[], { odd }: Said): Item {
  const item = {
    id,
    type: "message",
    status: "completed",
    role: "assistant",
    ...(odd.extras && { phase: "final_answer" }),
  };
  const events = contents.flatMap((part, content_index): Json[] => {
    const isText = part.type === "output_text";
    const said = String(isText ? part.text : part.refusal);
    const kind = isText ? "output_text" : "refusal";
    const place = { item_id: id, content_index };
    const empty = isText ? textPart("") : { type: "refusal", refusal: "" };
    return [
      { type: "response.content_part.added", ...place, part: empty },
      ...pieces(said, odd.piece).map((delta) => ({
        type: `response.${kind}.delta`,
        ...place,
        delta,
        ...(isText && { logprobs: [] }),
        ...(odd.extras && { obfuscation: "x" }),
      })),
      {
        type: `response.${kind}.done`,
        ...place,
        ...(isText ? { text: said, logprobs: [] } : { refusal: said }),
      },
      { type: "response.content_part.done", ...place, part },
    ];
  });
  return {
    item: { ...item, content: contents },
    opened: { ...item, status: "in_progress", content: [] },
    events,
  };
}

function thoughtItem(id: string, part: Thought, { odd }: Said): Item {
  const texts = part.text === "" ? [] : part.text.split("\n\n");
  const signed =
    part.signature === undefined
      ? odd.nulls
        ? { encrypted_content: null }
        : {}
      : { encrypted_content: part.signature };
  const events = texts.flatMap((text, summary_index): Json[] => {
    const place = { item_id: id, summary_index };
    return [
      { type: "response.reasoning_summary_part.added", ...place, part: { type: "summary_text", text: "" } },
      ...pieces(text, odd.piece).map((delta) => ({
        type: "response.reasoning_summary_text.delta",
        ...place,
        delta,
      })),
      { type: "response.reasoning_summary_text.done", ...place, text },
      { type: "response.reasoning_summary_part.done", ...place, part: { type: "summary_text", text } },
    ];
  });
  const summary = texts.map((text) => ({ type: "summary_text", text }));
  return {
    item: { id, type: "reasoning", summary, ...signed },
    opened: { id, type: "reasoning", summary: [], ...signed },
    events,
  };
}

function callItem(
  id: string,
  { id: call_id, args, tool }: Call,
  names: readonly string[],
  { odd }: Said,
): Item {
  const named = { id, type: "function_call", call_id, name: names[tool] };
  const done = {
    type: "response.function_call_arguments.done",
    item_id: id,
    name: names[tool],
    arguments: args,
  };
  const deltas = pieces(args, odd.piece * 2).map((delta) => ({
    type: "response.function_call_arguments.delta",
    item_id: id,
    delta,
  }));
  return {
    item: { ...named, status: "completed", arguments: args },
    opened: { ...named, status: "in_progress", arguments: "" },
    events: odd.bare ? [done] : [...deltas, done],
  };
}

/** Neighbouring words are contents of one message, or messages of their own. */
function itemsOf(said: Said, names: readonly string[]): Item[] {
  const { id, odd, refusal, parts } = said;
  const groups: (Thought | Call | Json[])[] = [];
  const speak = (content: Json): void => {
    const last = groups.at(-1);
    if (Array.isArray(last) && !odd.woven) last.push(content);
    else groups.push([content]);
  };
  for (const part of parts) {
    if (part.kind === "text") speak(textPart((part satisfies Words).text));
    else groups.push(part);
  }
  if (refusal !== undefined) speak({ type: "refusal", refusal });
  return groups.map((group, at) => {
    if (Array.isArray(group)) return messageItem(`msg_${id}_${at}`, group, said);
    if (group.kind === "thought") return thoughtItem(`rs_${id}_${at}`, group, said);
    return callItem(`fc_${id}_${at}`, group, names, said);
  });
}

function response(said: Said, changing: Json): Json {
  const { id, odd } = said;
  return {
    id: `resp_${id}`,
    object: "response",
    created_at: 1_764_000_000,
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    model: "upstream",
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: "auto",
    tools: [],
    top_p: 1,
    usage: null,
    ...(odd.extras && {
      service_tier: "default",
      prompt_cache_key: null,
      safety_identifier: null,
      billing: {},
    }),
    ...changing,
  };
}

function ended(said: Said, output: Json[]): Json {
  const { why, counts } = said;
  const reason = why === "length" ? "max_output_tokens" : why === "filtered" ? "content_filter" : undefined;
  return response(said, {
    status: reason ? "incomplete" : "completed",
    incomplete_details: reason ? { reason } : null,
    output,
    usage: counts ? usageOf(counts, said) : null,
  });
}

function whole(said: Said, names: readonly string[]): Json {
  return ended(
    said,
    itemsOf(said, names).map(({ item }) => item),
  );
}

/** Calls that follow each other may fill side by side. */
function itemEvents(items: Item[], { odd }: Said): Json[] {
  const lists = items.map(({ item, opened, events }, output_index) => [
    { type: "response.output_item.added", output_index, item: opened },
    ...events.map((event) => ({ ...event, output_index })),
    { type: "response.output_item.done", output_index, item },
  ]);
  const firstCall = items.findIndex(({ item }) => item.type === "function_call");
  const allCalls =
    firstCall !== -1 && items.slice(firstCall).every(({ item }) => item.type === "function_call");
  if (!odd.woven || !allCalls) return lists.flat();
  return [...lists.slice(0, firstCall).flat(), ...woven(lists.slice(firstCall))];
}

function frames(said: Said, names: readonly string[]): string[] {
  const { odd } = said;
  const items = itemsOf(said, names);
  const open = response(said, { status: "in_progress", output: [] });
  const end = ended(
    said,
    items.map(({ item }) => item),
  );
  const events: Json[] = [
    { type: "response.created", response: open },
    ...(odd.extras ? [{ type: "response.queued", response: { ...open, status: "queued" } }] : []),
    { type: "response.in_progress", response: open },
    ...itemEvents(items, said),
    { type: `response.${String(end.status)}`, response: end },
  ];
  const told = events.flatMap((event, at) =>
    odd.pings && at % 4 === 2 ? [{ type: "keepalive" }, event] : [event],
  );
  return told.map((event, sequence_number) => frame(odd, { ...event, sequence_number }, String(event.type)));
}

export const openaiResponses: Vendor = { within, whole, frames };
