/**
 * Begins to use fallback for a call that names other models (fallback.md). The code that does it is loaded with the
 * first such call, because few calls name any.
 */

import type { Admitted } from "./admit.ts";
import type { Decoded } from "./decode.ts";
import type { Deps } from "./deps.ts";
import type { AskModel, CallAnswer } from "./fallback.ts";
import type { Prepared } from "./prepare.ts";

const load = () => import("./fallback.ts");

/**
 * A call with the models that its header names. `decoded` is the call as its request says it, before it was made ready
 * for its own model. Throws `invalid_request` for a header that is wrong, before anything is held.
 */
export async function withFallbacks(prepared: Prepared, decoded: Decoded, deps: Deps): Promise<Prepared> {
  if (decoded.request.headers["x-gateway-fallback"] === undefined) return prepared;
  const { nameFallbacks } = await load();
  return nameFallbacks(prepared, decoded, deps);
}

/** Asks the call's model, and then the models that it names, until one answers. Throws `ForwardFailed`. */
export function askInTurn(admitted: Admitted, asking: AskModel, deps: Deps): Promise<CallAnswer> {
  if (!admitted.fallbacks) return asking.ask(admitted);
  return load().then(({ forwardInTurn }) => forwardInTurn(admitted, asking, deps));
}
