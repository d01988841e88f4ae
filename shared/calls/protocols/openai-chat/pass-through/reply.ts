/** Whole OpenAI chat replies, read on the side. */
import { asText, type Fields, isObject, objectsOf } from "../../../../base/json/fields.ts";
import { bytesOf, finishOf, isEmpty, jsonBytes } from "../../output.ts";
import type { ReplyFacts } from "../../protocol.ts";
import { readBody } from "../../reply-body.ts";
import { readDetails } from "../switches.ts";
import { readUsage, reasoned, usageOf } from "./usage.ts";

/** Reads a whole `chat.completion`. */
export function readReply(bytes: Buffer): ReplyFacts {
  const reply = readBody(bytes);
  const choices = choicesOf(reply);
  const messages = choices.map((choice) => choice.message).filter(isObject);
  const reported = usageOf(reply);
  const usage = readUsage(reported);
  return {
    usage,
    produced: !isEmpty(choices) || reasoned(reported),
    details: readDetails(reply),
    finish: finishOf(choices.map((choice) => choice.finish_reason)),
    output_bytes: usage ? 0 : messages.reduce((sum, message) => sum + messageBytes(message), 0),
    failed: isFailure(reply),
  };
}

/** An error in place of a reply or a chunk, as OpenAI, Ark, vLLM and Groq tell it (protocols.md §1.3, §4.2). */
export function isFailure(chunk: Fields): boolean {
  const { x_groq: own } = chunk;
  return (
    isObject(chunk.error) ||
    chunk.object === "error" ||
    asText(chunk.type).endsWith("error") ||
    (isObject(own) && asText(own.error) !== "")
  );
}

/** The choices of a reply or a chunk. */
export function choicesOf(chunk: Fields): Fields[] {
  return objectsOf(chunk.choices);
}

/** Bytes of a message's or a delta's texts and calls. A call's name counts: one without arguments is not nothing. */
export function messageBytes(message: Fields): number {
  let bytes = 0;
  for (const name of ["content", "refusal", "reasoning_content", "reasoning"]) {
    const text = message[name];
    if (typeof text === "string") bytes += Buffer.byteLength(text);
    else if (Array.isArray(text) && text.length > 0) bytes += jsonBytes(text);
  }
  if (isObject(message.audio)) bytes += jsonBytes(message.audio);
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls : [];
  for (const call of [...calls, { function: message.function_call }]) {
    const named = isObject(call) && (isObject(call.function) ? call.function : call.custom);
    if (!isObject(named)) continue;
    bytes += bytesOf(named.name) + bytesOf(named.arguments ?? named.input);
  }
  return bytes;
}
