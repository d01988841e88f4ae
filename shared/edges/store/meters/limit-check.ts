/** Checks a hold against the limits, on the image of the meter that the admitting write returned. */

import { limits } from "../../../base/limits.ts";
import { isTask, timeOf } from "../../../base/platform/id.ts";
import type { LimitStatus, Refusal, RefusalScope } from "../../../books/meters/admission.ts";
import type { Hold, PlanLimits } from "../../../books/meters/hold.ts";
import {
  clearsAt,
  dayCounter,
  dayEnd,
  fitsAt,
  type MeterWindow,
  retryAfterSeconds,
  windowAt,
} from "../../../books/meters/window.ts";
import { type Item, readBigint, toAttribute } from "../dynamodb/attributes.ts";
import { holdAmounts } from "./amounts.ts";
import { oneCustomerMore } from "./budget.ts";
import { budgetCountersOf, countersOf, inFlight, names, openTasks } from "./meter-item.ts";

/** A call in flight of the same key may end at any moment. */
const placeRetryMs = 1_000;
/** A video task takes minutes. */
const taskRetryMs = 60_000;

/** Limits of a plan, caps on calls in flight and open tasks, and the number of customers need the whole item. */
export function needsItem({ planLimits, limits: own, request, bounds = [] }: Hold): boolean {
  if (planLimits !== null || own?.max_concurrency !== undefined || isTask(request)) return true;
  return bounds.some(({ level }) => level === "customer");
}

/** Whether a hold may stay, by the limits of minute and day, and the caps on calls in flight, open tasks and customers. */
export function checkLimits(hold: Hold, item: Item): { admitted: true; limitStatus: LimitStatus } | Refusal {
  const now = timeOf(hold.request);
  const rates = ratesOf(hold, item, now);
  const breaches = rates.flatMap((each) => breachesOf(hold, each, now));
  if (isCrowded(hold, item, now)) breaches.push(crowded(hold, now));
  const isFull = isTask(hold.request) && openTasks(item) > limits.openTasksMax;
  if (isFull) breaches.push(tooManyTasks(now));
  breaches.push(...customerBreach(hold, item));
  if (breaches.length === 0) return { admitted: true, limitStatus: limitStatusOf(hold, item, now, rates) };
  const latest = breaches.reduce((a, b) => (b.until > a.until ? b : a));
  // A refused call consumes nothing, so what it added is taken off again.
  const before = subtract(item, holdAmounts(hold));
  return {
    admitted: false,
    error: "rate_limited",
    message: latest.message,
    ...(latest.until !== Infinity && { retryAfterSeconds: retryAfterSeconds(latest.until, now) }),
    limitStatus: limitStatusOf(hold, before, now),
    ...scopeOf(latest, hold, before, now),
    ...(isFull && { tryOtherShard: true }),
  };
}

/** The minute and day limits of a plan or a key, and what is used of them. */
interface LimitRates extends Pick<PlanLimits, "rpm" | "tpm" | "tpd"> {
  /** They are the key's own limits. */
  own: boolean;
  window: MeterWindow;
  dayTokens: number;
}

function ratesOf({ planLimits, limits: own, key }: Hold, item: Item, now: number): LimitRates[] {
  if (!planLimits) return [];
  const plan: LimitRates = {
    ...planLimits,
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

/** A limit that is exceeded, and when it has room for the call: never, where the call alone is too large. */
interface Breach {
  message: string;
  until: number;
  /** Where it is a limit of the minute or day: which one. */
  rate?: Pick<RefusalScope, "limit" | "own">;
}

function breachesOf(
  hold: Hold,
  { rpm, tpm, tpd, own, window, dayTokens }: LimitRates,
  now: number,
): Breach[] {
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

function breach(rate: Pick<RefusalScope, "limit" | "own">, most: number, until: number | null): Breach {
  const limit = `${rate.own ? "key's " : ""}limit of ${most} ${units[rate.limit]}`;
  if (until === null) {
    return { message: `The call alone is over the ${limit}: it can never fit.`, until: Infinity };
  }
  return { message: `The ${limit} is exceeded until ${new Date(until).toISOString()}.`, until, rate };
}

/** Which other calls a breach refuses. It says nothing of them where room may come at any moment, or never. */
function scopeOf({ rate, until }: Breach, hold: Hold, before: Item, now: number): Pick<Refusal, "scope"> {
  if (!rate) return {};
  const { limits: _own, ...shared } = hold;
  return { scope: { ...rate, until, limitStatus: limitStatusOf(rate.own ? hold : shared, before, now) } };
}

/** Whether the key has one call too many in flight. A count of tokens is not in flight. */
function isCrowded(hold: Hold, item: Item, now: number): boolean {
  const cap = hold.limits?.max_concurrency;
  if (cap === undefined || hold.counting) return false;
  return inFlight(item, names.limited(hold.key), now - limits.holdExpirySeconds * 1000) > cap;
}

function crowded(hold: Hold, now: number): Breach {
  const message = `The key's limit of ${hold.limits?.max_concurrency} calls in flight is reached. Try again when one has ended.`;
  return { message, until: now + placeRetryMs };
}

/**
 * Whether this is the first call of one end customer too many. Its counter has only what it holds itself, and goes again
 * with the hold.
 */
function customerBreach(hold: Hold, item: Item): Breach[] {
  if (!hold.bounds) return [];
  const more = oneCustomerMore(hold, budgetCountersOf(item));
  const isFirst = more && readBigint(item[more.counter]) === holdAmounts(hold)[more.counter];
  return isFirst ? [more] : [];
}

function tooManyTasks(now: number): Breach {
  const message = `The limit of ${limits.openTasksMax} video tasks that have not ended is reached. Try again when one has.`;
  return { message, until: now + taskRetryMs };
}

/** What is left of the limits. Where both plan and key have a limit, the one with less left counts. */
export function limitStatusOf(
  hold: Hold,
  item: Item,
  now: number,
  rates = ratesOf(hold, item, now),
): LimitStatus {
  if (!hold.planLimits) return {};
  const left = (limit: number, used: number) => ({ limit, remaining: Math.max(0, limit - used) });
  const tightest = (limit: "rpm" | "tpm", dimension: "requests" | "tokens") =>
    rates
      .flatMap(({ [limit]: most, window }) =>
        most === null ? [] : [{ ...left(most, window[dimension]), resetAt: clearsAt(window, now) }],
      )
      .sort((a, b) => a.remaining - b.remaining || b.resetAt - a.resetAt)[0];
  const [requests, tokens] = [tightest("rpm", "requests"), tightest("tpm", "tokens")];
  const { quota, period } = hold.planLimits;
  const calls = Number(readBigint(item[names.period(period.id)]));
  return {
    ...(requests && { requests }),
    ...(tokens && { tokens }),
    quota: { ...left(quota, calls), resetAt: period.ends_at },
  };
}
