/** Claude, as strict as it is with thinking that comes back. */
import { createIssuer, type Json, named, objects, type Said, say, type Vendor } from "./issuer.ts";

const usage = {
  input_tokens: 20,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
  output_tokens: 7,
};

export function createAnthropic(): Vendor {
  const issuer = createIssuer("anthropic");

  const refusesBlock = (block: Json, path: string): string | undefined => {
    const { type, signature, thinking, data, id, tool_use_id } = block;
    if (type === "thinking" && !issuer.signed(signature, String(thinking))) {
      return `${path}: Invalid \`signature\` in \`thinking\` block`;
    }
    if (type === "redacted_thinking" && !issuer.signed(data)) {
      return `${path}: Invalid \`data\` in \`redacted_thinking\` block`;
    }
    if (type === "text" && block.text === "") return `${path}: text content blocks must be non-empty`;
    const name = type === "tool_use" ? id : type === "tool_result" ? tool_use_id : "a";
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(String(name))) return `${path}: String should match pattern`;
    return undefined;
  };

  const refusesLoop = (body: Json): string | undefined => {
    const turns = objects(body.messages);
    const last = turns.findLastIndex(({ role }) => role === "assistant");
    const inLoop = objects(turns.at(-1)?.content).some(({ type }) => type === "tool_result");
    const [first] = objects(turns[last]?.content);
    const thinks = (body.thinking as Json | undefined)?.type === "enabled";
    if (!inLoop || !thinks || /thinking$/.test(String(first?.type))) return undefined;
    return `messages.${last}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first?.type}\`.`;
  };

  return {
    issuer,
    refuses(body) {
      for (const [turn, { content, role }] of objects(body.messages).entries()) {
        if (Array.isArray(content) && content.length === 0)
          return `messages.${turn}: must have non-empty content`;
        if (turn === 0 && role !== "user") return 'messages: first message must use the "user" role';
        for (const [index, block] of objects(content).entries()) {
          const refusal = refusesBlock(block, `messages.${turn}.content.${index}`);
          if (refusal) return refusal;
        }
      }
      return refusesLoop(body);
    },
    answer(body, stream) {
      const last = objects(objects(body.messages).at(-1)?.content);
      const hasResults = last.some(({ type }) => type === "tool_result");
      const said = say("anthropic", issuer, hasResults);
      const thinks = ["enabled", "adaptive"].includes(String((body.thinking as Json | undefined)?.type));
      const content = contentOf(said, thinks ? issuer.sign : undefined);
      const head = { id: `msg_${said.number}`, type: "message", role: "assistant", model: "claude", usage };
      const end = { stop_reason: hasResults ? "end_turn" : "tool_use", stop_sequence: null };
      return stream ? framesOf({ ...head, content: [] }, content, end) : { ...head, content, ...end };
    },
  };
}

function contentOf(said: Said, sign: ((text: string) => string) | undefined): Json[] {
  const { thought, calls, text } = said;
  const thinking = sign ? [{ type: "thinking", thinking: thought, signature: sign(thought) }] : [];
  // With its answer it also thinks what nobody may read.
  const redacted = sign && text ? [{ type: "redacted_thinking", data: sign("") }] : [];
  const words = text ? [{ type: "text", text }] : [];
  const uses = calls.map(({ id, name, city }) => ({ type: "tool_use", id, name, input: { city } }));
  return [...thinking, ...redacted, ...words, ...uses];
}

function framesOf(message: Json, content: Json[], delta: Json): string[] {
  const blocks = content.flatMap((block, index): Json[] => {
    const [start, deltas] = openingOf(block);
    return [
      { type: "content_block_start", index, content_block: start },
      ...deltas.map((fragment) => ({ type: "content_block_delta", index, delta: fragment })),
      { type: "content_block_stop", index },
    ];
  });
  return named([
    { type: "message_start", message: { ...message, stop_reason: null, stop_sequence: null } },
    ...blocks,
    { type: "message_delta", delta, usage: { output_tokens: 7 } },
    { type: "message_stop" },
  ]);
}

function openingOf(block: Json): [Json, Json[]] {
  switch (block.type) {
    case "thinking": {
      const { thinking, signature } = block as Record<string, string>;
      const deltas = [
        { type: "thinking_delta", thinking: thinking?.slice(0, 5) },
        { type: "thinking_delta", thinking: thinking?.slice(5) },
        { type: "signature_delta", signature },
      ];
      return [{ ...block, thinking: "", signature: "" }, deltas];
    }
    case "text":
      return [{ ...block, text: "" }, [{ type: "text_delta", text: block.text }]];
    case "tool_use":
      return [
        { ...block, input: {} },
        [{ type: "input_json_delta", partial_json: JSON.stringify(block.input) }],
      ];
    default:
      return [block, []];
  }
}
