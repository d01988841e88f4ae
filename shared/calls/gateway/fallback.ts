/**
 * Fallback: the models that a call names in `x-gateway-fallback` are asked in turn when every channel of its own model
 * has failed before the first frame (fallback.md). The model that answers is the one that is charged.
 */

import { GatewayError } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { describeError } from "../../base/platform/log.ts";
import { noneOfList } from "../../books/accounts/key-defaults.ts";
import { outputBoundOf } from "../../books/accounts/policy-in-force.ts";
import type { Model } from "../../books/catalog/catalog.ts";
import { callableModel } from "../access/callable-model.ts";
import type { ChannelOrder } from "../routing/order.ts";
import type { Admitted } from "./admit.ts";
import type { ChannelAnswer } from "./attempt.ts";
import type { Decoded } from "./decode.ts";
import type { Deps } from "./deps.ts";
import { ForwardFailed } from "./failures.ts";
import { intentOf } from "./intent.ts";
import { boundOutput } from "./output-bound.ts";
import { type Prepared, prepare } from "./prepare.ts";
import { quoteOf } from "./quote.ts";
import { type RoutedCandidate, routeBlindly } from "./route.ts";
import type { RouteTaken } from "./route-taken.ts";
import { stepWithin } from "./strict.ts";
import { withPricedSwitches } from "./switches.ts";

const header = "x-gateway-fallback";

/** The answer to a call, with the call as the model that answered has it. */
export interface CallAnswer {
  admitted: Admitted;
  answer: ChannelAnswer;
}

type ModelOrder = ChannelOrder<RoutedCandidate>;

export interface AskModel {
  /** Ends the attempts. */
  signal: AbortSignal;
  /** Asks the channels of a call's model, in their order as `told` tells it. Throws `ForwardFailed`. */
  ask(call: Admitted, told?: (order: ModelOrder) => ModelOrder): Promise<CallAnswer>;
}

/**
 * A call with the same call for each fallback that it names. `decoded` is the call as its request says it, before it
 * was made ready for its own model. Throws `invalid_request`, whose message says which name is wrong and why.
 */
export function nameFallbacks(prepared: Prepared, decoded: Decoded, deps: Deps): Prepared {
  const { protocol, request } = decoded;
  if (protocol.kind !== "chat") throw wrong("takes effect on chats alone: leave it out here.");
  const given = request.headers[header] ?? "";
  if (given === noneOfList) return prepared;
  const names = given.split(",").map((name) => name.trim());
  if (names.length > limits.fallbackModelsMax || names.includes("")) {
    throw wrong(`takes 1 to ${limits.fallbackModelsMax} models, separated by commas.`);
  }
  const fallbacks = names.map((name) => fallbackOf(name, decoded, deps));
  const models = [decoded, ...fallbacks].map(({ model }) => model);
  const again = models.find(({ id }, place) => models.findIndex((each) => each.id === id) < place);
  if (again) throw wrong(`must name other models than the request, each once. \`${again.id}\` stands twice.`);
  return { ...prepared, fallbacks };
}

/**
 * A call with the same call for each fallback that its policies name (books/accounts/policies.md "Fallbacks"). What cannot
 * take the call is left out, because the client has not asked for it.
 */
export function usualFallbacks(
  prepared: Prepared,
  decoded: Decoded,
  names: readonly string[],
  deps: Deps,
): Prepared {
  if (decoded.protocol.kind !== "chat") return prepared;
  const known = new Map<string, Decoded>();
  for (const name of names) {
    const call = fallbackIfAny(name, decoded, deps);
    if (call && call.model.id !== decoded.model.id) known.set(call.model.id, call);
  }
  const fallbacks = [...known.values()].slice(0, limits.fallbackModelsMax);
  return fallbacks.length === 0 ? prepared : { ...prepared, fallbacks };
}

function fallbackIfAny(name: string, decoded: Decoded, deps: Deps): Decoded | undefined {
  try {
    return fallbackOf(name, decoded, deps);
  } catch (error) {
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}

/** The call for one fallback. Whether that model can carry its fields is only looked at when it is asked. */
function fallbackOf(name: string, decoded: Decoded, deps: Deps): Decoded {
  const { protocol, principal, request } = decoded;
  try {
    const caller = { principal, at: request.received_at };
    const model = callableModel(name, protocol.capability, caller, deps);
    const call = withinBound({ ...decoded, model }, deps);
    if (routeBlindly(call, deps).placed.length === 0) throw unreachable(model);
    return withPricedSwitches(call, deps);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    throw wrong(`names a model that cannot take this call. ${error.message}`);
  }
}

/** A fallback may be able to answer with more than the call's own model, which needed no bound. */
function withinBound(call: Decoded, deps: Deps): Decoded {
  const bound = outputBoundOf(call.principal);
  return bound ? boundOutput(call, bound, deps) : call;
}

function unreachable({ id }: Model): GatewayError {
  return new GatewayError("invalid_request", {
    message: `The model \`${id}\` cannot be called on this route.`,
  });
}

function wrong(what: string): GatewayError {
  return new GatewayError("invalid_request", { message: `${header} ${what}`, param: header });
}

/** What became of one model's turn. */
interface Turn {
  model: string;
  asked: RouteTaken;
}

/**
 * Asks a call's model and then its fallbacks, until one answers. Gives the answer with the call of the model that gave
 * it. Throws the `ForwardFailed` of the first model where all have failed, and at once where a provider blames the
 * request for it. A fallback that cannot carry the request, or whose provider blames it, is passed over.
 */
export async function forwardInTurn(
  first: Admitted,
  { signal, ask }: AskModel,
  deps: Deps,
): Promise<CallAnswer> {
  const turns: Turn[] = [];
  let rejection: GatewayError | undefined;
  for (let place = 0; place <= (first.fallbacks?.length ?? 0); place++) {
    const attempted = attemptsIn(turns);
    const call = place === 0 ? coveredBy(first) : await turnTo(place, { ...first, attempted }, deps);
    if (!call) continue;
    const { id: model } = call.model;
    try {
      const { admitted, answer } = await ask(call, place === 0 ? undefined : asFallback);
      return { admitted, answer: { ...answer, ...askedInAll([...turns, { model, asked: answer }], model) } };
    } catch (error) {
      if (!(error instanceof ForwardFailed)) throw error;
      turns.push({ model, asked: error.asked });
      rejection ??= error.rejection;
      // A request that is wrong is the client's to mend, and a call whose time is over asks nobody else.
      if (signal.aborted || (place === 0 && isBlamed(error.asked))) break;
    }
  }
  throw new ForwardFailed(rejection as GatewayError, askedInAll(turns, first.model.id));
}

/**
 * The call for the fallback at this place, from 1. Before its provider is asked, the intent says so: if this process
 * dies now, the call is billed as one of this model. Undefined where the model cannot carry the request, or the intent
 * cannot be written.
 */
async function turnTo(
  place: number,
  { fallbacks = [], ...first }: Admitted,
  deps: Deps,
): Promise<Admitted | undefined> {
  const { ticket, limitStatus, scope, recorder, attempted, model, request } = first;
  const decoded = fallbacks[place - 1] as Decoded;
  try {
    const prepared = await prepare(decoded, deps);
    const held = { ticket, limitStatus, scope, recorder, attempted, requested_model: model.id };
    const left = { fallbacks: fallbacks.slice(place) };
    const call = coveredBy({ ...prepared, ...quoteOf(prepared, null, deps), ...held, ...left });
    // A later attempt's intent takes the place of an earlier one, also where that one arrives late.
    await deps.meters.intend(intentOf(ticket.hold, call, call), (ticket.hold.attempt ?? 1) + place);
    return call;
  } catch (error) {
    deps.log("warn", "fallback_skipped", {
      request: request.id,
      model: decoded.model.id,
      error: describeError(error),
    });
    return undefined;
  }
}

/** The order, told as one of a fallback. A probe stays one, because its claim is given back by that. */
function asFallback({ placed, ...order }: ModelOrder): ModelOrder {
  return {
    ...order,
    placed: placed.map((each) => (each.why === "probe" ? each : { ...each, why: "fallback" })),
  };
}

/** The call with the step that its hold covers. The hold is that of the dearest model, so it may cover more than one. */
function coveredBy(call: Admitted): Admitted {
  const { steps, bounds, price, ticket } = call;
  return steps ? { ...call, steps: stepWithin(bounds, price, ticket.hold.points) } : call;
}

/** Whether a provider has blamed the request. Then nobody else is asked for this model. */
function isBlamed({ route }: RouteTaken): boolean {
  return route?.attempts.some(({ outcome }) => outcome === "blamed") ?? false;
}

function attemptsIn(turns: readonly Turn[]): number {
  return turns.reduce((sum, { asked }) => sum + asked.attempts, 0);
}

/** Whom all turns together have asked, told of a call of this model. The last turn in which somebody was asked leads. */
function askedInAll(turns: Turn[], model: string): RouteTaken {
  const last = turns.findLast(({ asked }) => asked.attempts > 0) ?? (turns.at(-1) as Turn);
  const attempts = turns.flatMap(({ model: each, asked }) =>
    (asked.route?.attempts ?? []).map((attempt) => (each === model ? attempt : { ...attempt, model: each })),
  );
  const { provider, route, routeHeaders } = last.asked;
  return {
    provider,
    attempts: attemptsIn(turns),
    route: route && { ...route, attempts: attempts.slice(-limits.routeAttemptsMax) },
    routeHeaders: { ...routeHeaders, "x-gateway-model": last.model },
  };
}
