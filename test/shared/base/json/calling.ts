/**
 * A call of the tool `f` with arguments of any text: in a client's history, in a provider's answer and in its stream.
 */
import type { Speech } from "../../../support/crossed.ts";

/** A JSON text as a value with each number as the text it stands in. This reads without the product's own code. */
export function digits(text: string): unknown {
  return JSON.parse(text, (_, value: unknown, { source }) =>
    typeof value === "number" ? { number: source } : value,
  );
}

/** A history in which the tool `f` was called with these arguments, in each client's own form. */
export const history: Record<Speech, (text: string) => string> = {
  openai: (text) =>
    `{"messages":[{"role":"user","content":"Go"},{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":${JSON.stringify(text)}}}]},{"role":"tool","tool_call_id":"c1","content":"ok"}]`,
  anthropic: (text) =>
    `{"max_tokens":100,"messages":[{"role":"user","content":"Go"},{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"f","input":${text}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"ok"}]}]`,
  gemini: (text) =>
    `{"contents":[{"role":"user","parts":[{"text":"Go"}]},{"role":"model","parts":[{"functionCall":{"id":"c1","name":"f","args":${text}}}]},{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"f","response":{"result":"ok"}}}]}]`,
  responses: (text) =>
    `{"input":[{"role":"user","content":"Go"},{"type":"function_call","call_id":"c1","name":"f","arguments":${JSON.stringify(text)}},{"type":"function_call_output","call_id":"c1","output":"ok"}]`,
};

/** The whole answer of a provider that calls `f` with these arguments, as its bytes. */
export const calling: Record<Speech, (text: string) => string> = {
  openai: (text) =>
    `{"id":"x","choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":${JSON.stringify(text)}}}]}}],"usage":{"prompt_tokens":3,"completion_tokens":2}}`,
  anthropic: (text) =>
    `{"id":"msg_x","type":"message","role":"assistant","content":[{"type":"tool_use","id":"c1","name":"f","input":${text}}],"stop_reason":"tool_use","usage":{"input_tokens":3,"output_tokens":2}}`,
  gemini: (text) =>
    `{"candidates":[{"index":0,"finishReason":"STOP","content":{"role":"model","parts":[{"functionCall":{"id":"c1","name":"f","args":${text}}}]}}],"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":2}}`,
  responses: (text) =>
    `{"id":"resp_x","status":"completed","output":[{"type":"function_call","id":"fc_1","call_id":"c1","name":"f","arguments":${JSON.stringify(text)}}],"usage":{"input_tokens":3,"output_tokens":2}}`,
};

/** The data of the frames of a stream that says the same; texts come in two pieces. */
export function frames(provider: Speech, given: string): string[] {
  // White space between values; one that belongs to a string is escaped.
  const text = given.replaceAll("\n", " ");
  const half = Math.ceil(text.length / 2);
  const pieces = [text.slice(0, half), text.slice(half)].filter((piece) => piece !== "");
  switch (provider) {
    case "gemini":
      return [calling.gemini(text)];
    case "openai":
      return [
        '{"id":"x","choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"f","arguments":""}}]}}]}',
        ...pieces.map(
          (piece) =>
            `{"id":"x","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":${JSON.stringify(piece)}}}]}}]}`,
        ),
        '{"id":"x","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}',
        '{"id":"x","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}',
        "[DONE]",
      ];
    case "anthropic":
      return [
        '{"type":"message_start","message":{"id":"msg_x","content":[],"usage":{"input_tokens":3,"output_tokens":1}}}',
        // Some providers give the whole input at the start.
        `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"c1","name":"f","input":${text}}}`,
        '{"type":"content_block_stop","index":0}',
        '{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":2}}',
        '{"type":"message_stop"}',
      ];
    case "responses": {
      const item = `{"type":"function_call","id":"fc_1","call_id":"c1","name":"f","arguments":`;
      const said = JSON.stringify(text);
      return [
        '{"type":"response.created","response":{"id":"resp_x","created_at":1,"output":[]}}',
        `{"type":"response.output_item.added","output_index":0,"item":${item}""}}`,
        ...pieces.map(
          (piece) =>
            `{"type":"response.function_call_arguments.delta","output_index":0,"item_id":"fc_1","delta":${JSON.stringify(piece)}}`,
        ),
        `{"type":"response.function_call_arguments.done","output_index":0,"item_id":"fc_1","arguments":${said}}`,
        `{"type":"response.output_item.done","output_index":0,"item":${item}${said}}}`,
        `{"type":"response.completed","response":${calling.responses(text)}}`,
      ];
    }
  }
}

type Json = Record<string, unknown>;

/** The first object, from the outside in, that passes the test. */
function find(value: unknown, test: (object: Json) => boolean): Json | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (!Array.isArray(value) && test(value as Json)) return value as Json;
  for (const child of Object.values(value)) {
    const found = find(child, test);
    if (found) return found;
  }
  return undefined;
}

/** The arguments of the first call in a request or a whole answer, given as its text. */
export function argumentsIn(speech: Speech, text: string): unknown {
  const body = digits(text);
  switch (speech) {
    case "anthropic":
      return find(body, ({ type }) => type === "tool_use")?.input;
    case "gemini":
      return find(body, ({ name, args }) => name === "f" && args !== undefined)?.args;
    default:
      return digits(
        String(
          find(body, ({ name, arguments: said }) => name === "f" && typeof said === "string")?.arguments,
        ),
      );
  }
}

/** The arguments that a client's stream gives. */
export function argumentsInStream(client: Speech, text: string): unknown {
  const data = text.split("\n\n").flatMap((frame) => /^data: (\{.*\})$/m.exec(frame)?.[1] ?? []);
  if (client === "gemini") return argumentsIn(client, String(data.find((each) => each.includes('"args"'))));
  const isDelta = ({ type }: Json) => type === undefined || /delta$/.test(String(type));
  const name = { openai: "arguments", anthropic: "partial_json", responses: "delta" }[client];
  const pieces = data.map((each) => {
    const value = JSON.parse(each) as Json;
    return isDelta(value) ? (find(value, (object) => typeof object[name] === "string")?.[name] ?? "") : "";
  });
  return digits(pieces.join(""));
}
