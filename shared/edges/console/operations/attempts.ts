/** Attempts to sign in that a sealed cookie carries: how many somebody may begin, and that each ends once. */
import { createHash } from "node:crypto";
import { GatewayError } from "../../../base/errors.ts";
import { jsonReply } from "../../../base/http/message.ts";
import { spanEnd, spanOf } from "../../../books/billing/period.ts";
import { addressOf } from "../../../people/identity/address.ts";
import type { ReadKeys } from "../../../people/identity/identity-keys.ts";
import { type SealedCookie, sealedCookie } from "../../../people/identity/sealed-cookie.ts";
import { takeAll, type Velocity } from "../../../people/identity/velocity.ts";
import { signOnLimits } from "../../../people/sign-on/bounds.ts";

interface CountedDeps {
  velocity: Pick<Velocity, "take" | "giveBack">;
  now: () => number;
}

/** Counts an attempt for its address and network. Throws `rate_limited`. */
export async function countAttempt(text: string, { velocity, now }: CountedDeps): Promise<void> {
  const { ip, network } = addressOf(text);
  const window = spanOf(now(), "hour");
  const ends_at = spanEnd(window);
  const { attemptsOfIpHourMax, attemptsOfNetworkHourMax } = signOnLimits;
  const counts = [
    { what: `sign-ons:${ip}`, most: attemptsOfIpHourMax, window, ends_at },
    { what: `sign-ons-around:${network}`, most: attemptsOfNetworkHourMax, window, ends_at },
  ];
  if (!(await takeAll(counts, velocity)).full) return;
  const message = "Too many sign-ins were begun from your network. Try again later.";
  throw new GatewayError("rate_limited", { message, wait_ms: ends_at - now() });
}

/** A reply that gives the browser its attempt, sealed in a cookie of this kind. */
export async function attemptReply<const Body extends object>(
  body: Body,
  { sealed, attempt }: { sealed: SealedCookie; attempt: object },
  { keys, now }: { keys: ReadKeys; now: () => number },
) {
  const reply = jsonReply(body);
  const ends_at = now() + sealed.ageSeconds * 1000;
  const cookie = sealedCookie(sealed, { ...attempt, ends_at }, (await keys()).current);
  return { ...reply, headers: { ...reply.headers, "set-cookie": cookie } };
}

/** Ends the attempt of a secret until `ends_at` (Unix ms). False where it has ended: whatever becomes of it, it ends once. */
export async function spendAttempt(
  secret: string,
  ends_at: number,
  { velocity }: Pick<CountedDeps, "velocity">,
): Promise<boolean> {
  const name = createHash("sha256").update(secret).digest("hex");
  return (await velocity.take({ what: `sign-on:${name}`, window: "once", most: 1, ends_at })) !== undefined;
}
