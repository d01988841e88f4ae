/** What the headers of a call's answer tell of the call. */

import type { HttpReply } from "../../base/http/message.ts";
import { limits } from "../../base/limits.ts";
import { rateHeaders } from "../access/rate-headers.ts";
import type { Protocol } from "../protocols/protocol.ts";
import type { Admitted } from "./admit.ts";
import type { ChannelAnswer } from "./attempt.ts";
import type { RouteTaken } from "./route-taken.ts";

/** The call's limits, who answered it, and what a crossing dropped. `now` is Unix milliseconds. */
export function answerHeaders(
  admitted: Admitted,
  answer: ChannelAnswer,
  now: number,
): Record<string, string> {
  const { dropped } = answer;
  const { output_bound } = admitted;
  return {
    ...rateHeaders(admitted.protocol.name, admitted.limitStatus, now),
    ...providerHeaders(answer),
    ...(dropped.length > 0 ? { "x-gateway-dropped": droppedNames(dropped) } : {}),
    ...(output_bound === undefined ? {} : { "x-gateway-max-tokens": String(output_bound) }),
  };
}

/**
 * The names of dropped fields for a header. The client chose some of them, so only plain names are shown, and only
 * the first of many.
 */
function droppedNames(names: string[]): string {
  const plain = names.filter((name) => /^[\w.$[\]-]{1,64}$/.test(name));
  const shown = plain.slice(0, limits.droppedNamesMax);
  return shown.length < names.length ? [...shown, "..."].join(", ") : shown.join(", ");
}

/** A reply with headers that say what its body does. It may be new, out of the cache, or an earlier call's. */
export function withReplyHeaders(
  reply: HttpReply,
  headersOf: NonNullable<Protocol["replyHeaders"]>,
): HttpReply {
  const { status, headers, body } = reply;
  const isWhole = headers["content-type"]?.startsWith("application/json");
  if (status !== 200 || !isWhole || !Buffer.isBuffer(body)) return reply;
  return { ...reply, headers: { ...headers, ...headersOf(body) } };
}

/** The provider that was asked last, the number of attempts, and the route. */
export function providerHeaders(asked: RouteTaken): Record<string, string> {
  return {
    ...asked.routeHeaders,
    ...(asked.provider === null ? {} : { "x-gateway-provider": asked.provider }),
    "x-gateway-attempts": String(asked.attempts),
  };
}
