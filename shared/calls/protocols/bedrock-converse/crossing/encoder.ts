/**
 * Neutral events as a stream of Converse (protocols.md §8.3). Its blocks follow each other as Anthropic's do, so they are
 * put in order there, and told here in Converse's words.
 */
import { type Fields, isObject } from "../../../../base/json/fields.ts";
import { renderFrame } from "../../../../base/sse/frames.ts";
import type { StreamEncoder } from "../../../chat/event.ts";
import type { ReplyUsage } from "../../../chat/reply.ts";
import { type AnswerEvent, createWriter } from "../../anthropic/crossing/encoder.ts";
import { errorFrame } from "../../bedrock-invoke/event-form.ts";
import type { ReplyTarget } from "../../crossing.ts";
import { encodeEnding } from "./ending.ts";
import { encodeMeasures } from "./reply-out.ts";

/** An event of Converse's: its name and its payload. */
type Told = [name: string, payload: Fields];

/** An encoder. A refusal's words are the answer's text. An `error` gives no ending. */
export function createEncoder(target: ReplyTarget): StreamEncoder {
  const write = createWriter(target);
  let usage: ReplyUsage | undefined;
  let refusal = "";
  /** Calls whose arguments have begun. */
  const begun = new Set<number>();
  const tell = (event: AnswerEvent): Told[] => {
    if (event.type === "usage") usage = event.usage;
    if (event.type === "refusal-delta") {
      refusal += event.text;
      return tell({ type: "text-delta", text: event.text });
    }
    if (event.type === "tool-call-delta" && event.arguments !== "") begun.add(event.index);
    // Programs read the pieces as one JSON text, which none is not.
    if (event.type === "tool-call-end" && !begun.has(event.index))
      return [
        ...tell({ type: "tool-call-delta", index: event.index, arguments: "{}" }),
        ...write(event).flatMap(inWords),
      ];
    if (event.type !== "reply-end") return write(event).flatMap(inWords);
    const closing = write(event).flatMap(inWords);
    return [
      ...closing,
      ["messageStop", encodeEnding({ ...event, refusal }, target.request)],
      ["metadata", encodeMeasures(usage, target)],
    ];
  };
  return {
    push(event) {
      if (event.type === "error") return [errorFrame("aws", "upstream_error")];
      return tell(event).map(([name, payload]) => renderFrame(JSON.stringify(payload), name));
    },
  };
}

/** An event of Anthropic's in Converse's words. Only a call has an event that opens it. */
function inWords({ type, index: contentBlockIndex, content_block, delta }: Fields): Told[] {
  switch (type) {
    case "message_start":
      return [["messageStart", { role: "assistant" }]];
    case "content_block_start": {
      const { type: kind, id: toolUseId, name, data } = isObject(content_block) ? content_block : {};
      if (kind === "tool_use")
        return [["contentBlockStart", { contentBlockIndex, start: { toolUse: { toolUseId, name } } }]];
      if (kind !== "redacted_thinking") return [];
      return [
        ["contentBlockDelta", { contentBlockIndex, delta: { reasoningContent: { redactedContent: data } } }],
      ];
    }
    case "content_block_delta":
      return [["contentBlockDelta", { contentBlockIndex, delta: isObject(delta) ? fragmentOf(delta) : {} }]];
    case "content_block_stop":
      return [["contentBlockStop", { contentBlockIndex }]];
    default:
      return [];
  }
}

function fragmentOf({ text, thinking, signature, partial_json: input }: Fields): Fields {
  if (text !== undefined) return { text };
  if (input !== undefined) return { toolUse: { input } };
  return { reasoningContent: thinking === undefined ? { signature } : { text: thinking } };
}
