/** OpenAI Responses without storage, as strict as it is with encrypted reasoning that comes back. */
import { createIssuer, type Json, named, objects, type Said, say, type Vendor } from "./issuer.ts";

const usage = {
  input_tokens: 20,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 7,
  output_tokens_details: { reasoning_tokens: 3 },
  total_tokens: 27,
};
/** The last is a field that the SDK's helper of streams adds. */
const callFields = ["id", "type", "status", "call_id", "name", "arguments", "parsed_arguments"];

export function createResponses(): Vendor {
  const issuer = createIssuer("responses");
  /** The ids of reasoning items, by what is encrypted in them. */
  const ids = new Map<unknown, string>();

  const refusesItem = (item: Json, at: number): string | undefined => {
    const { type, id, encrypted_content: content } = item;
    if (type === "function_call") {
      const odd = Object.keys(item).find((key) => !callFields.includes(key));
      return odd && `Unknown parameter: 'input[${at}].${odd}'.`;
    }
    if (type !== "reasoning") return undefined;
    if (content === undefined || content === null) {
      return `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false.`;
    }
    if (!issuer.signed(content))
      return `The encrypted content ${String(content).slice(0, 4)}... could not be verified.`;
    if (id !== undefined && id !== ids.get(content)) {
      return `The encrypted content for item ${id} could not be verified. Reason: Encrypted content item_id did not match the target item id.`;
    }
    return undefined;
  };

  return {
    issuer,
    refuses(body) {
      if (body.store !== false) return "these tests store nothing";
      for (const [at, item] of objects(body.input).entries()) {
        const refusal = refusesItem(item, at);
        if (refusal) return refusal;
      }
      return undefined;
    },
    answer(body, stream) {
      const hasResults = objects(body.input).at(-1)?.type === "function_call_output";
      const said = say("responses", issuer, hasResults);
      const include = Array.isArray(body.include) ? body.include : [];
      const encrypts = include.includes("reasoning.encrypted_content");
      const output = outputOf(said, encrypts ? issuer.sign(said.thought) : undefined);
      for (const { type, encrypted_content, id } of output) {
        if (type === "reasoning") ids.set(encrypted_content, String(id));
      }
      const response = (status: string, items: Json[]): Json => ({
        id: `resp_${said.number}`,
        object: "response",
        created_at: 1,
        status,
        model: "gpt",
        output: items,
        error: null,
        incomplete_details: null,
        parallel_tool_calls: true,
        tool_choice: "auto",
        tools: [],
      });
      const done = { ...response("completed", output), usage };
      if (!stream) return done;
      const events = [
        { type: "response.created", response: response("in_progress", []) },
        ...output.flatMap(itemEvents),
        { type: "response.completed", response: done },
      ];
      return named(events.map((event, sequence_number) => ({ ...event, sequence_number })));
    },
  };
}

/** Every second thought has no summary, as the real ones often have none. */
function outputOf({ number, thought, calls, text }: Said, encrypted_content: string | undefined): Json[] {
  const summary = number % 2 === 0 ? [{ type: "summary_text", text: thought }] : [];
  const part = { type: "output_text", text, annotations: [], logprobs: [] };
  return [
    { id: `rs_${number}`, type: "reasoning", summary, ...(encrypted_content ? { encrypted_content } : {}) },
    ...(text
      ? [{ id: `msg_${number}`, type: "message", role: "assistant", status: "completed", content: [part] }]
      : []),
    ...calls.map(({ id, name, city }, index) => ({
      id: `fc_${number}_${index}`,
      type: "function_call",
      status: "completed",
      call_id: id,
      name,
      arguments: JSON.stringify({ city }),
    })),
  ];
}

function itemEvents(item: Json, output_index: number): Json[] {
  const at = { item_id: item.id, output_index };
  const added = (fields: Json) => ({
    type: "response.output_item.added",
    output_index,
    item: { ...item, ...fields },
  });
  const done = { type: "response.output_item.done", output_index, item };
  switch (item.type) {
    case "reasoning": {
      const parts = objects(item.summary).flatMap((part, summary_index): Json[] => [
        {
          type: "response.reasoning_summary_part.added",
          ...at,
          summary_index,
          part: { type: "summary_text", text: "" },
        },
        { type: "response.reasoning_summary_text.delta", ...at, summary_index, delta: part.text },
        { type: "response.reasoning_summary_text.done", ...at, summary_index, text: part.text },
        { type: "response.reasoning_summary_part.done", ...at, summary_index, part },
      ]);
      return [added({ summary: [] }), ...parts, done];
    }
    case "message": {
      const [part] = objects(item.content);
      const place = { ...at, content_index: 0 };
      return [
        added({ content: [], status: "in_progress" }),
        { type: "response.content_part.added", ...place, part: { ...part, text: "" } },
        { type: "response.output_text.delta", ...place, delta: part?.text },
        { type: "response.output_text.done", ...place, text: part?.text },
        { type: "response.content_part.done", ...place, part },
        done,
      ];
    }
    default:
      return [
        added({ arguments: "", status: "in_progress" }),
        { type: "response.function_call_arguments.delta", ...at, delta: item.arguments },
        { type: "response.function_call_arguments.done", ...at, arguments: item.arguments },
        done,
      ];
  }
}
