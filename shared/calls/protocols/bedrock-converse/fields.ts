/** The fields of a Converse request (protocols.md §8.1). Blocks have no rows: each kind has members of its own. */

import { GatewayError } from "../../../base/errors.ts";
import type { OutlinedBody } from "../../../base/json/body.ts";
import {
  type Fields,
  invalidField,
  isAbsent,
  isObject,
  optionalArray,
  optionalStop,
} from "../../../base/json/fields.ts";
import type { ChatCall } from "../../../books/billing/call.ts";
import { fieldTable, integer, items, number } from "../field-table.ts";
import type { Address } from "../protocol.ts";
import { someObject } from "../switches.ts";
import { readSwitches } from "./switches.ts";

/** The fields of `inferenceConfig`. */
export const settings = fieldTable(
  {
    maxTokens: { check: integer(1), acts: true, carried: "max_output_tokens" },
    temperature: { check: number(0, 1), carried: true },
    topP: { check: number(0, 1), carried: "top_p" },
    stopSequences: { check: optionalStop, carried: "stop" },
  },
  { at: "inferenceConfig" },
);

/** What single makers take beside that (protocols.md §8.4). The answer would not be what was asked for without another. */
const ownFields = fieldTable(
  {
    thinking: { check: checkObject, carried: "reasoning" },
    reasoning_config: { check: checkObject, carried: "reasoning" },
    reasoningConfig: { check: checkObject, carried: "reasoning" },
    reasoning_effort: { carried: "reasoning" },
    output_config: { check: checkObject, carried: "reasoning" },
    top_k: { check: integer(0), carried: true },
    inferenceConfig: { check: checkObject, carried: "top_k" },
    // Flags of Claude's, which no other protocol has.
    anthropic_beta: { check: optionalArray, unless: () => true },
  },
  { at: "additionalModelRequestFields" },
);

export const fields = fieldTable({
  messages: { check: items(checkMessage), acts: true, carried: true },
  system: { check: optionalBlocks, acts: true, carried: true },
  inferenceConfig: { check: checkObject, acts: settings.acted, carried: true },
  toolConfig: { check: checkTools, acts: new Set(["tools"]), carried: ["tools", "tool_choice"] },
  additionalModelRequestFields: { check: checkOwn, acts: true, carried: ["reasoning", "top_k"] },
  outputConfig: { check: checkObject, carried: "format" },
  serviceTier: { check: checkObject, acts: true, unless: isPlain("type", "default") },
  performanceConfig: { check: checkObject, acts: true, unless: isPlain("latency", "standard") },
  // They belong to an account of AWS's, which is not the client's.
  guardrailConfig: { check: impossible, acts: true },
  promptVariables: { check: impossible, acts: true },
  additionalModelResponseFieldPaths: { check: optionalArray, carried: "stop" },
});

/** Checks a request. Whether it streams stands in the `address`. Throws `invalid_request`. */
export function readRequest(body: OutlinedBody, address?: Address): ChatCall {
  const { outline } = body;
  fields.check(outline, body);
  refuseAddresses(outline);
  const { inferenceConfig: config } = outline;
  const { maxTokens } = settings.check(isObject(config) ? config : {});
  return {
    stream: address?.stream ?? false,
    max_output_tokens: maxTokens ?? null,
    choices: 1,
    user: null,
    hide_usage: false,
    switches: readSwitches(outline),
  };
}

/** An object of S3 would be read with the gateway's role, which may read what the client may not. */
function refuseAddresses({ messages, system }: Fields): void {
  if (!someObject([messages, system], (part) => !isAbsent(part.s3Location))) return;
  const message = "`s3Location` is not possible here: send the bytes as base64.";
  throw new GatewayError("invalid_request", { message, param: "messages" });
}

function impossible(fields: Fields, name: string): void {
  if (!isAbsent(fields[name])) throw notPossible(name);
}

function notPossible(name: string): GatewayError {
  return new GatewayError("invalid_request", { message: `\`${name}\` is not possible here.`, param: name });
}

function isPlain(member: string, word: string): (value: unknown) => boolean {
  return (value) => isObject(value) && value[member] === word;
}

function checkObject(fields: Fields, name: string): void {
  if (!isAbsent(fields[name]) && !isObject(fields[name])) throw invalidField(name, "an object");
}

function optionalBlocks(fields: Fields, name: string): void {
  for (const [index, block] of (optionalArray(fields, name) ?? []).entries())
    if (!isObject(block)) throw invalidField(`${name}[${index}]`, "an object");
}

function checkMessage(message: unknown, name: string): void {
  if (!isObject(message)) throw invalidField(name, "an object");
  const { role, content } = message;
  if (role !== "user" && role !== "assistant") throw invalidField(`${name}.role`, "user or assistant");
  if (!Array.isArray(content)) throw invalidField(`${name}.content`, "an array of blocks");
  for (const [index, block] of content.entries())
    if (!isObject(block)) throw invalidField(`${name}.content[${index}]`, "an object");
}

function checkTools(fields: Fields, name: string): void {
  const config = fields[name];
  if (isAbsent(config)) return;
  if (!isObject(config)) throw invalidField(name, "an object");
  for (const [index, tool] of (Array.isArray(config.tools) ? config.tools : [undefined]).entries())
    if (!isObject(tool))
      throw invalidField(`${name}.tools${tool === undefined ? "" : `[${index}]`}`, "a list of tools");
}

function checkOwn(fields: Fields, name: string): void {
  checkObject(fields, name);
  const own = fields[name];
  if (!isObject(own)) return;
  const unknown = Object.keys(own).find((key) => !isAbsent(own[key]) && !Object.hasOwn(ownFields.rows, key));
  if (unknown !== undefined) throw notPossible(`${name}.${unknown}`);
  ownFields.check(own);
}
