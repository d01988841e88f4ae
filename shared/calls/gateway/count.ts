/**
 * Counts a request's tokens. It takes one request of the minute's limit and nothing else: a count is never charged, and
 * never in the ledger (design §4 "What consumes a call").
 */

import type { HttpReply } from "../../base/http/message.ts";
import type { CountName } from "../../base/http/routes.ts";
import { ticketOf } from "../../books/meters/hold.ts";
import { holdFor } from "../access/hold.ts";
import { meterOf } from "../access/meter.ts";
import { rateHeaders } from "../access/rate-headers.ts";
import { holdOrRefuse } from "../access/take.ts";
import { inputTokensGuess } from "../chat/estimate.ts";
import { counts } from "../protocols/index.ts";
import type { Admitted } from "./admit.ts";
import type { AnswerOrigin, WholeAnswer } from "./attempt.ts";
import { startDeadline } from "./deadline.ts";
import type { Decoded } from "./decode.ts";
import type { Deps } from "./deps.ts";
import { ForwardFailed } from "./failures.ts";
import { forward } from "./forward.ts";
import { providerHeaders } from "./headers.ts";
import { routeBlindly } from "./route.ts";
import { noNotes } from "./route-taken.ts";

/**
 * Answers with the provider's count where it speaks the client's protocol, else with an estimate, which the header
 * `x-gateway-estimate` tells. Throws like `admit`, and `invalid_request` where the provider blames the request.
 */
export async function countTokens(decoded: Decoded, protocol: CountName, deps: Deps): Promise<HttpReply> {
  const admitted = await admitCount(decoded, deps);
  const answer = await ask(admitted, deps);
  deps.log("info", "count", {
    request: admitted.request.id,
    organization: admitted.principal.organization.id,
    key: admitted.principal.key.id,
    model: admitted.model.id,
    provider: answer?.provider ?? "",
  });
  const headers = {
    "content-type": "application/json",
    ...rateHeaders(protocol, admitted.limitStatus, deps.now()),
    ...(answer ? providerHeaders(answer) : { "x-gateway-estimate": "true" }),
  };
  const body = answer?.bytes ?? JSON.stringify(counts[protocol].countReply(admitted.input_tokens));
  return { status: 200, headers, body };
}

async function admitCount(decoded: Decoded, deps: Deps): Promise<Admitted> {
  const { model, size, principal, request } = decoded;
  const at = request.received_at;
  const metered = principal.key.mode === "subscription" ? meterOf(principal, at, deps) : undefined;
  const asked = { request: request.id, at, points: 0n, tokens: 0, counting: true } as const;
  const wanted = holdFor(principal, metered ?? { meter: "", planLimits: null }, asked);
  const take = async () => ({ hold: wanted, admission: await deps.meters.admit(wanted) });
  // A wallet has no limit of the minute. Whether the key is good stands in the key record, which was read just now.
  const { ticket, limitStatus } = metered
    ? await holdOrRefuse(wanted, { dialect: decoded.protocol.name, take }, deps)
    : { ticket: ticketOf(wanted), limitStatus: {} };
  return {
    ...decoded,
    ticket,
    price: deps.catalog.price(model, at),
    bounds: { input_tokens: 0, output_tokens: 0 },
    input_tokens: inputTokensGuess(size, model.context_tokens),
    tokens_reserved: 0,
    limitStatus,
  };
}

/**
 * The provider's count; undefined where no channel gives one, because not every provider of a protocol can count. A
 * failure here says nothing about chat, so it is not noted on the board.
 */
async function ask(admitted: Admitted, deps: Deps): Promise<(WholeAnswer & AnswerOrigin) | undefined> {
  const deadline = startDeadline(admitted.request, deps);
  try {
    const order = routeBlindly(admitted, deps);
    const answer = await forward(admitted, { signal: deadline.signal, order, notes: noNotes }, deps);
    if (answer.kind === "whole") return answer;
    answer.release();
    return undefined;
  } catch (error) {
    if (!(error instanceof ForwardFailed)) throw error;
    if (error.rejection.key === "invalid_request") throw error.rejection;
    return undefined;
  } finally {
    deadline.clear();
  }
}
