/** Whole answers of Converse as neutral replies (protocols.md §8.2). */
import { type Fields, isAbsent, isObject, objectsOf } from "../../../../base/json/fields.ts";
import { joinTexts } from "../../../chat/join-texts.ts";
import type { ChatReply } from "../../../chat/reply.ts";
import type { AssistantPart } from "../../../chat/request.ts";
import { blocksOf, replyUsage } from "../reply.ts";
import { endingOf } from "./ending.ts";

/** Members whose JSON is the client's or the model's own: a call's arguments, schemas, and what a tool gave. */
export const exactMembers: ReadonlySet<string> = new Set(["input", "json"]);

/** A provider's whole answer. Converse tells no id and no time. Throws `TypeError` unless it is finished. */
export function decodeReply(reply: Fields): ChatReply {
  const parts = joinTexts(blocksOf(reply).flatMap(decodeBlock));
  const ending = endingOf(
    reply,
    parts.some(({ type }) => type === "tool_call"),
  );
  if (!isObject(reply.output) || !ending) throw new TypeError("not a finished answer");
  const usage = replyUsage(reply);
  return { id: "", created: 0, parts, ...ending, ...(usage && { usage }) };
}

/** One block of an answer. A kind that we do not know adds nothing: it answers nothing a client asked for. */
function decodeBlock(block: Fields): AssistantPart[] {
  const { text, toolUse, reasoningContent, citationsContent } = block;
  if (typeof text === "string") return textPart(text);
  if (isObject(toolUse)) {
    const { toolUseId: id, name, input } = toolUse;
    return [{ type: "tool_call", id: textOf(id), name: textOf(name), arguments: decodeArguments(input) }];
  }
  if (isObject(citationsContent)) {
    return textPart(
      objectsOf(citationsContent.content)
        .map((each) => textOf(each.text))
        .join(""),
    );
  }
  return isObject(reasoningContent) ? decodeReasoning(reasoningContent) : [];
}

function textPart(text: string): AssistantPart[] {
  return text === "" ? [] : [{ type: "text", text }];
}

function decodeReasoning({ reasoningText, redactedContent }: Fields): AssistantPart[] {
  const redacted = textOf(redactedContent);
  if (redacted !== "") return [{ type: "reasoning", text: "", signature: redacted, redacted: true }];
  const told = isObject(reasoningText) ? reasoningText : {};
  const [text, signature] = [textOf(told.text), textOf(told.signature)];
  if (signature !== "") return [{ type: "reasoning", text, signature }];
  return text === "" ? [] : [{ type: "reasoning", text }];
}

/** Arguments as text; none are `{}`. What is no object is kept under `arguments`. */
export function decodeArguments(input: unknown): string {
  if (isAbsent(input) || input === "") return "{}";
  return JSON.stringify(isObject(input) ? input : { arguments: input });
}

/** A text, and "" for anything else. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
