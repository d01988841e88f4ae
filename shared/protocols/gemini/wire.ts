/**
 * The path and the fields of a Gemini request we act on (contract §4.7, protocols.md §3.1–3.2). Model and
 * action stand in the path; every other field of the body is the provider's.
 */
import type { ChatCall } from "../../chat/call.ts";
import { GatewayError } from "../../errors.ts";
import { type JsonBody, membersOf, refuseDuplicates } from "../../json/body.ts";
import {
  type Fields,
  invalidField,
  isAbsent,
  isObject,
  optionalArray,
  optionalInteger,
  optionalNumber,
  optionalStop,
  requiredArray,
} from "../../json/fields.ts";
import { limits } from "../../limits.ts";
import type { Address } from "../protocol.ts";
import { camel, camelKeys } from "./names.ts";
import { readSwitches } from "./switches.ts";

export { camelKeys };

/** What a client can ask of a model (design §4). */
export const actions = [
  "generateContent",
  "streamGenerateContent",
  "countTokens",
  "embedContent",
  "batchEmbedContents",
] as const;
export type Action = (typeof actions)[number];

/**
 * Splits `{model}:{action}`, already percent-decoded, at its last colon: model ids may hold colons and
 * slashes (protocols.md §0.5). A `models/` in front is not part of the id. Throws `not_found` for an
 * action we do not serve.
 */
export function splitModelAction(parameter: string): { model: string; action: Action } {
  const colon = parameter.lastIndexOf(":");
  const action = actions.find((name) => name === parameter.slice(colon + 1));
  const model = parameter.slice(0, Math.max(0, colon)).replace(/^models\//, "");
  if (!action || !model) throw new GatewayError("not_found");
  return { model, action };
}

/**
 * What the path says of a generate call; a stream without `alt=sse` is one JSON array (protocols.md §3.1).
 * Throws `not_found`.
 */
export function address(parameter: string, query: URLSearchParams): Address {
  const { model, action } = splitModelAction(parameter);
  if (action !== "generateContent" && action !== "streamGenerateContent") throw new GatewayError("not_found");
  const stream = action === "streamGenerateContent";
  return { model, stream, json_array: stream && query.get("alt") !== "sse" };
}

/** What the path of every other action says: the model, whose action the route has taken off. */
export function modelAddress(parameter: string): Address {
  return { model: parameter.replace(/^models\//, ""), stream: false, json_array: false };
}

/** What follows a provider's base URL. `sse` asks for frames in place of one JSON array (protocols.md §3.1). */
export function upstreamPath(model: string, action: Action, sse: boolean): string {
  const escaped = model.split("/").map(encodeURIComponent).join("/");
  return `/v1beta/models/${escaped}:${action}${sse ? "?alt=sse" : ""}`;
}

export const keys: ReadonlySet<string> = new Set([
  "model",
  "contents",
  "generationConfig",
  "systemInstruction",
  "cachedContent",
  "serviceTier",
  "tools",
]);
const configKeys: ReadonlySet<string> = new Set(["maxOutputTokens", "candidateCount", "responseModalities"]);

/**
 * Checks a generate request and reads what admission and metering need. Whether it streams stands in the
 * `address`. Throws `invalid_request`.
 */
export function readRequest(body: JsonBody, address?: Address): ChatCall {
  refuseRepeated(body, keys);
  const fields = camelKeys(body.value);
  for (const [index, content] of requiredArray(fields, "contents").entries()) {
    checkContent(content, `contents[${index}]`);
  }
  if (!isAbsent(fields["systemInstruction"])) checkContent(fields["systemInstruction"], "systemInstruction");
  optionalArray(fields, "tools");
  const config = readConfig(body, fields["generationConfig"]);
  optionalNumber(config, "temperature", 0, 2);
  optionalNumber(config, "topP", 0, 1);
  optionalStop(config, "stopSequences");
  return {
    stream: address?.stream ?? false,
    json_array: address?.json_array ?? false,
    max_output_tokens: optionalInteger(config, "maxOutputTokens", 1) ?? null,
    choices: optionalInteger(config, "candidateCount", 1, limits.choicesMax) ?? 1,
    user: null,
    hide_usage: false,
    unseen_input: !isAbsent(fields["cachedContent"]),
    switches: readSwitches(fields, config),
  };
}

/** Refuses a key given twice, in either spelling: what is priced must be what is sent (design §4). */
export function refuseRepeated({ members }: Pick<JsonBody, "members">, names: ReadonlySet<string>): void {
  refuseDuplicates(
    members.map((member) => ({ ...member, key: camel(member.key) })),
    names,
  );
}

function readConfig(body: JsonBody, config: unknown): Fields {
  if (isAbsent(config)) return {};
  if (!isObject(config)) throw invalidField("generationConfig", "an object");
  const at = body.members.find(({ key }) => camel(key) === "generationConfig");
  if (at)
    refuseRepeated({ members: membersOf(body.bytes.subarray(at.value_start, at.value_end)) }, configKeys);
  return camelKeys(config);
}

/** Checks one content: an object with parts. Throws `invalid_request` under its `name`. */
export function checkContent(content: unknown, name: string): void {
  if (!isObject(content)) throw invalidField(name, "an object");
  if (!Array.isArray(content["parts"])) throw invalidField(`${name}.parts`, "an array");
}
