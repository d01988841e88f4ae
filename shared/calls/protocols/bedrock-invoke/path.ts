/** What stands in the path of a call of Amazon Bedrock's: the model, and in the action's name whether it streams. */

import { GatewayError } from "../../../base/errors.ts";
import { modelOfProfile } from "../../../books/catalog/inference-profile.ts";
import type { Address, AddressedRequest } from "../protocol.ts";

/** Headers of Bedrock's that change what an answer means. None of our providers is asked in them. */
const impossible = ["x-amzn-bedrock-guardrailidentifier"] as const;

/** Reads the path. Throws `invalid_request` for a guardrail, without which the answer would not be what was asked for. */
export function address(parameter: string, { path, headers }: AddressedRequest): Address {
  const header = impossible.find((name) => headers[name] !== undefined);
  if (header) {
    const message = `\`${header}\` is not possible here.`;
    throw new GatewayError("invalid_request", { message, param: header });
  }
  const stream = path.endsWith("-stream");
  return { model: parameter, also: namesOf(parameter), host: "bedrock", stream, json_array: false };
}

/** Other names of a model that is named in Bedrock's way, best first (bedrock-clients.md "Names of models"). */
function namesOf(name: string): string[] {
  const id = name.replace(/^arn:[^/]*\//, "");
  const base = modelOfProfile(id) ?? id;
  const [, maker, model = ""] = /^([a-z0-9]+)\.([^:/]+?)(?:-v\d+)?(?::.*)?$/.exec(base) ?? [];
  const own = maker === undefined ? [] : [`${maker}/${model}`, `${maker}/${model.replace(/-\d{8}$/, "")}`];
  return [...new Set([id, base, ...own])].filter((other) => other !== name);
}
