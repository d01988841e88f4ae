/** The audit of incoming money: wallets were granted what was credited, and plan fees are posted. */

import { limits } from "../../base/limits.ts";
import type { Organization, Subscription } from "../../books/accounts/account.ts";
import { formatPoints } from "../../books/billing/points.ts";
import { creditedBy, creditKindOf } from "../../books/ledger/credit.ts";
import type { Entry, PaidPeriod, PlanFee } from "../../books/ledger/ledger.ts";
import { feeEntry, feeId, liveFees, paidPeriods } from "../../books/ledger/plan-fee.ts";
import type { Meter } from "../../books/meters/meter.ts";
import { totals } from "./in-flight.ts";
import { differences, goneOrBare, type KeptEntry } from "./kept.ts";
import type { Finding } from "./rollups.ts";

interface Books {
  organizations: Organization[];
  entries: Entry[];
}

/** Every wallet was granted what the ledger credited to its organization, less what it took back. */
export function creditsMatchGrants(books: Books & { meters: Pick<Meter, "meter" | "granted">[] }): Finding {
  const granted = totals(books.meters.map(({ meter, granted }) => [meter, granted]));
  const credits = books.entries.filter((entry) => creditKindOf(entry) !== undefined);
  const credited = totals(credits.map((entry) => [entry.organization, creditedBy(entry)]));
  const gaps = books.organizations.flatMap(({ id, wallet }) => {
    const gap = (wallet ? (granted.get(wallet.meter) ?? 0n) : 0n) - (credited.get(id) ?? 0n);
    return gap === 0n ? [] : [`${id} (${wallet?.meter}) was granted ${formatPoints(gap)} more than credited`];
  });
  const total = [...credited.values()].reduce((sum, points) => sum + points, 0n);
  return {
    gaps,
    detail: `${books.organizations.length} organizations: credited ${formatPoints(total)} points`,
  };
}

/** Each paid period has one fee two hours after its start, after two passes of the schedule. No time is paid twice. */
export function feesArePosted({ organizations, entries, now }: Books & { now: number }): Finding {
  const fees = entries.flatMap((entry) => (entry.kind === "plan_fee" ? [entry] : []));
  const posted = new Map(fees.map((entry) => [`${entry.organization} ${entry.id}`, entry.fee]));
  const told = fees.flatMap(({ fee }) => fee ?? []);
  const byMeter = Map.groupBy(told, ({ meter }) => meter);
  const backs = new Map(told.flatMap(({ returns, starts_at }) => (returns ? [[returns, starts_at]] : [])));
  const begun = organizations.flatMap(({ id, subscription }) =>
    subscription ? periodsOf(id, subscription, now) : [],
  );
  const due = begun.filter(({ isDue }) => isDue);
  return {
    gaps: [
      ...due.flatMap(({ name }) =>
        posted.has(name) ? [] : [`${name} is not posted, and the from of the subscription says so`],
      ),
      ...begun.flatMap(({ name, period }) => {
        const fee = posted.get(name);
        const wrong = fee ? otherPeriod(fee, period, backs.get(feeId(fee))) : [];
        return wrong.map(
          (each) =>
            `${name} ${each}, as plan, period, from, unused_points and first_ends_at of the subscription say`,
        );
      }),
      ...organizations.flatMap(wrongTimes),
      ...organizations.flatMap((owner) => wrongReturns(owner, byMeter)),
      ...fees.flatMap((entry) => wrongFee(entry)),
      ...paidTwice(liveFees(told)),
      ...returnedTwice(told),
    ],
    detail: `${fees.length} plan fees; of ${due.length} periods begun more than two hours ago each has its own`,
  };
}

/** A subscription begins with its organization, and its paid time at an instant before that time ends. */
function wrongTimes({ id, subscription, created_at }: Organization): string[] {
  if (!subscription) return [];
  const { started_at, paid: { from, first_ends_at: end = Infinity } = {} } = subscription;
  const isTime = from === undefined || (Number.isSafeInteger(from) && from <= end);
  return [
    ...(started_at === created_at ? [] : [`${id} has the subscription.started_at ${started_at}`]),
    ...(isTime ? [] : [`${id} has the subscription.paid.from ${String(from)}`]),
  ];
}

/** A subscription names each time that was paid back before it began, so that its fee can be posted again. */
function wrongReturns(
  { id, subscription }: Organization,
  fees: ReadonlyMap<string, readonly PlanFee[]>,
): string[] {
  if (!subscription) return [];
  const own = fees.get(subscription.meter) ?? [];
  const starts = new Map(own.map((fee) => [feeId(fee), fee.starts_at]));
  const returned = own.flatMap(({ returns = "", starts_at }) => {
    const start = starts.get(returns) ?? 0;
    return starts_at < start ? [start] : [];
  });
  const inOrder = (list: readonly number[]) => list.toSorted((one, other) => one - other);
  const is = { "subscription.returned": inOrder(subscription.returned ?? []) };
  const must = { "subscription.returned": inOrder(returned) };
  return differences(is, must).map((each) => `${id} ${each}`);
}

/** The paid periods of a subscription, with the names of their fees. */
function periodsOf(id: string, subscription: Subscription, now: number) {
  const from = subscription.paid?.from ?? now;
  return paidPeriods(subscription, Math.max(now, from)).map((period) => ({
    name: `${id} ${feeId(period)}`,
    period,
    // A time that begins later was posted when it was paid. Clocks may differ.
    isDue: Math.abs(now - period.starts_at) >= limits.sealGraceSeconds * 1000,
  }));
}

/** What a fee says otherwise than its period. A time that was paid back may end milliseconds early (`freeStart`). */
function otherPeriod(fee: PlanFee, period: PaidPeriod, back?: number): string[] {
  const { plan, period: length, ends_at, unused_points } = period;
  const isEnd = back === undefined ? fee.ends_at === ends_at : back >= ends_at && back < ends_at + 1_000;
  return [
    ...differences(fee, {
      ...{ plan, period: length },
      // An order's upgrade takes something off that the subscription does not say.
      ...(unused_points !== undefined && { unused_points }),
    }),
    ...(isEnd ? [] : [`has the ends_at ${back ?? fee.ends_at}, not ${ends_at}`]),
  ];
}

function wrongFee({ id, organization, fee, points, debit, credit, at }: Entry): string[] {
  if (!fee) return [`${id} does not say what it is for`];
  const right = feeEntry(organization, fee, 0);
  const isRight = right.id === id && right.points === points && right.at === at;
  if (isRight && right.debit === debit && right.credit === credit) return [];
  return [`${id} moves ${points} points, not the fee it names`];
}

/** Fees of a subscription for the same plan and period must not overlap. Names those that do. */
function paidTwice(fees: PlanFee[]): string[] {
  const bySubscription = Map.groupBy(fees, ({ meter }) => meter);
  return [...bySubscription.values()].flatMap((own) => {
    const inOrder = own.toSorted((a, b) => a.starts_at - b.starts_at);
    return inOrder.flatMap((fee, at) => {
      const before = inOrder[at - 1];
      const isSame = before?.plan === fee.plan && before.period === fee.period;
      return isSame && fee.starts_at < before.ends_at ? [`${feeId(fee)} is for time that is paid`] : [];
    });
  });
}

/** Whose time was paid back has that back once. Names each fee that is given back more often. */
function returnedTwice(fees: PlanFee[]): string[] {
  const byReturned = Map.groupBy(fees, ({ returns }) => returns);
  return [...byReturned].flatMap(([returned, backs]) => {
    if (returned === undefined || backs.length === 1) return [];
    const ids = backs.map(feeId).join(", ");
    return [`${returned} is given back ${backs.length} times, as the returns of ${ids} say`];
  });
}

/** The hashes of credits add up to their wallet's sum, and those of payments and fees to the seal's. */
export function moneyIsAsWritten(
  money: readonly KeptEntry[],
  {
    organizations,
    meters,
    moneyHashes,
  }: {
    organizations: readonly Organization[];
    meters: readonly Pick<Meter, "meter" | "credits">[];
    /** By the organization. */
    moneyHashes: ReadonlyMap<string, bigint>;
  },
): string[] {
  const kept = totals(meters.map(({ meter, credits }) => [meter, credits]));
  const isCredit = ({ entry }: KeptEntry) => entry !== undefined && creditKindOf(entry) !== undefined;
  const byOwner = Map.groupBy(money, ({ organization }) => organization);
  return organizations.flatMap(({ id, wallet }) => {
    const own = byOwner.get(id) ?? [];
    const [credits, others] = [own.filter(isCredit), own.filter((each) => !isCredit(each))];
    return [
      ...(wallet
        ? sumDiffers(`${id}, the c of ${wallet.meter}: a credit`, credits, kept.get(wallet.meter) ?? 0n)
        : []),
      ...sumDiffers(
        `${id}, the h of its seal R#${id}# S: a payment of a plan or a fee`,
        others,
        moneyHashes.get(id) ?? 0n,
      ),
    ];
  });
}

/** An entry without a hash is in no sum. */
function sumDiffers(what: string, entries: readonly KeptEntry[], kept: bigint): string[] {
  const sum = entries.reduce((total, { hash = 0n }) => total + hash, 0n);
  const bare = entries.filter(({ hash }) => hash === undefined).map(({ sort }) => sort);
  return sum === kept ? [] : [`${what} ${goneOrBare(bare)}`];
}
