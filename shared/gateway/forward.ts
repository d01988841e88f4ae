/**
 * Sends an admitted call to the model's channels, one after the other, until one answers. Nothing is repeated once a
 * frame of an answer has been read (design §4 "Upstream errors").
 */
import type { Channel } from "../catalog/catalog.ts";
import { errorCodes, GatewayError } from "../errors.ts";
import type { Exchange } from "../exchange/call.ts";
import { createExchange } from "../exchange/exchange.ts";
import { targetOf } from "../exchange/target.ts";
import type { UpstreamRoute } from "../exchange/upstream-route.ts";
import type { Candidate } from "../upstreams/channels.ts";
import type { Cooling } from "../upstreams/cooling.ts";
import { type ChannelFailure, restsUntil, unanswered } from "../upstreams/fault.ts";
import type { Admitted } from "./admit.ts";
import { type Answer, attempt, timingOf } from "./attempt.ts";
import type { Deps } from "./deps.ts";
import { ForwardFailed, isProviderFault, logFault, logRefused } from "./failures.ts";
import { route } from "./route.ts";

/**
 * Sends a call until a channel answers it. `signal` ends the attempts. Throws `ForwardFailed`, whose rejection is
 *
 * - `invalid_request` where the provider blames the request, or no channel that is left can carry it,
 * - `upstream_error` where every attempt failed,
 * - `no_channel` where no attempt could be made.
 */
export async function forward(
  admitted: Admitted,
  signal: AbortSignal,
  cooling: Cooling,
  deps: Deps,
): Promise<Answer> {
  let provider: string | null = null;
  let attempts = 0;
  let refusal: GatewayError | undefined;
  const failures: ChannelFailure[] = [];
  for (const candidate of route(admitted, cooling, deps)) {
    const secret = await deps.secrets.provider(candidate.channel.secret);
    if (secret === undefined || signal.aborted) continue;
    const exchange = await exchangeWith(candidate, admitted, deps);
    if (exchange instanceof GatewayError) {
      refusal ??= exchange;
      continue;
    }
    const { channel } = candidate;
    provider = channel.provider;
    attempts += 1;
    const made = { admitted, candidate, exchange, secret, number: attempts, sent_at: deps.now(), signal };
    try {
      return await attempt(made, deps);
    } catch (error) {
      if (error instanceof GatewayError) {
        logRefused(error, provider, { attempts, ...timingOf(made, deps) }, admitted, deps);
        throw new ForwardFailed(error, provider, attempts);
      }
      if (!isProviderFault(error)) throw error;
      failures.push({ error, rest_ms: rest(channel, error, cooling, deps) });
      logFault(error, channel, { attempts, ...timingOf(made, deps) }, admitted, deps);
    }
  }
  if (refusal && attempts === 0) throw new ForwardFailed(refusal, provider, attempts);
  const rejection = unanswered(failures);
  logUnanswered(rejection, { provider, attempts }, admitted, deps);
  throw new ForwardFailed(rejection, provider, attempts);
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

/** Notes a channel's failure, and gives for how many milliseconds it is tried last, where that is known. */
function rest(channel: Channel, error: Error, cooling: Cooling, deps: Pick<Deps, "now">): number | undefined {
  const now = deps.now();
  cooling.failed(channel, now, restsUntil(error, now));
  return cooling.restLeft(channel, now);
}

function logUnanswered(
  rejection: GatewayError,
  { provider, attempts }: { provider: string | null; attempts: number },
  { request, principal, model, route: { path } }: Admitted,
  deps: Pick<Deps, "log">,
): void {
  deps.log("warn", "call_failed", {
    request: request.id,
    organization: principal.organization.id,
    model: model.id,
    route: path,
    code: errorCodes[rejection.key].code,
    provider: provider ?? "",
    attempts,
  });
}
