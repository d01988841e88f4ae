/** Whether policies bound the output of a call. The code that does it is loaded with the first such call. */

import { outputBoundOf } from "../../books/accounts/policy-in-force.ts";
import type { Decoded } from "./decode.ts";
import type { Deps } from "./deps.ts";

/** A call within the most output tokens that its policies allow. Throws `permission_denied` for one that asks for more. */
export function withOutputBound(decoded: Decoded, deps: Pick<Deps, "catalog">): Decoded | Promise<Decoded> {
  const bound = outputBoundOf(decoded.principal);
  if (!bound || decoded.protocol.kind !== "chat") return decoded;
  return import("./output-bound.ts").then(({ boundOutput }) => boundOutput(decoded, bound, deps));
}
