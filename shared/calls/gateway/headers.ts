/** What the headers of a call's answer tell of the call. */

import { limits } from "../../base/limits.ts";
import { rateHeaders } from "../access/rate-headers.ts";
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
  return {
    ...rateHeaders(admitted.protocol.name, admitted.limitStatus, now),
    ...providerHeaders(answer),
    ...(dropped.length > 0 ? { "x-gateway-dropped": droppedNames(dropped) } : {}),
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

/** The provider that was asked last, the number of attempts, and the route. */
export function providerHeaders(asked: RouteTaken): Record<string, string> {
  return {
    ...asked.routeHeaders,
    ...(asked.provider === null ? {} : { "x-gateway-provider": asked.provider }),
    "x-gateway-attempts": String(asked.attempts),
  };
}
