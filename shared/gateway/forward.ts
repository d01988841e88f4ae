/**
 * Sends an admitted call to the model's channels, one after the other, until one answers. Nothing is repeated once a
 * frame of an answer has been read (design §4 "Upstream errors").
 */
import { GatewayError } from "../errors.ts";
import type { Exchange } from "../exchange/call.ts";
import { createExchange } from "../exchange/exchange.ts";
import { targetOf } from "../exchange/target.ts";
import type { UpstreamRoute } from "../exchange/upstream-route.ts";
import type { AttemptOutcome, ToldAttempt } from "../ledger/usage-event.ts";
import { limits } from "../limits.ts";
import type { Order } from "../routing/order.ts";
import type { Candidate } from "../upstreams/channels.ts";
import { type ChannelFailure, channelFailure, unanswered } from "../upstreams/fault.ts";
import type { Admitted } from "./admit.ts";
import { askedOf, type Notes } from "./asked.ts";
import { type Answer, attempt, timingOf } from "./attempt.ts";
import type { Deps } from "./deps.ts";
import { ForwardFailed, isProviderFault, type LoggedAttempt, logFault, logRefused } from "./failures.ts";
import type { RoutedCandidate } from "./route.ts";

/** What a call needs to be sent. */
export interface Sending {
  /** Ends the attempts. */
  signal: AbortSignal;
  order: Order<RoutedCandidate>;
  notes: Notes;
}

/**
 * Sends a call until a channel answers it. Throws `ForwardFailed`, whose rejection is
 *
 * - `invalid_request` where the provider blames the request, or no channel that is left can carry it,
 * - `upstream_error` where every attempt failed,
 * - `no_channel` where no attempt could be made.
 */
export async function forward(admitted: Admitted, sending: Sending, deps: Deps): Promise<Answer> {
  const { order, signal, notes } = sending;
  let refusal: GatewayError | undefined;
  const attempts: ToldAttempt[] = [];
  const failures: ChannelFailure[] = [];
  const asked = () => askedOf(order, attempts, admitted);
  for (const [place, { channel: routed, why, health, left_ms }] of order.placed.entries()) {
    const { candidate, id } = routed;
    const { channel } = candidate;
    const secret = await deps.secrets.provider(channel.secret);
    if (secret === undefined || signal.aborted) continue;
    const exchange = await exchangeWith(candidate, admitted, deps);
    if (exchange instanceof GatewayError) {
      refusal ??= exchange;
      continue;
    }
    const firstByteMs = firstByteOf(admitted, place + 1 < order.placed.length);
    const made = { admitted, candidate, exchange, secret, sent_at: deps.now(), firstByteMs, signal };
    const ended = (outcome: AttemptOutcome, wait_ms?: number): LoggedAttempt => {
      const timing = timingOf(made, deps);
      attempts.push({ provider: channel.provider, channel: id, outcome, ms: timing.attempt_ms });
      const isOurEnd = signal.aborted && outcome !== "answered";
      const observed = { model: admitted.model.id, channel: id, outcome, wait_ms, probed: why === "probe" };
      // A call that runs out of time, or whose process ends, breaks its provider off. That is no fault of the channel.
      if (!isOurEnd) notes.note(observed);
      return { attempts: attempts.length, ...timing };
    };
    try {
      const answer = await attempt(made, deps);
      ended("answered");
      return { ...answer, ...asked(), broke: () => noteBreak(routed, admitted, sending) };
    } catch (error) {
      if (error instanceof GatewayError) {
        logRefused(error, channel.provider, ended("blamed"), admitted, deps);
        throw new ForwardFailed(error, asked());
      }
      if (!isProviderFault(error)) throw error;
      const failure = channelFailure(error);
      // A refusal that names no wait leaves standing what an earlier one asked for.
      const known_ms = health === "limited" ? left_ms : undefined;
      failures.push({ ...failure, wait_ms: failure.wait_ms ?? known_ms });
      logFault(error, channel, ended(failure.outcome, failure.wait_ms), admitted, deps);
    }
  }
  if (refusal && attempts.length === 0) throw new ForwardFailed(refusal, asked());
  throw new ForwardFailed(unanswered(failures), asked());
}

/**
 * How long a channel has for the head of its answer. The head of a whole answer comes with its last token, so only a
 * stream is asked of the next channel, or of the next model, earlier.
 */
function firstByteOf({ call, fallbacks = [] }: Admitted, hasChannel: boolean): number {
  const hasNext = hasChannel || fallbacks.length > 0;
  return call.stream && hasNext ? limits.upstreamFailoverMs : limits.upstreamFirstByteMs;
}

/** Notes that a channel broke off a stream that it had begun. */
function noteBreak({ id: channel }: RoutedCandidate, { model }: Admitted, { signal, notes }: Sending): void {
  if (signal.aborted) return;
  notes.note({ model: model.id, channel, outcome: "fault", probed: false });
}

/** The exchange with a channel, or why that channel cannot carry the request. Another one may. */
async function exchangeWith(
  { channel, route: upstream }: Candidate<UpstreamRoute>,
  admitted: Admitted,
  deps: Deps,
): Promise<Exchange | GatewayError> {
  const { ready, model } = admitted;
  if (ready?.channel === channel) return ready.exchange;
  try {
    return await createExchange(admitted, upstream, targetOf(model, channel, upstream, deps));
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
}
