/** Reasoning: its text (protocols.md §4.2), and a list of what is signed or redacted (protocols.md pitfall 17). */

import { type Fields, objectsOf } from "../../../../base/json/fields.ts";
import { omitUndefined } from "../../../chat/omit-undefined.ts";
import type { AssistantPart, ReasoningPart } from "../../../chat/request.ts";
import { textOf } from "./content.ts";

/** The text of reasoning in a message or a delta. Mistral has it among the parts of the content. */
export function reasoningText(message: Fields): string {
  const text = message.reasoning_content ?? message.reasoning;
  if (typeof text === "string") return text;
  // Each chunk of a stream comes through here, and few have parts.
  if (!Array.isArray(message.content)) return "";
  const thoughts = objectsOf(message.content).filter(({ type }) => type === "thinking");
  return thoughts.map(({ thinking }) => textOf(thinking)).join("");
}

/** The parts `reasoning_details` lists. Entries that say nothing are left out. */
export function reasoningDetails(message: Fields): ReasoningPart[] {
  return objectsOf(message.reasoning_details).flatMap((detail): ReasoningPart[] => {
    if (detail.type === "reasoning.encrypted") {
      const signature = stringOf(detail.data);
      return signature ? [{ type: "reasoning", text: "", signature, redacted: true }] : [];
    }
    const text = stringOf(detail.text) || stringOf(detail.summary);
    const signature = stringOf(detail.signature);
    if (!text && !signature) return [];
    return [omitUndefined({ type: "reasoning" as const, text, signature: signature || undefined })];
  });
}

/** A message's reasoning parts: the details, which repeat the text, or the text alone. */
export function decodeReasoning(message: Fields): ReasoningPart[] {
  const details = reasoningDetails(message);
  const text = reasoningText(message);
  if (text === "" || details.some((part) => part.text !== "")) return details;
  return [{ type: "reasoning", text }, ...details];
}

function stringOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The fields of an answer's message: the text and, where a part is signed, the list; others are `unsigned` there. */
export function encodeReasoning(parts: readonly AssistantPart[], unsigned?: string): Fields {
  const reasoning = parts.filter((part) => part.type === "reasoning");
  const text = reasoning.map((part) => part.text).join("");
  const signed = reasoning.some((part) => part.signature !== undefined);
  return omitUndefined({
    reasoning_content: text || undefined,
    reasoning_details: signed
      ? reasoning.map((part, index) =>
          encodeDetail(omitUndefined({ ...part, signature: part.signature ?? unsigned }), index),
        )
      : undefined,
  });
}

/** One entry of `reasoning_details`. Python's stream helper needs an `index` in every list of a delta. */
export function encodeDetail({ text, signature, redacted }: ReasoningPart, index: number): Fields {
  if (redacted) return { type: "reasoning.encrypted", index, data: signature };
  return omitUndefined({ type: "reasoning.text", index, text, signature });
}
