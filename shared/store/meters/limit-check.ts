/** Whether a hold that is on its meter item may stay, decided on the image that the one write returned (design §3). */

import { limits } from "../../limits.ts";
import type { Admission, Bar, Hold, Standing, Terms } from "../../meters/meter.ts";
import {
  clearsAt,
  dayCounter,
  dayEnd,
  fitsAt,
  retryAfterSeconds,
  type Window,
  windowAt,
} from "../../meters/window.ts";
import { isTask, timeOf } from "../../platform/id.ts";
import { type Item, readBigint, toAttribute } from "../dynamodb/attributes.ts";
import { holdAmounts } from "./amounts.ts";
import { countersOf, inFlight, names, openTasks } from "./meter-item.ts";

/** A place among a key's calls in flight may be free at any moment. */
const placeRetryMs = 1_000;
/** A task takes minutes. */
const taskRetryMs = 60_000;

/**
 * The verdict on a hold that is on the item: admitted, or over a limit of the minute, of the day, of the key's
 * calls in flight or of the meter's open tasks.
 */
export function verdict(hold: Hold, item: Item): Admission {
  const now = timeOf(hold.request);
  const breaches = ratesOf(hold, item, now).flatMap((rates) => breachesOf(hold, rates, now));
  if (isCrowded(hold, item, now)) breaches.push(crowded(hold, now));
  const isFull = isTask(hold.request) && openTasks(item) > limits.openTasksMax;
  if (isFull) breaches.push(tooManyTasks(now));
  if (breaches.length === 0) return { admitted: true, standing: standingOf(hold, item, now) };
  const latest = breaches.reduce((a, b) => (b.until > a.until ? b : a));
  // What the call itself added is taken back: it consumes nothing.
  const before = subtract(item, holdAmounts(hold));
  return {
    admitted: false,
    error: "rate_limited",
    message: latest.message,
    ...(latest.until !== Infinity && { retry_after_seconds: retryAfterSeconds(latest.until, now) }),
    standing: standingOf(hold, before, now),
    ...barOf(latest, hold, before, now),
    ...(isFull && { elsewhere: true }),
  };
}

/** The limits of minute and day of a plan, or of a key, and what is used of them. */
interface Rates extends Pick<Terms, "rpm" | "tpm" | "tpd"> {
  /** They are the key's own. */
  own: boolean;
  window: Window;
  dayTokens: number;
}

function ratesOf({ terms, limits: own, key }: Hold, item: Item, now: number): Rates[] {
  if (!terms) return [];
  const plan: Rates = {
    ...terms,
    own: false,
    window: windowAt(countersOf(item), now),
    dayTokens: Number(readBigint(item[dayCounter(now)])),
  };
  if (!own) return [plan];
  const limited = names.limited(key);
  const { rpm = null, tpm = null, tpd = null } = own;
  const window = windowAt(countersOf(item, limited), now);
  const dayTokens = Number(readBigint(item[`${limited}:${dayCounter(now)}`]));
  return [plan, { rpm, tpm, tpd, own: true, window, dayTokens }];
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
  /** Which limit of the minute or day has no room now. */
  rate?: Pick<Bar, "limit" | "own">;
}

function breachesOf(hold: Hold, { rpm, tpm, tpd, own, window, dayTokens }: Rates, now: number): Breach[] {
  const breaches: Breach[] = [];
  if (rpm !== null && window.requests > rpm)
    breaches.push(breach({ limit: "rpm", own }, rpm, fitsAt(window, "requests", rpm, 1)));
  if (hold.counting) return breaches;
  if (tpm !== null && window.tokens > tpm)
    breaches.push(breach({ limit: "tpm", own }, tpm, fitsAt(window, "tokens", tpm, hold.tokens)));
  if (tpd !== null && dayTokens > tpd)
    breaches.push(breach({ limit: "tpd", own }, tpd, hold.tokens > tpd ? null : dayEnd(now)));
  return breaches;
}

const units = { rpm: "requests per minute", tpm: "tokens per minute", tpd: "tokens per day (UTC)" };

function breach(rate: Pick<Bar, "limit" | "own">, most: number, until: number | null): Breach {
  const limit = `${rate.own ? "key's " : ""}limit of ${most} ${units[rate.limit]}`;
  if (until === null) {
    return { message: `The call alone is over the ${limit}: it can never fit.`, until: Infinity };
  }
  return { message: `The ${limit} is exceeded until ${new Date(until).toISOString()}.`, until, rate };
}

/** What a breach says of other calls: nothing, where a place may be free at any moment or the call never fits. */
function barOf({ rate, until }: Breach, hold: Hold, before: Item, now: number): { bar?: Bar } {
  if (!rate) return {};
  const { limits: _own, ...shared } = hold;
  return { bar: { ...rate, until, standing: standingOf(rate.own ? hold : shared, before, now) } };
}

/** Whether the call is one too many of those its key may have in flight. A count of tokens holds no place. */
function isCrowded(hold: Hold, item: Item, now: number): boolean {
  const cap = hold.limits?.max_concurrency;
  if (cap === undefined || hold.counting) return false;
  return inFlight(item, names.limited(hold.key), now - limits.holdExpirySeconds * 1000) > cap;
}

function crowded(hold: Hold, now: number): Breach {
  const message = `The key's limit of ${hold.limits?.max_concurrency} calls in flight is reached. Try again when one has ended.`;
  return { message, until: now + placeRetryMs };
}

function tooManyTasks(now: number): Breach {
  const message = `The limit of ${limits.openTasksMax} video tasks that have not ended is reached. Try again when one has.`;
  return { message, until: now + taskRetryMs };
}

/** What is left; where plan and key both limit something, of the one that has less. */
export function standingOf(hold: Hold, item: Item, now: number): Standing {
  if (!hold.terms) return {};
  const rates = ratesOf(hold, item, now);
  const left = (limit: number, used: number) => ({ limit, remaining: Math.max(0, limit - used) });
  const tightest = (limit: "rpm" | "tpm", dimension: "requests" | "tokens") =>
    rates
      .flatMap(({ [limit]: most, window }) =>
        most === null ? [] : [{ ...left(most, window[dimension]), reset_at: clearsAt(window, now) }],
      )
      .sort((a, b) => a.remaining - b.remaining || b.reset_at - a.reset_at)[0];
  const [requests, tokens] = [tightest("rpm", "requests"), tightest("tpm", "tokens")];
  const { quota, period } = hold.terms;
  const calls = Number(readBigint(item[names.period(period.id)]));
  return {
    ...(requests && { requests }),
    ...(tokens && { tokens }),
    quota: { ...left(quota, calls), reset_at: period.ends_at },
  };
}
