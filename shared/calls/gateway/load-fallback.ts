/**
 * Begins to use fallback for a call that names other models (fallback.md). The code that does it is loaded with the
 * first such call, because few calls name any.
 */

import { fallbacksOf } from "../../books/accounts/policy-in-force.ts";
import type { Admitted } from "./admit.ts";
import type { Decoded } from "./decode.ts";
import type { Deps } from "./deps.ts";
import type { AskModel, CallAnswer } from "./fallback.ts";
import type { Prepared } from "./prepare.ts";

const load = () => import("./fallback.ts");

/**
 * A call with the models that its header names, or else those of its policies. `decoded` is the call as its request says
 * it, before it was made ready for its own model. Throws `invalid_request` for a header that is wrong, before anything is held.
 */
export async function withFallbacks(prepared: Prepared, decoded: Decoded, deps: Deps): Promise<Prepared> {
  const named = decoded.request.headers["x-gateway-fallback"] !== undefined;
  const usual = fallbacksOf(decoded.principal);
  if (!named && usual.length === 0) return prepared;
  const { nameFallbacks, usualFallbacks } = await load();
  return named ? nameFallbacks(prepared, decoded, deps) : usualFallbacks(prepared, decoded, usual, deps);
}

/** Asks the call's model, and then the models that it names, until one answers. Throws `ForwardFailed`. */
export function askInTurn(admitted: Admitted, asking: AskModel, deps: Deps): Promise<CallAnswer> {
  if (!admitted.fallbacks) return asking.ask(admitted);
  return load().then(({ forwardInTurn }) => forwardInTurn(admitted, asking, deps));
}
