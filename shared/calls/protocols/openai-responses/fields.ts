/** The fields of a Responses request. */

import { GatewayError } from "../../../base/errors.ts";
import type { OutlinedBody } from "../../../base/json/body.ts";
import {
  type Fields,
  invalidField,
  isAbsent,
  isObject,
  optionalArray,
  optionalBoolean,
  optionalString,
} from "../../../base/json/fields.ts";
import { isText } from "../../../base/json/long-text.ts";
import type { ChatCall } from "../../../books/billing/call.ts";
import { members } from "../dropped.ts";
import { fieldTable, integer, number } from "../field-table.ts";
import { notServed, unsupported } from "../unsupported.ts";
import { readUser } from "../user.ts";
import { readSwitches } from "./switches.ts";

const toolMembers = members("type", "name", "description", "parameters", "strict", "format");

export const fields = fieldTable({
  model: { acts: true, carried: true },
  // What the provider runs or reads outside this call has no usage that we could see (design §4 "Responses").
  background: { check: refuseBackground, acts: true, unless: [false] },
  conversation: notServed,
  // Vendors that sell others' models take these: another model than the one paid for, its host, its tools.
  models: notServed,
  plugins: notServed,
  preset: notServed,
  profile: notServed,
  provider: notServed,
  skills: notServed,
  input: { check: checkInput, acts: true, carried: ["system", "messages"] },
  instructions: { check: optionalString, carried: "system" },
  temperature: { check: number(0, 2), carried: true },
  top_p: { check: number(0, 1), carried: true },
  tools: {
    check: optionalArray,
    acts: true,
    carried: true,
    // The functions of a namespace stand in its own list.
    members: { ...toolMembers, tools: toolMembers },
  },
  stream: { check: optionalBoolean, acts: true, carried: true },
  max_output_tokens: { check: integer(1), acts: true, carried: true },
  user: { check: readUser, read: optionalString, acts: true, carried: true },
  service_tier: { check: optionalString, acts: true, carried: "ways" },
  max_tool_calls: { acts: true },
  modalities: { acts: true },
  prompt_cache_options: { acts: true },
  // State at the provider, and probabilities, which no neutral answer has. Without them the answer would be another.
  previous_response_id: { acts: true, refused: unstored },
  prompt: { acts: true, refused: unsupported },
  top_logprobs: { refused: unsupported, unless: [0] },
  // These values name what a crossing does anyway.
  store: { unless: [false] },
  truncation: { unless: ["disabled"] },
  include: { read: optionalArray, carried: "reasoning" },
  safety_identifier: { read: optionalString, carried: "user" },
  tool_choice: { carried: true },
  parallel_tool_calls: { read: optionalBoolean, carried: true },
  text: { carried: "format", members: members("format") },
  reasoning: { carried: true, members: members("effort", "summary") },
});

/** Checks a request and reads what admission and metering need. Throws `invalid_request`. */
export function readRequest(body: OutlinedBody): ChatCall {
  const { outline } = body;
  const { previous_response_id, prompt } = outline;
  const { stream, max_output_tokens, user } = fields.check(outline, body);
  return {
    stream: stream ?? false,
    max_output_tokens: max_output_tokens ?? null,
    choices: 1,
    user,
    hide_usage: false,
    switches: readSwitches(outline),
    unseen_input: !isAbsent(previous_response_id) || !isAbsent(prompt),
  };
}

function refuseBackground(fields: Fields, name: string): void {
  if (optionalBoolean(fields, name)) throw unsupported(name);
}

/** The error of a field that refers to an earlier answer. A client that sends the earlier turns can do without it. */
function unstored(name: string): GatewayError {
  const message = `\`${name}\` is not supported with this model, whose answers are not stored. Send the earlier turns in \`input\`.`;
  return new GatewayError("invalid_request", { message, param: name });
}

function checkInput(fields: Fields, name: string): void {
  const input = fields[name];
  if (isText(input) && input !== "") return;
  if (!Array.isArray(input) || input.length === 0) {
    throw invalidField(name, "a non-empty string or a non-empty array");
  }
  for (const [index, item] of input.entries()) {
    if (!isObject(item)) throw invalidField(`${name}[${index}]`, "an object");
  }
}
