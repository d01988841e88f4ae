/** The fields of an OpenAI chat request we act on (contract §4.1); every other field is the provider's. */
import type { ChatCall } from "../../chat/call.ts";
import { type JsonBody, membersOf, refuseDuplicates } from "../../json/body.ts";
import {
  type Fields,
  invalidField,
  isAbsent,
  isObject,
  optionalArray,
  optionalBoolean,
  optionalInteger,
  optionalNumber,
  optionalStop,
  requiredArray,
} from "../../json/fields.ts";
import { limits } from "../../limits.ts";
import { readUser } from "../user.ts";
import { readSwitches } from "./switches.ts";

export const keys: ReadonlySet<string> = new Set([
  "model",
  "messages",
  "stream",
  "stream_options",
  "max_tokens",
  "max_completion_tokens",
  "n",
  "user",
  "service_tier",
  "modalities",
  "tools",
  "web_search_options",
  "prompt_cache_options",
]);

const optionKeys: ReadonlySet<string> = new Set(["include_usage"]);

/** Checks the request and reads what admission and metering need. Throws `invalid_request`. */
export function readRequest(body: JsonBody): ChatCall {
  const fields = body.value;
  checkMessages(requiredArray(fields, "messages"));
  optionalNumber(fields, "temperature", 0, 2);
  optionalNumber(fields, "top_p", 0, 1);
  optionalStop(fields, "stop");
  optionalArray(fields, "tools");
  const answer = optionalInteger(fields, "max_tokens", 1);
  const whole = optionalInteger(fields, "max_completion_tokens", 1);
  const choices = optionalInteger(fields, "n", 1, limits.choicesMax) ?? 1;
  return {
    stream: optionalBoolean(fields, "stream") ?? false,
    // Vendors read one or the other, and we cannot tell which: whoever gives both is held for the larger.
    max_output_tokens: largest(answer, whole),
    answer_only: whole === undefined && answer !== undefined,
    thoughtless: isThoughtless(fields["thinking"]),
    choices,
    user: readUser(fields),
    hide_usage: readStreamOptions(body) === false,
    switches: readSwitches(fields, choices),
  };
}

function isThoughtless(thinking: unknown): boolean {
  return isObject(thinking) && thinking["type"] === "disabled";
}

function largest(...maxima: (number | undefined)[]): number | null {
  const given = maxima.filter((maximum) => maximum !== undefined);
  return given.length > 0 ? Math.max(...given) : null;
}

/** The client's `include_usage`, or undefined where it said nothing. */
function readStreamOptions(body: JsonBody): boolean | undefined {
  const options = body.value["stream_options"];
  if (isAbsent(options)) return undefined;
  if (!isObject(options)) throw invalidField("stream_options", "an object");
  const member = body.members.find(({ key }) => key === "stream_options");
  if (member)
    refuseDuplicates(membersOf(body.bytes.subarray(member.value_start, member.value_end)), optionKeys);
  return optionalBoolean(options, "include_usage");
}

function checkMessages(messages: unknown[]): void {
  for (const [index, message] of messages.entries()) {
    const name = `messages[${index}]`;
    if (!isObject(message)) throw invalidField(name, "an object");
    if (typeof message["role"] !== "string") throw invalidField(`${name}.role`, "a string");
    checkContent(message, name);
  }
}

function checkContent(message: Fields, name: string): void {
  const content = message["content"];
  if (isAbsent(content) || typeof content === "string" || Array.isArray(content)) return;
  throw invalidField(`${name}.content`, "a string or an array of parts");
}
