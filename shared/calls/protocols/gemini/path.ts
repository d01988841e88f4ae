/** What stands in the path of a Gemini call: the model and the action (protocols.md §3.1). */
import { GatewayError } from "../../../base/errors.ts";
import type { Address, AddressedRequest } from "../protocol.ts";

/** What a client can ask of a model (design §4). */
const actions = [
  "generateContent",
  "streamGenerateContent",
  "countTokens",
  "embedContent",
  "batchEmbedContents",
] as const;
type Action = (typeof actions)[number];

/** Splits `{model}:{action}`, decoded, at the last colon (protocols.md §0.5). Drops `models/`. Throws `not_found`. */
export function splitModelAction(parameter: string): { model: string; action: Action } {
  const colon = parameter.lastIndexOf(":");
  const action = actions.find((name) => name === parameter.slice(colon + 1));
  const model = parameter.slice(0, Math.max(0, colon)).replace(/^models\//, "");
  if (!action || !model) throw new GatewayError("not_found");
  return { model, action };
}

/** What the path of a generate call says; without `alt=sse` it is an array (protocols.md §3.1). Throws `not_found`. */
export function address(parameter: string, { query }: Pick<AddressedRequest, "query">): Address {
  const { model, action } = splitModelAction(parameter);
  if (action !== "generateContent" && action !== "streamGenerateContent") throw new GatewayError("not_found");
  const stream = action === "streamGenerateContent";
  return { model, stream, json_array: stream && query.get("alt") !== "sse" };
}

/** Reads the path of every other action. The route has taken the action off, so the model is left. */
export function modelAddress(parameter: string): Address {
  return { model: parameter.replace(/^models\//, ""), stream: false, json_array: false };
}

/** What follows a provider's base URL. `sse` asks for frames in place of one JSON array (protocols.md §3.1). */
export function upstreamPath(model: string, action: Action, sse: boolean): string {
  const escaped = model.split("/").map(encodeURIComponent).join("/");
  return `/v1beta/models/${escaped}:${action}${sse ? "?alt=sse" : ""}`;
}
