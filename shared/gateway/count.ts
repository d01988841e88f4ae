/**
 * Counting a request's tokens: held against the minute's requests and nothing else, never charged, never in
 * the ledger (design §4 "What consumes a call").
 */

import { rateHeaders } from "../access/rate-headers.ts";
import { inputTokensGuess } from "../chat/estimate.ts";
import type { HttpReply } from "../http/message.ts";
import type { CountName } from "../http/routes.ts";
import { counts } from "../protocols/index.ts";
import { createCooling } from "../upstreams/cooling.ts";
import { type Admitted, holdFor, holdOrRefuse, meterOf } from "./admit.ts";
import type { Decoded } from "./decode.ts";
import type { Deps } from "./deps.ts";
import { ForwardFailed } from "./failures.ts";
import { forward, type WholeAnswer } from "./forward.ts";
import { providerHeaders } from "./headers.ts";

/**
 * Answers with the provider's count where it speaks the client's protocol, else with an estimate that says
 * so in `x-gateway-estimate`. Throws like `admit`, and `invalid_request` where the provider blames the request.
 */
export async function countTokens(
  decoded: Decoded,
  protocol: CountName,
  signal: AbortSignal,
  deps: Deps,
): Promise<HttpReply> {
  const admitted = await admitCount(decoded, deps);
  const answer = await ask(admitted, signal, deps);
  deps.log("info", "count", {
    request: admitted.request.id,
    organization: admitted.principal.organization.id,
    key: admitted.principal.key.id,
    model: admitted.model.id,
    provider: answer?.provider ?? "",
  });
  const headers = {
    "content-type": "application/json",
    ...rateHeaders(protocol, admitted.standing, deps.now()),
    ...(answer ? providerHeaders(answer) : { "x-gateway-estimate": "true" }),
  };
  const body = answer?.bytes ?? JSON.stringify(counts[protocol].countReply(admitted.input_tokens));
  return { status: 200, headers, body };
}

async function admitCount(decoded: Decoded, deps: Deps): Promise<Admitted> {
  const { model, size, principal, request } = decoded;
  const at = request.received_at;
  const metered = principal.key.mode === "subscription" ? meterOf(principal, deps, at) : undefined;
  const asked = { request: request.id, at, points: 0n, tokens: 0, counting: true } as const;
  const wanted = holdFor(principal, metered ?? { meter: "", terms: null }, asked);
  const take = async () => ({ hold: wanted, admission: await deps.meters.admit(wanted) });
  // A wallet has no minute to count in, and the key record that was read just now says the rest.
  const { hold, standing } = metered
    ? await holdOrRefuse(wanted, decoded.protocol.name, deps, take)
    : { hold: wanted, standing: {} };
  return {
    ...decoded,
    hold,
    price: deps.catalog.price(model),
    bounds: { input_tokens: 0, output_tokens: 0 },
    input_tokens: inputTokensGuess(size, model.context_tokens),
    standing,
  };
}

/**
 * The provider's count; undefined where none gives one, since not every provider of a protocol can count.
 * What fails here says nothing of chat: it cools no channel.
 */
async function ask(admitted: Admitted, signal: AbortSignal, deps: Deps): Promise<WholeAnswer | undefined> {
  try {
    const answer = await forward(admitted, signal, createCooling(), deps);
    if (answer.kind === "whole") return answer;
    answer.release();
    return undefined;
  } catch (error) {
    if (!(error instanceof ForwardFailed)) throw error;
    if (error.rejection.key === "invalid_request") throw error.rejection;
    return undefined;
  }
}
