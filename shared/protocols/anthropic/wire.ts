/** The fields of an Anthropic messages request we act on (contract §4.2); the rest is the provider's. */
import type { ChatCall } from "../../chat/call.ts";
import type { JsonBody } from "../../json/body.ts";
import {
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
import { readUser } from "../user.ts";
import { readSwitches } from "./switches.ts";

export const keys: ReadonlySet<string> = new Set([
  "model",
  "messages",
  "stream",
  "max_tokens",
  "metadata",
  "service_tier",
  "speed",
  "inference_geo",
  "system",
  "tools",
  "cache_control",
  "fallbacks",
]);

/** Checks the request and reads what admission and metering need. Throws `invalid_request`. */
export function readRequest(body: JsonBody): ChatCall {
  const fields = body.value;
  const maximum = optionalInteger(fields, "max_tokens", 1);
  if (maximum === undefined) throw invalidField("max_tokens", "given");
  for (const [index, message] of requiredArray(fields, "messages").entries()) {
    checkMessage(message, `messages[${index}]`);
  }
  const system = fields["system"];
  if (!isAbsent(system) && typeof system !== "string" && !Array.isArray(system)) {
    throw invalidField("system", "a string or an array of blocks");
  }
  optionalNumber(fields, "temperature", 0, 2);
  optionalNumber(fields, "top_p", 0, 1);
  optionalStop(fields, "stop_sequences");
  optionalArray(fields, "tools");
  return {
    stream: optionalBoolean(fields, "stream") ?? false,
    max_output_tokens: maximum,
    choices: 1,
    user: readMetadata(fields["metadata"]),
    hide_usage: false,
    switches: readSwitches(fields),
  };
}

function checkMessage(message: unknown, name: string): void {
  if (!isObject(message)) throw invalidField(name, "an object");
  if (typeof message["role"] !== "string") throw invalidField(`${name}.role`, "a string");
  const content = message["content"];
  if (typeof content !== "string" && !Array.isArray(content)) {
    throw invalidField(`${name}.content`, "a string or an array of blocks");
  }
}

function readMetadata(metadata: unknown): string | null {
  if (isAbsent(metadata)) return null;
  if (!isObject(metadata)) throw invalidField("metadata", "an object");
  return readUser(metadata, "user_id", "metadata.user_id");
}
