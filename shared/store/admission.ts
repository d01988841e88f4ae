/** Whether a call is let in, decided on the image of the meter item that the one write returned. */
import type { Admission, Hold, Standing, Terms } from "../billing/meter.ts";
import { clearsAt, dayCounter, dayEnd, fitsAt, type Window, windowAt } from "../billing/window.ts";
import { timeOf } from "../platform/id.ts";
import { type Item, readBigint, toAttribute } from "./attributes.ts";
import { absent, absentOrBelow, atLeast, type Change, exists } from "./expressions.ts";
import { countersOf, heldBy, holdAmounts, names, staleNames, writeHeld } from "./meter-item.ts";
import { meterKey } from "./table.ts";

const retryAfterMax = 60;
/** How long the holds of calls in flight are worth waiting for: calls take seconds. */
const heldRetryAfter = 5;
/** So many stale names are left lying before a count of tokens, which settles nothing, removes them. */
const staleNamesMax = 20;

/**
 * The write that counts a request of the minute, and takes nothing that would have to be settled. Said twice
 * because its first answer was lost, it counts twice: the minute forgets both.
 */
export function countingChange(table: string, hold: Hold): Change {
  return {
    table,
    key: meterKey(hold.meter, hold.shard),
    add: holdAmounts(hold),
    when: [exists("kind"), absent(names.frozen), absent(names.revoked(hold.key))],
  };
}

/** Whether counting has left more behind than the next settlement, which may never come, should find. */
export function mustTidy(hold: Hold, item: Item): boolean {
  return staleNames(item, timeOf(hold.request)).length >= staleNamesMax;
}

/** The write that removes what nobody needs any more. */
export function tidyingChange(table: string, hold: Hold, item: Item): Change {
  const remove = staleNames(item, timeOf(hold.request));
  return { table, key: meterKey(hold.meter, hold.shard), remove, when: [exists("kind")] };
}

/** The write that takes a hold. `exists("kind")` keeps it from making half an item where no meter is. */
export function admissionChange(table: string, hold: Hold): Change {
  const limit = hold.terms
    ? absentOrBelow(names.period(hold.terms.period.id), hold.terms.quota)
    : atLeast("avail", hold.points);
  return {
    table,
    key: meterKey(hold.meter, hold.shard),
    set: { [names.hold(hold.request)]: writeHeld(heldBy(hold)) },
    add: holdAmounts(hold),
    when: [
      exists("kind"),
      absent(names.hold(hold.request)),
      absent(names.seized(hold.request)),
      absent(names.closed(hold.request)),
      absent(names.frozen),
      absent(names.revoked(hold.key)),
      limit,
    ],
  };
}

/**
 * Why the write did not happen, from the item as it was; it does not have this hold. Throws when there is
 * no such meter, which is a broken record and no answer to a client.
 */
export function refusal(hold: Hold, item: Item | undefined): Admission {
  if (!item?.["kind"]) throw new Error(`no meter item ${hold.meter}#${hold.shard}`);
  if (names.revoked(hold.key) in item) return { admitted: false, error: "invalid_key", standing: {} };
  if (names.frozen in item) return { admitted: false, error: "account_frozen", standing: {} };
  if (names.seized(hold.request) in item || names.closed(hold.request) in item) {
    // The sweeper took this very hold for a dead call's, and settles it.
    return { admitted: false, error: "global_rate_limited", retry_after_seconds: 1, standing: {} };
  }
  if (hold.terms) return quotaExhausted(hold.terms, item, timeOf(hold.request));
  const posted = readBigint(item["granted"]) - readBigint(item["used"]);
  if (posted < hold.points) return { admitted: false, error: "insufficient_balance", standing: {} };
  return {
    admitted: false,
    error: "insufficient_balance",
    message: "The balance is held by calls in flight. Try again when they have ended.",
    retry_after_seconds: heldRetryAfter,
    standing: {},
  };
}

/** The verdict on a hold that is on the item: admitted, or over a limit of the minute or the day. */
export function verdict(hold: Hold, item: Item): Admission {
  if (!hold.terms) return { admitted: true, standing: {} };
  const now = timeOf(hold.request);
  const figures = figuresOf(hold.terms, item, now);
  const breaches = breachesOf(hold, hold.terms, figures, now);
  if (breaches.length === 0) return { admitted: true, standing: standingOf(hold.terms, figures, now) };
  // What the call itself added is taken back: it consumes nothing.
  const without = figuresOf(hold.terms, subtract(item, holdAmounts(hold)), now);
  const latest = breaches.reduce((a, b) => (b.until > a.until ? b : a));
  return {
    admitted: false,
    error: "rate_limited",
    message: latest.message,
    ...(latest.until !== Infinity && { retry_after_seconds: secondsUntil(latest.until, now) }),
    standing: standingOf(hold.terms, without, now),
  };
}

/** What a subscription has used of its limits. */
interface Figures {
  window: Window;
  dayTokens: number;
  calls: number;
}

function figuresOf(terms: Terms, item: Item, now: number): Figures {
  return {
    window: windowAt(countersOf(item), now),
    dayTokens: Number(readBigint(item[dayCounter(now)])),
    calls: Number(readBigint(item[names.period(terms.period.id)])),
  };
}

function subtract(item: Item, amounts: Record<string, bigint>): Item {
  const less = Object.entries(amounts).map(([name, amount]) => [
    name,
    toAttribute(readBigint(item[name]) - amount),
  ]);
  return { ...item, ...Object.fromEntries(less) };
}

/** A limit that is exceeded, and when the call would have fitted; never, when it is too large by itself. */
interface Breach {
  message: string;
  until: number;
}

function breachesOf(
  hold: Hold,
  { rpm, tpm, tpd }: Terms,
  { window, dayTokens }: Figures,
  now: number,
): Breach[] {
  const breaches = [
    rpm !== null &&
      window.requests > rpm &&
      breach(rpm, "requests per minute", fitsAt(window, "requests", rpm, 1)),
    tpm !== null &&
      !hold.counting &&
      window.tokens > tpm &&
      breach(tpm, "tokens per minute", fitsAt(window, "tokens", tpm, hold.tokens)),
    tpd !== null &&
      !hold.counting &&
      dayTokens > tpd &&
      breach(tpd, "tokens per day (UTC)", hold.tokens > tpd ? null : dayEnd(now)),
  ];
  return breaches.filter((each) => each !== false);
}

function breach(limit: number, unit: string, until: number | null): Breach {
  if (until === null) {
    return {
      message: `The call alone is over the limit of ${limit} ${unit}: it can never fit.`,
      until: Infinity,
    };
  }
  const message = `The limit of ${limit} ${unit} is exceeded until ${new Date(until).toISOString()}.`;
  return { message, until };
}

function quotaExhausted(terms: Terms, item: Item, now: number): Admission {
  const resets = new Date(terms.period.ends_at).toISOString();
  return {
    admitted: false,
    error: "quota_exhausted",
    message: `The quota of ${terms.quota} calls of this month is used up. The next month starts at ${resets}.`,
    standing: standingOf(terms, figuresOf(terms, item, now), now),
  };
}

function standingOf(terms: Terms, figures: Figures, now: number): Standing {
  const reset_at = clearsAt(figures.window, now);
  const left = (limit: number, used: number) => ({ limit, remaining: Math.max(0, limit - used) });
  return {
    ...(terms.rpm !== null && { requests: { ...left(terms.rpm, figures.window.requests), reset_at } }),
    ...(terms.tpm !== null && { tokens: { ...left(terms.tpm, figures.window.tokens), reset_at } }),
    quota: { ...left(terms.quota, figures.calls), reset_at: terms.period.ends_at },
  };
}

/** Whole seconds to wait, 1 to 60 (design §4): a day's limit is worth asking about sooner than at midnight. */
function secondsUntil(at: number, now: number): number {
  return Math.min(retryAfterMax, Math.max(1, Math.ceil((at - now) / 1000)));
}
