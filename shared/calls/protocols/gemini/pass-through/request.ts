/** Gemini requests passed through by splicing. */

import { type OutlinedBody, type Slices, sliced } from "../../../../base/json/body.ts";
import type { ChatCall } from "../../../../books/billing/call.ts";

/** The client's bytes. The model stands in the path; a body that repeats it gets the provider's name too. */
export function passThrough(body: OutlinedBody, _call: ChatCall, model: string): Slices {
  const at = body.members.find(({ key }) => key === "model");
  if (!at) return [body.bytes];
  const text = JSON.stringify(`models/${model}`);
  return sliced(body.bytes, [{ start: at.value_start, end: at.value_end, text }]);
}
