/** The attempts of one call: each is sent to the next channel of its order, and told when it has ended. */
import { GatewayError } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import type { AttemptOutcome, ToldAttempt } from "../../books/ledger/usage-event.ts";
import type { Exchange } from "../exchange/call.ts";
import { createExchange } from "../exchange/exchange.ts";
import { targetOf } from "../exchange/target.ts";
import type { Observed } from "../routing/observe.ts";
import type { ChannelOrder, PlacedChannel } from "../routing/order.ts";
import { witnessOf } from "../routing/witness.ts";
import type { AskedChannel, AttemptTrace } from "../telemetry/trace.ts";
import { type Access, accessTo, ownAccess } from "../upstreams/credentials/index.ts";
import { type ChannelFailure, channelFailure, RequestBlamed, unanswered } from "../upstreams/fault.ts";
import type { Admitted } from "./admit.ts";
import { type AttemptAnswer, attempt, timingOf } from "./attempt.ts";
import type { Deps } from "./deps.ts";
import {
  errorType,
  ForwardFailed,
  isProviderFault,
  type LoggedAttempt,
  logFault,
  logRefused,
  upstreamStatus,
} from "./failures.ts";
import { type Breakable, breakable, isRaceable } from "./raceable.ts";
import type { RoutedCandidate } from "./route.ts";
import { type Notes, type RouteTaken, routeTakenOf } from "./route-taken.ts";
import { toldFacts } from "./told-attempt.ts";

/** What a call needs to be sent. */
export interface Sending {
  /** Ends the attempts. */
  signal: AbortSignal;
  order: ChannelOrder<RoutedCandidate>;
  notes: Notes;
}

/** An attempt that has been sent. */
export interface SentAttempt {
  placed: PlacedChannel<RoutedCandidate>;
  /** Unix milliseconds. */
  sent_at: number;
  /** How it ends. Rejects only with an error of ours. */
  ended: Promise<Ended>;
  /** Where the call is traced. */
  trace: AttemptTrace | undefined;
  /** Breaks it off. An attempt of a call that cannot be raced has nothing that does this alone. */
  abort: (() => void) | undefined;
}

/** How an attempt ended. */
export type Ended = { attempt: SentAttempt } & (
  | { outcome: "answered"; answer: AttemptAnswer }
  | { outcome: "blamed"; error: GatewayError }
  | (ChannelFailure & { error: Error })
);

/** What an attempt's end says beside its outcome. `status`: the one that the provider refused with. */
type EndFacts = Pick<Observed, "raced" | "wait_ms"> & { is_certain?: boolean; status?: number | undefined };

/** The attempts of a call, and what is told of them. */
export interface Attempts {
  call: { admitted: Admitted; sending: Sending; deps: Deps };
  /** A late attempt of this call has been raced. */
  isRaced: boolean;
  /** The answer is that of a race. */
  isWon: boolean;
  /** Whether the attempt that was sent last may be raced by the next channel, should it be late. */
  mayRace(): boolean;
  /** The channel that is asked next, as far as is known before its credential is looked up. */
  upcoming(): PlacedChannel<RoutedCandidate> | undefined;
  /**
   * Sends the next attempt. Undefined where no channel is left that can carry the call, and where it is no longer
   * `isWanted` when it could be sent.
   */
  next(isWanted?: () => boolean): Promise<SentAttempt | undefined>;
  /**
   * Notes, counts and logs how an attempt ended. `isLate` says that another channel was asked because this one was
   * late.
   */
  tell(ended: Ended, isLate?: boolean): void;
  /** Notes the end of an attempt. Gives what a log line says of it. */
  note(sent: SentAttempt, outcome: AttemptOutcome, more?: EndFacts): LoggedAttempt;
  /**
   * Whether another channel may take the request that this one blames. That is so for one that is larger than a limit of
   * ours there. It is so for reasoning that the channel cannot read, once one was left that may have made it.
   */
  passesOver(blamed: GatewayError): boolean;
  /** Whom the call has asked until now. */
  asked(): RouteTaken;
  /** The error of a call that no channel has answered. */
  failed(): ForwardFailed;
}

/** The attempts of a call that has sent none. */
export function createAttempts(admitted: Admitted, sending: Sending, deps: Deps): Attempts {
  const { order, signal, notes } = sending;
  const { placed: places } = order;
  const { attempted = 0 } = admitted;
  const canRace = isRaceable(admitted, order, deps);
  const tellings: ToldAttempt[] = [];
  const failures: ChannelFailure[] = [];
  /** Why a channel cannot carry the request. Another one may. */
  let refusal: GatewayError | undefined;
  /** The place that is asked next. */
  let place = 0;

  const attempts: Attempts = {
    call: { admitted, sending, deps },
    isRaced: false,
    isWon: false,
    mayRace: () => canRace && !attempts.isRaced && place < places.length,
    upcoming: () => places[place],

    async next(isWanted = () => true) {
      for (let placed = places[place]; placed; placed = places[place]) {
        place += 1;
        const { channel } = placed;
        const access = await accessOf(channel, admitted, deps);
        if (!access || signal.aborted) continue;
        const exchange = await exchangeWith(channel, admitted, deps);
        if (!isWanted()) return undefined;
        if (!(exchange instanceof GatewayError)) {
          const own: Breakable = canRace ? breakable(signal) : { signal };
          return send({ admitted, placed, exchange, access }, own, place < places.length, deps);
        }
        refusal ??= exchange;
      }
      return undefined;
    },

    tell(ended, isLate = false) {
      const { attempt: sent } = ended;
      const { channel, health, left_ms } = sent.placed;
      const facts = factsOf(ended);
      if ("error" in ended) sent.trace?.ended(ended.outcome, deps.now(), errorType(ended.error));
      const logged = attempts.note(sent, ended.outcome, { raced: isLate, ...facts });
      if (ended.outcome === "answered") return;
      if (ended.outcome === "blamed")
        return logRefused(ended.error, channel.provider, logged, admitted, deps);
      // A refusal that names no wait leaves standing what an earlier one asked for.
      const known_ms = health === "limited" ? left_ms : undefined;
      failures.push({ ...ended, wait_ms: facts.wait_ms ?? known_ms, own: channel.own });
      logFault(ended.error, channel, logged, admitted, deps);
    },

    note(sent, outcome, told = {}) {
      const timing = timingOf({ admitted, sent_at: sent.sent_at }, deps);
      const ms = timing.attempt_ms;
      const observed = observationOf(admitted, sent, { outcome, ms, ...told });
      const { provider, channel } = observed;
      const own = sent.placed.channel.own !== undefined;
      const facts = toldFacts(sent.placed.channel, { outcome, ...told }, admitted, deps);
      tellings.push({ provider, channel, outcome, ms, ...facts });
      sent.trace?.ended(outcome, sent.sent_at + ms, undefined);
      // A call that runs out of time, or whose process ends, breaks its provider off. That is no fault of the channel.
      // What an organization's own account shows is nobody else's matter.
      if (!own && (!signal.aborted || outcome === "answered")) notes.note(observed);
      return { attempts: attempted + tellings.length, ...timing };
    },

    passesOver(blamed) {
      const isLeft = tellings.length > 1 || places.some(({ health }) => health !== "good");
      if (!mayBeTaken(blamed, isLeft)) return false;
      refusal ??= blamed;
      return true;
    },

    asked: () => routeTakenOf(order, { attempts: tellings, isWon: attempts.isWon }, admitted),

    failed() {
      const rejection = refusal && failures.length === 0 ? refusal : unanswered(failures);
      return new ForwardFailed(rejection, attempts.asked());
    },
  };
  return attempts;
}

/** A call that a channel can carry. `access` is the channel's. */
interface Sendable {
  admitted: Admitted;
  placed: PlacedChannel<RoutedCandidate>;
  exchange: Exchange;
  access: Access;
}

/** Sends an attempt, which `signal` and `abort` break off. `hasNext`: another channel is left. */
function send(
  { admitted, placed, exchange, access }: Sendable,
  { signal, abort }: Breakable,
  hasNext: boolean,
  deps: Deps,
): SentAttempt {
  const sent_at = deps.now();
  const firstByteMs = firstByteOf(admitted, hasNext);
  const trace = admitted.trace?.attempt({ ...askedChannel(placed.channel), sent_at });
  const made = { admitted, candidate: placed.channel, exchange, access, sent_at, firstByteMs, trace, signal };
  const sent = { placed, sent_at, trace, abort } as SentAttempt;
  sent.ended = endOf(sent, attempt(made, deps));
  return sent;
}

function factsOf(ended: Ended): EndFacts {
  if (!("error" in ended)) return {};
  const { wait_ms, is_certain = false } = "wait_ms" in ended ? ended : {};
  return { wait_ms, is_certain, status: upstreamStatus(ended.error) };
}

/** What an attempt that ended after `ms` milliseconds tells of its channel. */
function observationOf(
  { model, principal }: Admitted,
  { placed: { channel, why } }: SentAttempt,
  { outcome, ms, is_certain = false, status: _, ...more }: EndFacts & { outcome: AttemptOutcome; ms: number },
): Observed {
  const caller = witnessOf(principal.organization.id);
  return {
    ...{ model: model.id, provider: channel.provider, channel: channel.id, outcome, caller },
    witness: is_certain || outcome === "answered" ? undefined : caller,
    probed: why === "probe",
    ...(outcome === "lost" && { waited_ms: ms }),
    ...more,
  };
}

/** Whether another channel may take a request that one blames. `isLeft`: it may be one that was left. */
function mayBeTaken(blamed: GatewayError, isLeft: boolean): boolean {
  if (!(blamed instanceof RequestBlamed)) return false;
  return blamed.elsewhere || (isLeft && blamed.refuses_reasoning);
}

/** How an attempt ends whose reply or first frame is `coming`. */
async function endOf(sent: SentAttempt, coming: Promise<AttemptAnswer>): Promise<Ended> {
  try {
    return { attempt: sent, outcome: "answered", answer: await coming };
  } catch (error) {
    // A call may have many attempts. Those that are over listen to its end no longer.
    sent.abort?.();
    if (error instanceof GatewayError) return { attempt: sent, outcome: "blamed", error };
    if (!isProviderFault(error)) throw error;
    return { attempt: sent, error, ...channelFailure(error) };
  }
}

/**
 * How long a channel has for the head of its answer. The head of a whole answer comes with its last token, so only a
 * stream is asked of the next channel, or of the next model, earlier.
 */
function firstByteOf({ call, fallbacks = [] }: Admitted, hasChannel: boolean): number {
  const hasNext = hasChannel || fallbacks.length > 0;
  return call.stream && hasNext ? limits.upstreamFailoverMs : limits.upstreamSilenceMs;
}

/** A channel, as a trace tells it. */
function askedChannel({ provider, model, route }: RoutedCandidate): Omit<AskedChannel, "sent_at"> {
  return { provider, model, protocol: route.protocol.name, base_url: route.base_url };
}

/** How a channel is called: with the organization's own key, or with ours; undefined where ours is not there. */
async function accessOf(
  channel: RoutedCandidate,
  { principal }: Admitted,
  deps: Deps,
): Promise<Access | undefined> {
  const { own, route } = channel;
  const { base_url } = route;
  if (own) return ownAccess({ ...channel, own }, base_url, principal, deps.ownKeys);
  return await accessTo(channel, base_url, deps, principal);
}

/** The exchange with a channel, or why that channel cannot carry the request. Another one may. */
async function exchangeWith(
  channel: RoutedCandidate,
  admitted: Admitted,
  deps: Deps,
): Promise<Exchange | GatewayError> {
  const { ready, model } = admitted;
  if (ready?.channel.id === channel.id) return ready.exchange;
  try {
    return await createExchange(admitted, channel.route, targetOf(model, channel, channel.route, deps), deps);
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
}
