/** Whole answers for clients of Converse, and what a stream's last event has of one (protocols.md §8.2). */
import type { Fields } from "../../../../base/json/fields.ts";
import { noUsage } from "../../../../books/billing/usage.ts";
import type { ChatReply, ReplyUsage } from "../../../chat/reply.ts";
import type { AssistantPart } from "../../../chat/request.ts";
import { encodeToolId } from "../../anthropic/crossing/tool-calls.ts";
import { argumentsObject } from "../../arguments.ts";
import type { ReplyTarget } from "../../crossing.ts";
import { encodeEnding } from "./ending.ts";

/** A whole answer. It names no model and has no id. A refusal's words are its text. */
export function encodeReply(reply: ChatReply, target: ReplyTarget): Fields {
  const { parts, refusal, usage } = reply;
  const content = parts.flatMap((part) => encodePart(part, target.unsigned));
  if (refusal) content.push({ text: refusal });
  return {
    output: { message: { role: "assistant", content } },
    ...encodeEnding(reply, target.request),
    ...encodeMeasures(usage, target),
  };
}

/** The counters, which never overlap, and how long the answer took. SDKs want all of them, so none is left out. */
export function encodeMeasures(usage: ReplyUsage = noUsage, { latency_ms }: ReplyTarget): Fields {
  const { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens } = usage;
  return {
    usage: {
      inputTokens: input_tokens,
      outputTokens: output_tokens,
      totalTokens: input_tokens + output_tokens + cache_read_tokens + cache_write_tokens,
      cacheReadInputTokens: cache_read_tokens,
      cacheWriteInputTokens: cache_write_tokens,
    },
    metrics: { latencyMs: latency_ms?.() ?? 0 },
  };
}

function encodePart(part: AssistantPart, unsigned: string | undefined): Fields[] {
  switch (part.type) {
    case "text":
      return part.text === "" ? [] : [{ text: part.text }];
    case "reasoning": {
      const { text, signature = unsigned, redacted } = part;
      const told = redacted
        ? { redactedContent: signature ?? "" }
        : { reasoningText: { text, ...(signature !== undefined && { signature }) } };
      return [{ reasoningContent: told }];
    }
    case "tool_call": {
      const toolUseId = encodeToolId(part.id, part.signature);
      return [{ toolUse: { toolUseId, name: part.name, input: argumentsObject(part.arguments) } }];
    }
    default:
      return part satisfies never;
  }
}
