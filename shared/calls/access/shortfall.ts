/**
 * The message of a call that costs more than there is: what would be held for it, what the balance is, and what would
 * fit. It speaks only of the key's own organization. Where the key's budget is what lacks, it says nothing of the
 * balance.
 */
import { formatPoints } from "../../books/billing/points.ts";
import type { Refusal } from "../../books/meters/admission.ts";
import type { Hold } from "../../books/meters/hold.ts";

/** Names the smaller call that would fit into so many free points, 10⁻¹⁸; undefined where none would. */
export type WhatFits = (free: bigint) => string | undefined;

/** The message of a refusal that says how much is lacking, with what would fit. */
export function shortfallMessage(
  { message, lack }: Pick<Refusal, "message"> & { lack: NonNullable<Refusal["lack"]> },
  { points }: Pick<Hold, "points">,
  whatFits: WhatFits | undefined,
): string | undefined {
  const smaller = whatFits?.(lack.free);
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
