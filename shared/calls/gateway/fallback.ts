/**
 * Begins to use fallback for a call that names other models (fallback.md). The code that does it is loaded with the
 * first such call, because few calls name any.
 */

import { describeError } from "../../base/platform/log.ts";
import { callableModel } from "../access/callable-model.ts";
import type { Order } from "../routing/order.ts";
import { type Admitted, intentOf, quoteOf } from "./admit.ts";
import type { Answer } from "./attempt.ts";
import type { Decoded } from "./decode.ts";
import type { Deps } from "./deps.ts";
import { ForwardFailed } from "./failures.ts";
import { type Prepared, prepare } from "./prepare.ts";
import { type RoutedCandidate, routeBlindly } from "./route.ts";
import { stepWithin } from "./strict.ts";
import { withPricedSwitches } from "./switches.ts";

/**
 * The steps of the path that a call takes again for another model. They are given to the part that is loaded. If it
 * imported them, the bundler would cut the code of every start into many more files.
 */
const steps = {
  callableModel,
  describeError,
  ForwardFailed,
  intentOf,
  prepare,
  quoteOf,
  routeBlindly,
  stepWithin,
  withPricedSwitches,
};
export type Steps = typeof steps;

const load = () => import("./fallback-call.ts");

/**
 * A call with the models that its header names. `decoded` is the call as its request says it, before it was made ready
 * for its own model. Throws `invalid_request` for a header that is wrong, before anything is held.
 */
export async function withFallbacks(prepared: Prepared, decoded: Decoded, deps: Deps): Promise<Prepared> {
  if (decoded.request.headers["x-gateway-fallback"] === undefined) return prepared;
  const { nameFallbacks } = await load();
  return nameFallbacks(prepared, decoded, steps, deps);
}

/** The answer to a call, with the call as the model that answered has it. */
export interface Answered {
  admitted: Admitted;
  answer: Answer;
}

export interface Asking {
  /** Ends the attempts. */
  signal: AbortSignal;
  /** Asks the channels of a call's model, in their order as `told` tells it. Throws `ForwardFailed`. */
  ask(call: Admitted, told?: (order: ModelOrder) => ModelOrder): Promise<Answered>;
}

export type ModelOrder = Order<RoutedCandidate>;

/** Asks the call's model, and then the models that it names, until one answers. Throws `ForwardFailed`. */
export async function askInTurn(admitted: Admitted, asking: Asking, deps: Deps): Promise<Answered> {
  if (!admitted.fallbacks) return await asking.ask(admitted);
  const { forwardInTurn } = await load();
  return await forwardInTurn(admitted, asking, steps, deps);
}
