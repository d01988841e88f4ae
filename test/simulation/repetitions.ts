/** What must be true of calls that carry an idempotency key: one of them runs, and all are given its answer. */

import { limits } from "#shared/base/limits.ts";
import { timeOf } from "#shared/base/platform/id.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import type { Call } from "./calls.ts";

/** The last word on a call, and when its gateway's own entry was written, if it was. */
interface Final {
  event: UsageEvent;
  toldAt: number | undefined;
}

const agreementMs = 60_000;

/** Says what is wrong with repetitions once all is at rest. */
export function repetitionGaps(calls: Iterable<Call>, finalOf: (id: string) => Final | undefined): string[] {
  const keyed = [...calls].filter(({ idempotency }) => idempotency !== undefined);
  const groups = Map.groupBy(keyed, ({ key, idempotency }) => `${key.record.id} ${idempotency}`);
  return [...groups.values()].flatMap((group) => [
    ...(agree(group) ? [...chargedTwice(group, finalOf), ...chargedUnsent(group, finalOf)] : []),
    ...group.flatMap((call) => replayGaps(call, group, finalOf)),
  ]);
}

/** Whether all clocks showed much the same: one that is far ahead takes a call that runs for a dead one. */
function agree(group: Call[]): boolean {
  const skews = group.map(({ id, calledAt }) => timeOf(id) - calledAt);
  return Math.max(...skews) - Math.min(...skews) < agreementMs;
}

/**
 * Two calls of one key that both came to their end are two charges. The second may only run when nobody could
 * know of the first: its hold had expired, and the ledger did not have its end.
 */
function chargedTwice(group: Call[], finalOf: (id: string) => Final | undefined): string[] {
  const ended = group.filter(({ id }) => {
    const event = finalOf(id)?.event;
    return event?.source === "gateway" && hasEnded(event);
  });
  ended.sort((a, b) => a.askedAt - b.askedAt);
  return ended.slice(1).flatMap((later, before) =>
    ended.slice(0, before + 1).flatMap((first) => {
      const alive = later.askedClock < timeOf(first.id) + limits.holdExpirySeconds * 1000;
      const known = (finalOf(first.id)?.toldAt ?? Infinity) < later.calledAt;
      return alive || known ? [`${later.id} ran although ${first.id} had its idempotency key`] : [];
    }),
  );
}

/**
 * A call that comes while another has its key, or when that one's end is known, is not sent: it costs nothing,
 * also where it died.
 */
function chargedUnsent(group: Call[], finalOf: (id: string) => Final | undefined): string[] {
  const charged = group.filter(({ id, asked }) => asked === 0 && isCharged(finalOf(id)?.event));
  return charged.flatMap((late) => {
    const first = group.find(({ id, asked, askedAt }) => {
      const { event, toldAt = Infinity } = finalOf(id) ?? {};
      if (asked === 0 || askedAt > late.calledAt || !hasEnded(event)) return false;
      const alive = timeOf(late.id) + agreementMs < timeOf(id) + limits.holdExpirySeconds * 1000;
      return alive || toldAt < late.calledAt;
    });
    return first
      ? [`${late.id} was never sent, for ${first.id} had its idempotency key, and is charged`]
      : [];
  });
}

/** Whether a call came to an end that its key stands for: an answer that is free gives the key back. */
function hasEnded(event: UsageEvent | undefined): boolean {
  return event?.outcome === "completed" && isCharged(event);
}

/** Whether anything is asked for a call: points, or a call of its month. */
export function isCharged(event: UsageEvent | undefined): boolean {
  return event !== undefined && (event.calls > 0 || event.cost_points !== "0");
}

/** A replay costs nothing, and is what the call that ran gave. */
function replayGaps(call: Call, group: Call[], finalOf: (id: string) => Final | undefined): string[] {
  if (call.replayed === undefined) return [];
  const original = group.find(({ id }) => id === call.replayed);
  if (!original) return [`${call.id} was given the answer of another's call`];
  const differs = original.sawEnd && call.sawEnd && answerOf(original) !== answerOf(call);
  return [
    ...(differs ? [`${call.id} was not given what ${original.id} was`] : []),
    ...(call.asked > 0 || isCharged(finalOf(call.id)?.event)
      ? [`${call.id} was given an answer, and ran`]
      : []),
  ];
}

/** What a client has read, but for the signs of life in between. */
function answerOf({ received }: Call): string {
  return received.replaceAll(/^:.*\n\n/gm, "");
}
