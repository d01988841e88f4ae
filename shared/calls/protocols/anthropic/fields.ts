/** The fields of an Anthropic messages request. */

import { GatewayError } from "../../../base/errors.ts";
import type { OutlinedBody } from "../../../base/json/body.ts";
import {
  type Fields,
  invalidField,
  isAbsent,
  isObject,
  optionalArray,
  optionalBoolean,
  optionalInteger,
  optionalStop,
  optionalString,
  requiredArray,
} from "../../../base/json/fields.ts";
import { isText } from "../../../base/json/long-text.ts";
import type { ChatCall } from "../../../books/billing/call.ts";
import { members } from "../dropped.ts";
import { fieldTable, integer, items, number } from "../field-table.ts";
import { readUser } from "../user.ts";
import { readSwitches } from "./switches.ts";

export const fields = fieldTable({
  model: { acts: true, carried: true },
  max_tokens: { check: requiredMaximum, read: integer(1), acts: true, carried: "max_output_tokens" },
  messages: { check: items(checkMessage), read: requiredArray, acts: true, carried: ["system", "messages"] },
  system: { check: checkSystem, acts: true, carried: true },
  temperature: { check: number(0, 2), carried: true },
  top_p: { check: number(0, 1), carried: true },
  stop_sequences: { check: optionalStop, carried: "stop" },
  tools: {
    check: optionalArray,
    acts: true,
    carried: true,
    members: members("type", "name", "description", "input_schema", "strict"),
  },
  stream: { check: optionalBoolean, acts: true, carried: true },
  metadata: { check: readMetadata, acts: true, carried: "user", members: members("user_id") },
  service_tier: { check: optionalString, acts: true, carried: "ways" },
  speed: { check: optionalString, acts: true, carried: "ways" },
  inference_geo: { check: optionalString, acts: true, refused: impossible },
  output_format: { refused: impossible },
  // Bedrock's clients have them in place of headers, which no other protocol has.
  anthropic_version: { check: optionalString, acts: true, unless: anything },
  anthropic_beta: { check: optionalFlags, acts: true, unless: anything },
  cache_control: { acts: true },
  fallbacks: { acts: true },
  // Servers that the provider calls, and where its code runs.
  mcp_servers: { hosted: true },
  container: { hosted: true },
  top_k: { read: integer(0), carried: true },
  tool_choice: { carried: ["tool_choice", "parallel_tool_calls"] },
  thinking: { carried: "reasoning" },
  output_config: { carried: ["reasoning", "format"], members: members("effort", "format") },
});

/** Checks a request and reads what admission and metering need. Throws `invalid_request`. */
export function readRequest(body: OutlinedBody): ChatCall {
  const { outline } = body;
  const { max_tokens, stream, metadata } = fields.check(outline, body);
  return {
    stream: stream ?? false,
    max_output_tokens: max_tokens,
    choices: 1,
    user: metadata,
    hide_usage: false,
    switches: readSwitches(outline),
  };
}

/** A wish of Anthropic's alone asks for nothing across. */
function anything(): boolean {
  return true;
}

/** Flags that may stand in a header. */
function optionalFlags(fields: Fields, name: string): void {
  const flags = optionalArray(fields, name) ?? [];
  if (!flags.every((flag) => typeof flag === "string" && /^[\w.-]{1,128}$/.test(flag)))
    throw invalidField(name, "an array of names");
}

/** Without them the answer would come from another place, or in another form. */
function impossible(name: string): GatewayError {
  const message = `\`${name}\` is not possible with this model.`;
  return new GatewayError("invalid_request", { message, param: name });
}

function requiredMaximum(fields: Fields, name: string): number {
  const maximum = optionalInteger(fields, name, 1);
  if (maximum === undefined) throw invalidField(name, "given");
  return maximum;
}

function checkMessage(message: unknown, name: string): void {
  if (!isObject(message)) throw invalidField(name, "an object");
  const { role, content } = message;
  if (typeof role !== "string") throw invalidField(`${name}.role`, "a string");
  if (!isText(content) && !Array.isArray(content)) {
    throw invalidField(`${name}.content`, "a string or an array of blocks");
  }
}

function checkSystem(fields: Fields, name: string): void {
  const system = fields[name];
  if (isAbsent(system) || isText(system) || Array.isArray(system)) return;
  throw invalidField(name, "a string or an array of blocks");
}

function readMetadata(fields: Fields, name: string): string | null {
  const metadata = fields[name];
  if (isAbsent(metadata)) return null;
  if (!isObject(metadata)) throw invalidField(name, "an object");
  return readUser(metadata, "user_id", `${name}.user_id`);
}
