/** Refusals as SCIM tells them (RFC 7644 §3.12). */
import { type ErrorKey, GatewayError } from "../../base/errors.ts";

/** Why a request is not good, where RFC 7644 has a word for it. */
type ScimType =
  | "invalidFilter"
  | "invalidPath"
  | "invalidSyntax"
  | "invalidValue"
  | "mutability"
  | "uniqueness";

/** A refusal with SCIM's own word for it. */
export class ScimError extends GatewayError {
  readonly scimType: ScimType;

  constructor(key: ErrorKey, scimType: ScimType, message: string) {
    super(key, { message });
    this.scimType = scimType;
  }
}

/** A value that an attribute may not have. */
export function invalidValue(attribute: string, must: string): ScimError {
  return new ScimError("invalid_request", "invalidValue", `\`${attribute}\` must be ${must}.`);
}
