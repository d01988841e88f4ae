/** What calls for vectors and for pictures share at Amazon Bedrock. */
import { type Fields, isAbsent } from "../../../../base/json/fields.ts";
import type { HostedParts, PartedRequest } from "../host.ts";

/** An `InvokeModel` with this body. */
export function invocation(
  { headers }: Pick<PartedRequest, "headers">,
  model: string,
  body: object,
): HostedParts["requests"][number] {
  const path = `/model/${encodeURIComponent(model)}/invoke`;
  return { path, headers, body: [Buffer.from(JSON.stringify(body))] };
}

/** The names of what is given and not carried. */
export function leftOut(given: Fields, carried: readonly string[]): string[] {
  return Object.keys(given).filter((name) => !carried.includes(name) && !isAbsent(given[name]));
}
