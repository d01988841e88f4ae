/** The fields of a Gemini request, in camel case. Parts and tools have no rows: their members depend on each other. */

import { GatewayError } from "../../../base/errors.ts";
import { type OutlinedBody, refuseDuplicates } from "../../../base/json/body.ts";
import {
  asText,
  type Fields,
  invalidField,
  isAbsent,
  isObject,
  optionalArray,
  optionalExactInteger,
  optionalStop,
} from "../../../base/json/fields.ts";
import { limits } from "../../../base/limits.ts";
import type { ChatCall } from "../../../books/billing/call.ts";
import { fieldTable, integer, items, number } from "../field-table.ts";
import type { Address } from "../protocol.ts";
import { camel, camelKeys } from "./names.ts";
import { readSwitches } from "./switches.ts";

/** The fields of `generationConfig`. */
export const settings = fieldTable(
  {
    temperature: { check: number(0, 2), carried: true },
    topP: { check: number(0, 1), carried: "top_p" },
    stopSequences: { check: optionalStop, carried: "stop" },
    maxOutputTokens: { check: integer(1), acts: true, carried: "max_output_tokens" },
    candidateCount: { check: integer(1, limits.choicesMax), acts: true, refused: cannotCross, unless: [1] },
    responseModalities: { acts: true, refused: cannotCross, unless: isTextOnly },
    responseLogprobs: { refused: cannotCross, unless: [false] },
    responseFormat: { refused: cannotCross },
    topK: { read: integer(1), carried: "top_k" },
    seed: { read: optionalExactInteger, carried: true },
    responseMimeType: { carried: "format" },
    responseSchema: { carried: "format" },
    responseJsonSchema: { carried: "format" },
    thinkingConfig: { carried: "reasoning" },
  },
  { at: "generationConfig" },
);

export const fields = fieldTable(
  {
    model: { acts: true, carried: true },
    contents: { check: items(checkContent), acts: true, carried: "messages" },
    systemInstruction: { check: checkInstruction, acts: true, carried: "system" },
    tools: { check: optionalArray, acts: true, carried: true },
    // Its own table says what becomes of each setting.
    generationConfig: { check: checkObject, acts: settings.acted, carried: true },
    serviceTier: { acts: true, carried: "ways" },
    // It holds turns that only Google knows.
    cachedContent: { acts: true, refused: cannotCross },
    toolConfig: { carried: ["tool_choice", "tools"] },
  },
  { spelled: camel },
);

/** Checks a generate request. Whether it streams stands in the `address`. Throws `invalid_request`. */
export function readRequest(body: OutlinedBody, address?: Address): ChatCall {
  refuseRepeated(body, fields.acted);
  const given = camelKeys(body.outline);
  fields.check(given, body);
  const config = isObject(given.generationConfig) ? camelKeys(given.generationConfig) : {};
  const { maxOutputTokens, candidateCount } = settings.check(config, body);
  return {
    stream: address?.stream ?? false,
    json_array: address?.json_array ?? false,
    max_output_tokens: maxOutputTokens ?? null,
    choices: candidateCount ?? 1,
    user: null,
    hide_usage: false,
    unseen_input: !isAbsent(given.cachedContent),
    switches: readSwitches(given, config),
  };
}

/** Refuses a key given twice, in either spelling: what is priced must be what is sent (design §4). */
export function refuseRepeated({ members }: Pick<OutlinedBody, "members">, names: ReadonlySet<string>): void {
  refuseDuplicates(
    members.map((member) => ({ key: camel(member.key) })),
    names,
  );
}

/** The error of a field that the provider of another protocol has no counterpart for. */
export function cannotCross(name: string): GatewayError {
  const message = `\`${name}\` is not available for this model.`;
  return new GatewayError("invalid_request", { message, param: name });
}

function isTextOnly(modalities: unknown): boolean {
  return (
    Array.isArray(modalities) && modalities.every((modality) => asText(modality).toUpperCase() === "TEXT")
  );
}

function checkInstruction(fields: Fields, name: string): void {
  if (!isAbsent(fields[name])) checkContent(fields[name], name);
}

function checkObject(fields: Fields, name: string): void {
  if (!isAbsent(fields[name]) && !isObject(fields[name])) throw invalidField(name, "an object");
}

/** Checks one content: an object with parts. Throws `invalid_request` under its `name`. */
export function checkContent(content: unknown, name: string): void {
  if (!isObject(content)) throw invalidField(name, "an object");
  if (!Array.isArray(content.parts)) throw invalidField(`${name}.parts`, "an array");
}
