/** Fields that name other models than the one whose price the call has. Vendors that sell many models take them. */
import { GatewayError } from "../../base/errors.ts";
import { type Fields, isAbsent } from "../../base/json/fields.ts";

/**
 * Throws `invalid_request` where a request names further models in its body: their answers would have this one's price.
 */
export function refuseModels(fields: Fields, name: string): void {
  if (isAbsent(fields[name])) return;
  const message = `\`${name}\` is not supported: name further models in the header \`x-gateway-fallback\`.`;
  throw new GatewayError("invalid_request", { message, param: name });
}
