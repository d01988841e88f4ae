import { type JsonBody, type Slices, sliced } from "../../../base/json/body.ts";
import type { ChatCall } from "../../../books/billing/call.ts";
import type { Traits } from "../../../books/catalog/traits.ts";

/** The client's bytes. The model stands in the path. A guardrail is the operator's, and comes behind the last member. */
export function passThrough(
  { bytes, members }: Pick<JsonBody, "bytes" | "members">,
  _call: ChatCall,
  _model: string,
  { guardrail }: Traits = {},
): Slices {
  const last = members.at(-1);
  if (!guardrail || !last) return [bytes];
  const config = JSON.stringify({ guardrailIdentifier: guardrail.id, guardrailVersion: guardrail.version });
  // A client's own is refused before, unless it is null.
  const empty = members.find(({ key }) => key === "guardrailConfig");
  if (empty) return sliced(bytes, [{ start: empty.value_start, end: empty.value_end, text: config }]);
  return sliced(bytes, [
    { start: last.value_end, end: last.value_end, text: `,"guardrailConfig":${config}` },
  ]);
}
