/** Fields that are refused as not supported: the price of the call does not cover what they ask for. */
import { GatewayError } from "../../base/errors.ts";
import { type Fields, isAbsent } from "../../base/json/fields.ts";

const searchTool = ": ask for a search by a tool";

/** What a client can do instead, by the field. */
const instead: Partial<Record<string, string>> = {
  models: ": name further models in the header `x-gateway-fallback`",
  provider: ": the header `x-gateway-route` takes wishes about providers",
  enable_search: searchTool,
  enable_enhancement: searchTool,
  search_parameters: searchTool,
};

/** Throws `invalid_request` for what the price of the model alone does not cover: other models, hosts and additions. */
function refuseGiven(fields: Fields, name: string): void {
  if (!isAbsent(fields[name])) throw unsupported(name);
}

function refuseOn(fields: Fields, name: string): void {
  if (fields[name] !== false) refuseGiven(fields, name);
}

/** The row of a field that no request may give. */
export const notServed = { check: refuseGiven, acts: true } as const;

/** The row of a switch that a request may only give as `false`. */
export const servedOff = { check: refuseOn, acts: true } as const;

/** An `invalid_request` about a field of the protocol that cannot be served. */
export function unsupported(name: string): GatewayError {
  const message = `\`${name}\` is not supported${instead[name] ?? ""}.`;
  return new GatewayError("invalid_request", { message, param: name });
}
