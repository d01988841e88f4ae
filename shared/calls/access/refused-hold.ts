/**
 * The error of a call that got no hold: why, what would fit, and when to try again. It speaks only of the key's own
 * organization. The file is loaded with the first refusal.
 */
import { GatewayError } from "../../base/errors.ts";
import type { ProtocolName } from "../../base/http/routes.ts";
import { formatPoints } from "../../books/billing/points.ts";
import type { Refusal } from "../../books/meters/admission.ts";
import type { Hold } from "../../books/meters/hold.ts";
import { rateHeaders } from "./rate-headers.ts";

/** Names the smaller call that would fit into so many free points, 10⁻¹⁸; undefined where none would. */
export type WhatFits = (free: bigint) => Promise<string | undefined>;

/** Whom the error is told, and when (Unix milliseconds). */
interface Telling {
  /** The protocol whose rate-limit headers it has. */
  dialect: ProtocolName;
  /** Names a smaller call that would fit, for a call that costs more than there is. */
  whatFits: WhatFits | undefined;
  now: number;
}

/** The error of the meter's refusal. */
export async function errorOf(
  refusal: Refusal,
  hold: Pick<Hold, "points">,
  { dialect, whatFits, now }: Telling,
): Promise<GatewayError> {
  const { error, lack } = refusal;
  const message = lack ? await shortfallMessage({ ...refusal, lack }, hold, whatFits) : refusal.message;
  const resets_ms = resetsIn(refusal, now);
  return new GatewayError(error, {
    ...(message === undefined ? {} : { message }),
    ...(resets_ms === undefined ? {} : { resets_ms }),
    headers: refusalHeaders(refusal, dialect, now),
  });
}

/**
 * The message of a call that costs more than there is: what would be held for it, what the balance is, and what would
 * fit. Where the key's budget is what lacks, it says nothing of the balance.
 */
async function shortfallMessage(
  { message, lack }: Pick<Refusal, "message"> & { lack: NonNullable<Refusal["lack"]> },
  { points }: Pick<Hold, "points">,
  whatFits: WhatFits | undefined,
): Promise<string | undefined> {
  const smaller = await whatFits?.(lack.free);
  if (lack.posted === undefined) {
    return smaller === undefined ? message : `${message ?? ""} It fits with ${smaller}.`.trimStart();
  }
  const held = lack.posted - lack.free;
  const isHeld = lack.posted >= points;
  const inFlight =
    held > 0n
      ? `, of which ${formatPoints(held)} are held by calls in flight${isHeld ? ": try again when they have ended" : ""}`
      : "";
  const more = `${formatPoints(points - lack.free)} points more`;
  return [
    `The balance does not cover this call, which may cost up to ${formatPoints(points)} points: so much is held until it ends.`,
    `The balance is ${formatPoints(lack.posted)} points${inFlight}.`,
    `The call fits with ${smaller === undefined ? more : `${smaller}, or with ${more}`}.`,
  ].join(" ");
}

/** After how many milliseconds the limit that refused has room again: that of a minute or day, or a plan's quota. */
function resetsIn({ error, retryAfterSeconds, limitStatus }: Refusal, now: number): number | undefined {
  if (retryAfterSeconds !== undefined) return retryAfterSeconds * 1000;
  const at = error === "quota_exhausted" ? limitStatus.quota?.resetAt : undefined;
  return at === undefined ? undefined : Math.max(0, at - now);
}

/** The limits as they stand, and when to try again. `now` is Unix milliseconds. */
function refusalHeaders(
  { error, retryAfterSeconds: seconds, limitStatus }: Refusal,
  dialect: ProtocolName,
  now: number,
): Record<string, string> {
  return {
    ...rateHeaders(dialect, limitStatus, now),
    ...(seconds === undefined ? {} : { "retry-after": String(seconds) }),
    // A call that is over a limit by itself never fits. Official SDKs repeat every 429 unless they are told not to.
    ...(error === "rate_limited" && seconds === undefined ? { "x-should-retry": "false" } : {}),
  };
}
