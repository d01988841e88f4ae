/** Answers of OpenAI chat completions, and of those who speak it (protocols.md §1.2, §1.3, §5). */
import {
  type Call,
  type Counts,
  callsIn,
  frame,
  type Json,
  pieces,
  type Said,
  type Thought,
  thoughtsIn,
  type Vendor,
  wordsIn,
  woven,
} from "./said.ts";

/** One thought without a signature, then the words, then the calls. A refusal stands in place of all of it. */
function within(said: Said): Said {
  const thoughts = thoughtsIn(said).map(({ text }) => text);
  const thought: Thought = { kind: "thought", text: thoughts.join("\n") };
  const text = wordsIn(said);
  const calls = said.parts.filter((part) => part.kind === "call").map(({ signature: _, ...call }) => call);
  const { counts, refusal } = said;
  const answer =
    refusal === undefined ? [...(text === "" ? [] : [{ kind: "text" as const, text }]), ...calls] : [];
  return {
    ...said,
    parts: [...(thought.text.trim() === "" ? [] : [thought]), ...answer],
    why: said.why === "paused" || said.why === "sequence" ? "done" : said.why,
    ...(counts && { counts: said.odd.extras ? counts : { ...counts, stored: 0 } }),
  };
}

const reasons = {
  done: "stop",
  sequence: "stop",
  paused: "stop",
  length: "length",
  filtered: "content_filter",
};

function reasonOf(said: Said): string {
  const called = callsIn(said).length > 0;
  // OpenAI says `stop` for a call that was forced.
  return called && said.why === "done" && !said.odd.bare ? "tool_calls" : reasons[said.why];
}

function usageOf({ fresh, cached, stored, output, reasoned }: Counts, { odd }: Said): Json {
  const prompt_tokens = fresh + cached + stored;
  const details = {
    cached_tokens: cached,
    ...(stored > 0 && { cache_write_tokens: stored }),
    audio_tokens: 0,
  };
  const isPlain = cached === 0 && stored === 0;
  return {
    prompt_tokens,
    completion_tokens: output,
    total_tokens: prompt_tokens + output,
    ...(!(isPlain && odd.bare) && { prompt_tokens_details: isPlain && odd.nulls ? null : details }),
    ...(reasoned !== undefined && { completion_tokens_details: { reasoning_tokens: reasoned } }),
  };
}

const head = ({ id, odd }: Said, object: string): Json => ({
  id: `chatcmpl-${id}`,
  object,
  created: 1_764_000_000,
  model: "upstream",
  ...(odd.extras && { system_fingerprint: "fp_1", service_tier: "default", provider: "Some" }),
});

const thoughtName = ({ odd }: Said): string => (odd.bare ? "reasoning" : "reasoning_content");

function toolCall({ id, args }: Call, name: string | undefined, { odd }: Said): Json {
  const written = args === "{}" && odd.bare ? "" : args;
  return { id, type: "function", function: { name, arguments: written } };
}

function whole(said: Said, names: readonly string[]): Json {
  const { odd, refusal, counts } = said;
  const calls = callsIn(said);
  const [thought] = thoughtsIn(said);
  const text = wordsIn(said);
  const message = {
    role: "assistant",
    content: text === "" && odd.nulls ? null : odd.woven && text !== "" ? [{ type: "text", text }] : text,
    ...(thought && { [thoughtName(said)]: thought.text }),
    ...(refusal === undefined ? !odd.bare && { refusal: null } : { refusal }),
    ...(calls.length > 0 && { tool_calls: calls.map((call) => toolCall(call, names[call.tool], said)) }),
    ...(odd.extras && { annotations: [], audio: null, function_call: null }),
  };
  const choice = { index: 0, message, logprobs: null, finish_reason: reasonOf(said) };
  const other = { ...choice, index: 1, message: { role: "assistant", content: "Another" } };
  return {
    ...head(said, "chat.completion"),
    choices: odd.second ? [choice, other] : [choice],
    ...(counts && { usage: usageOf(counts, said) }),
  };
}

function callDeltas(said: Said, names: readonly string[]): Json[] {
  const { odd } = said;
  const each = callsIn(said).map((call, index) => {
    const whole = toolCall(call, names[call.tool], said);
    if (odd.together) return [{ index, ...whole }];
    const named = { name: names[call.tool], arguments: "" };
    const written = call.args === "{}" && odd.bare ? "" : call.args;
    const rest = pieces(written, odd.piece * 2).map((piece) => ({ index, function: { arguments: piece } }));
    return [{ index, ...whole, function: named }, ...rest];
  });
  if (odd.together && odd.woven && each.length > 0) return [{ tool_calls: each.flat() }];
  return (odd.woven ? woven(each) : each.flat()).map((fragment) => ({ tool_calls: [fragment] }));
}

function deltasOf(said: Said, names: readonly string[]): Json[] {
  const { odd, refusal } = said;
  const [thought] = thoughtsIn(said);
  const silent = odd.nulls ? { content: null } : {};
  return [
    { role: "assistant", content: odd.nulls ? null : "", ...(odd.extras && { refusal: null }) },
    ...pieces(thought?.text ?? "", odd.piece).map((piece) => ({ [thoughtName(said)]: piece, ...silent })),
    ...pieces(wordsIn(said), odd.piece).map((content) => ({ content })),
    ...pieces(refusal ?? "", odd.piece).map((piece) => ({ refusal: piece, ...silent })),
    ...callDeltas(said, names).map((delta) => ({ ...delta, ...silent })),
  ];
}

function frames(said: Said, names: readonly string[]): string[] {
  const { odd, counts } = said;
  const chunkOf = (members: Json): string =>
    frame(odd, {
      ...head(said, "chat.completion.chunk"),
      ...(odd.nulls && { usage: null }),
      ...(odd.extras && { obfuscation: "x" }),
      ...members,
    });
  const choice = (delta: Json, finish_reason: string | null = null) => ({
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
  });
  const deltas = deltasOf(said, names);
  const last = odd.together ? (deltas.pop() ?? {}) : {};
  const usage = counts && usageOf(counts, said);
  const isBeside = odd.together && odd.bare;
  const opening = { id: "", object: "", created: 0, model: "", choices: [], prompt_filter_results: [] };
  const chunks = [
    ...(odd.extras ? [frame(odd, opening)] : []),
    ...deltas.map((delta) => chunkOf(choice(delta))),
    chunkOf({ ...choice(last, reasonOf(said)), ...(usage && isBeside && { usage }) }),
    ...(usage && !isBeside ? [chunkOf({ choices: [], usage })] : []),
  ];
  const beside = chunkOf({ choices: [{ index: 1, delta: { content: "Another" }, finish_reason: null }] });
  return [
    ...chunks.flatMap((chunk, at) => [
      ...(odd.pings && at % 2 === 0 ? [": PROCESSING\n\n"] : []),
      ...(odd.second && at === 1 + Number(odd.extras) ? [beside] : []),
      chunk,
    ]),
    frame(odd, "[DONE]"),
  ];
}

export const openaiChat: Vendor = { within, whole, frames };
