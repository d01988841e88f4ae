/** Gemini requests passed through by splicing. */

import { type OutlinedBody, type Slices, sliced } from "../../../../base/json/body.ts";
import type { ChatCall } from "../../../../books/billing/call.ts";

/** The client's bytes. The model stands in the path; a body that repeats it gets the provider's name too. */
export function passThrough(body: OutlinedBody, _call: ChatCall, model: string): Slices {
  return withName(body, model, () => undefined);
}

/** The client's bytes with the provider's name for the model, also in the members that `renamed` gives anew. */
export function withName(
  { bytes, members }: Pick<OutlinedBody, "bytes" | "members">,
  model: string,
  renamed: (key: string, name: string) => unknown,
): Slices {
  const name = `models/${model}`;
  const splices = members.flatMap(({ key, value_start, value_end }) => {
    const value = key === "model" ? name : renamed(key, name);
    return value === undefined ? [] : [{ start: value_start, end: value_end, text: JSON.stringify(value) }];
  });
  return sliced(bytes, splices);
}
