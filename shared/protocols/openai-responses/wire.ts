/** The fields of a Responses request we act on (contract §4.5, protocols.md §1.6); the rest is the provider's. */
import type { ChatCall } from "../../chat/call.ts";
import { GatewayError } from "../../errors.ts";
import type { JsonBody } from "../../json/body.ts";
import {
  type Fields,
  invalidField,
  isAbsent,
  isObject,
  optionalArray,
  optionalBoolean,
  optionalInteger,
  optionalNumber,
  optionalString,
} from "../../json/fields.ts";
import { readUser } from "../user.ts";
import { readSwitches } from "./switches.ts";

export const keys: ReadonlySet<string> = new Set([
  "model",
  "input",
  "stream",
  "max_output_tokens",
  "user",
  "background",
  "conversation",
  "previous_response_id",
  "prompt",
  "service_tier",
  "tools",
  "max_tool_calls",
  "modalities",
  "prompt_cache_options",
]);

/** Checks the request and reads what admission and metering need. Throws `invalid_request`. */
export function readRequest(body: JsonBody): ChatCall {
  const fields = body.value;
  refuseUnmetered(fields);
  checkInput(fields["input"]);
  optionalString(fields, "instructions");
  optionalNumber(fields, "temperature", 0, 2);
  optionalNumber(fields, "top_p", 0, 1);
  optionalArray(fields, "tools");
  return {
    stream: optionalBoolean(fields, "stream") ?? false,
    max_output_tokens: optionalInteger(fields, "max_output_tokens", 1) ?? null,
    choices: 1,
    user: readUser(fields),
    hide_usage: false,
    switches: readSwitches(fields),
    unseen_input: !isAbsent(fields["previous_response_id"]) || !isAbsent(fields["prompt"]),
  };
}

/** What the provider runs or reads outside this call has no usage we could see (design §4 "Responses"). */
function refuseUnmetered(fields: Fields): void {
  if (optionalBoolean(fields, "background")) throw unsupported("background");
  if (!isAbsent(fields["conversation"])) throw unsupported("conversation");
}

/** An `invalid_request` about a field of the protocol that cannot be served. */
export function unsupported(name: string): GatewayError {
  return new GatewayError("invalid_request", { message: `\`${name}\` is not supported.`, param: name });
}

/** The error of a field that means an answer kept before. Whoever brings the earlier turns does without it. */
export function unstored(name: string): GatewayError {
  const message = `\`${name}\` is not supported with this model, whose answers are not stored. Send the earlier turns in \`input\`.`;
  return new GatewayError("invalid_request", { message, param: name });
}

function checkInput(input: unknown): void {
  if (typeof input === "string" && input !== "") return;
  if (!Array.isArray(input) || input.length === 0) {
    throw invalidField("input", "a non-empty string or a non-empty array");
  }
  for (const [index, item] of input.entries()) {
    if (!isObject(item)) throw invalidField(`input[${index}]`, "an object");
  }
}
