/** Reads the JSON body of a request to the console. */
import { GatewayError, invalidRequest } from "../../base/errors.ts";
import { readJsonObject, refuseDuplicates } from "../../base/json/body.ts";
import { invalidField } from "../../base/json/fields.ts";
import type { ConsoleRequest } from "./call.ts";

/** Throws `unsupported_encoding` for an encoded body, and `invalid_request` for a type that is not JSON. */
export function checkForm({ headers, body }: Pick<ConsoleRequest, "headers" | "body">): void {
  if (body.length === 0) return;
  const encoding = headers["content-encoding"];
  if (encoding && encoding !== "identity") throw new GatewayError("unsupported_encoding");
  const [type = ""] = (headers["content-type"] ?? "").split(";");
  if (type !== "" && !/^\s*application\/(?:[\w.-]+\+)?json\s*$/i.test(type))
    throw invalidRequest("The body must be JSON. Send it as `content-type: application/json`.");
}

/** Fields that have these names, where they were given. */
export type FieldsOf<Name extends string> = { readonly [Field in Name]?: unknown };

/** The fields of a body. Throws `invalid_request` for what is no JSON object, and for an unknown or repeated field. */
export function readFields<Name extends string>(
  { body }: Pick<ConsoleRequest, "body">,
  known: readonly Name[],
): FieldsOf<Name> {
  if (body.length === 0) return {};
  const { members, value } = readJsonObject(body);
  const unknown = Object.keys(value).find((name) => !(known as readonly string[]).includes(name));
  if (unknown !== undefined)
    throw invalidField(unknown, known.length > 0 ? `absent: the fields are ${known.join(", ")}` : "absent");
  refuseDuplicates(members, new Set(known));
  return value as FieldsOf<Name>;
}
