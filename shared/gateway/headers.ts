/** What the gateway says of a call in its answer's headers. */

import { rateHeaders } from "../access/rate-headers.ts";
import { limits } from "../limits.ts";
import type { Admitted } from "./admit.ts";
import type { Answer } from "./forward.ts";

/** What a call's answer says of its limits, of who answered, and of what a crossing dropped. `now` is Unix milliseconds. */
export function answerHeaders(admitted: Admitted, answer: Answer, now: number): Record<string, string> {
  const { dropped } = answer;
  return {
    ...rateHeaders(admitted.protocol.name, admitted.standing, now),
    ...providerHeaders(answer),
    ...(dropped.length > 0 ? { "x-gateway-dropped": droppedNames(dropped) } : {}),
  };
}

/** Names of dropped fields for a header. A client chose some of them, so only plain ones are shown, and not all of many. */
function droppedNames(names: string[]): string {
  const plain = names.filter((name) => /^[\w.$[\]-]{1,64}$/.test(name));
  const shown = plain.slice(0, limits.droppedNamesMax);
  return shown.length < names.length ? [...shown, "..."].join(", ") : shown.join(", ");
}

/** Who was asked, and how many were before an answer came. */
export function providerHeaders(asked: {
  provider: string | null;
  attempts: number;
}): Record<string, string> {
  return {
    ...(asked.provider === null ? {} : { "x-gateway-provider": asked.provider }),
    "x-gateway-attempts": String(asked.attempts),
  };
}

/** What an answer was charged; a stream is priced only when its headers are long gone. */
export function costHeader(cost_points: string): Record<string, string> {
  return { "x-gateway-cost-points": cost_points };
}
