/** What an entry must say by itself: its place, its id, its dates and its accounts agree, and its charge follows its price. */

import { limits } from "../../base/limits.ts";
import { bareId, isTask, timeOf } from "../../base/platform/id.ts";
import { hourOf } from "../../books/billing/period.ts";
import { formatPoints, parsePoints } from "../../books/billing/points.ts";
import { pinPrice, withRatesOf } from "../../books/billing/pricing/pin-price.ts";
import type { PinnedPrice, PriceVersion } from "../../books/billing/pricing/price.ts";
import { chargeCall } from "../../books/ledger/call-charge.ts";
import { creditKindOf } from "../../books/ledger/credit.ts";
import type { CreditKind, Entry } from "../../books/ledger/ledger.ts";
import { feeEntry } from "../../books/ledger/plan-fee.ts";
import { hourPart, isKnownVersion, isSpread } from "../../books/ledger/spread-hours.ts";
import type { UsageEvent } from "../../books/ledger/usage-event.ts";
import { differences, type KeptEntry } from "./kept.ts";

/** How far clocks may differ, by what a seal waits for (billing.md §2.7). */
const skewMs = limits.sealGraceSeconds * 1000;

/** The name by which a report calls an entry. */
export function nameOfEntry({ organization, hour, sort, entry }: KeptEntry): string {
  return `${organization} ${entry?.id ?? `${hour} ${sort}`}`;
}

/** What does not agree between an entry's place, id, dates and accounts. */
export function disagreements(kept: KeptEntry): string[] {
  const { entry, organization, sort } = kept;
  if (!entry) return ["cannot be read"];
  const { event, at, posted_at = at } = entry;
  const isEarly = posted_at < Math.min(at, event?.ended_at ?? at) - skewMs;
  return [
    ...differences(entry, { organization }),
    ...(event ? usageDiffers(kept, entry, event) : moneyDiffers(entry, sort)),
    ...(event && isEarly ? [`has the posted_at ${posted_at}`] : []),
  ];
}

function usageDiffers(
  { organization, hour, part, sort }: KeptEntry,
  entry: Entry,
  event: UsageEvent,
): string[] {
  const isCorrection = sort.endsWith("#adj");
  const id = isCorrection ? `${event.id}#adj` : event.id;
  const admitted = timeOf(event.id);
  const { model, ended_at, source, version } = event;
  const accounts = { debit: `customer:${organization}`, credit: `revenue:${model}` };
  const isOver = ended_at < admitted - skewMs || ended_at > (entry.posted_at ?? ended_at) + skewMs;
  return [
    ...differences(entry, { id, kind: isCorrection ? "adjustment" : "usage", at: admitted, ...accounts }),
    ...differences(event, { organization, admitted_at: admitted }),
    ...(isKnownVersion(version) ? [] : [`has the version ${String(version)}`]),
    ...(sort === (isCorrection ? `${bareId(event.id)}#adj` : bareId(event.id)) ? [] : [`lies at ${sort}`]),
    ...(hour === hourOf(admitted) ? [] : [`lies in the hour ${hour}`]),
    ...(part === (isSpread(event) ? hourPart(event.id) : "") ? [] : [`lies in the part "${part}"`]),
    ...(isTask(event.id) === (event.kind === "video") ? [] : [`has the kind ${event.kind}`]),
    ...(isOver ? [`has the ended_at ${ended_at}`] : []),
    ...(isCorrection && source !== "gateway" ? [`has the source ${source}`] : []),
  ];
}

/** A credit, a payment or a fee. */
function moneyDiffers(entry: Entry, sort: string): string[] {
  if (entry.id !== sort) return [`has the id ${entry.id}, and lies at ${sort}`];
  if (entry.kind === "plan_fee") return feeDiffers(entry);
  const { at, posted_at } = entry;
  const accounts = accountsDiffer(entry);
  return [...accounts, ...(posted_at === undefined ? [] : differences(entry, { posted_at: at }))];
}

function feeDiffers(entry: Entry): string[] {
  const { fee, organization, posted_at = 0 } = entry;
  if (!fee) return ["does not say what it is for"];
  const { event: _, fee: __, ...right } = feeEntry(organization, fee, posted_at);
  const { posted_at: ___, ...must } = right;
  return differences(entry, must);
}

/** The operator's accounts of each kind of credit. A refund that was refused gives its points back as an adjustment. */
const otherAccounts: Record<Exclude<CreditKind, "plan">, RegExp> = {
  bought: /^cash:/,
  refund: /^cash:/,
  promotional: /^promotion:operator$/,
  adjustment: /^(adjustment:operator$|cash:)/,
};
const ways: Record<Exclude<CreditKind, "plan">, readonly ("in" | "out")[]> = {
  bought: ["in"],
  refund: ["out"],
  promotional: ["in"],
  adjustment: ["in", "out"],
};

function accountsDiffer(entry: Entry): string[] {
  const { organization, debit, credit, kind } = entry;
  const named = creditKindOf(entry);
  // Both accounts of points for a plan are the customer's. What it owes for the plan counts.
  const [wallet, owed] = [`customer:${organization}`, `receivable:${organization}`];
  if (named === "plan")
    return [debit, credit].includes(owed) ? [] : [`has the kind ${kind}, and no part in ${owed}`];
  const own = kind === "payment" ? owed : wallet;
  const way = credit === own ? "in" : debit === own ? "out" : undefined;
  const other = way === "in" ? debit : credit;
  if (named === undefined && kind !== "payment") return [`has the kind ${kind}`];
  if (way === undefined) return [`has no part in ${own}`];
  const isRight = named
    ? otherAccounts[named].test(other) && ways[named].includes(way)
    : /^cash:/.test(other);
  return isRight ? [] : [`has the kind ${kind}, with points ${way} and the account ${other}`];
}

/** What is wrong with the charge of an event, computed anew from its usage and its price. */
export function miscalculations(event: UsageEvent, known: PriceVersion | undefined): string[] {
  const { calls, mode, source, cost_points, list_points } = event;
  const right = chargeCall(event, { ...event, free: calls === 0 });
  const [cost, list] = [parsePoints(cost_points), parsePoints(list_points)];
  // What the sweep guesses costs at most what was held, and nothing keeps how much that was.
  const isCharged = source === "sweeper" ? cost <= right.cost : cost === right.cost;
  return [
    ...(list === right.list ? [] : [`has the list_points ${list_points}, not ${formatPoints(right.list)}`]),
    ...(isCharged ? [] : [`has the cost_points ${cost_points}, not ${formatPoints(right.cost)}`]),
    ...(calls === right.calls ? [] : [`has the calls ${calls}`]),
    ...(mode === "payg" || mode === "subscription" ? [] : [`has the mode ${String(mode)}`]),
    ...priceDiffers(event, known),
  ];
}

/** The price in an entry must be that of the history, with the rates that the call was charged by. */
function priceDiffers({ price, usage }: UsageEvent, known: PriceVersion | undefined): string[] {
  if (!known || (!known.partial && versionOf(price) === price.version)) return [];
  // A price that is known in part may have other rates than this call's, and is the same without any.
  const [right, own] = known.partial
    ? [withRatesOf(known), withRatesOf(price)]
    : [withRatesOf(known, usage.details), price];
  return versionOf(right) === versionOf(own) ? [] : [`has another price than ${price.version}`];
}

function versionOf({ price, discount_rate }: PinnedPrice): string {
  return pinPrice(price, discount_rate).version;
}
