/** The audit of incoming money: wallets were granted what was credited, and plan fees are posted. */
import type { Organization, Subscription } from "../../accounts/account.ts";
import { formatPoints } from "../../billing/points.ts";
import { creditedBy, creditKindOf } from "../../ledger/credit.ts";
import type { Entry, PaidPeriod, PlanFee } from "../../ledger/ledger.ts";
import { feeEntry, feeId, liveFees, paidPeriods } from "../../ledger/plan-fee.ts";
import { limits } from "../../limits.ts";
import type { Meter } from "../../meters/meter.ts";
import { totals } from "./in-flight.ts";
import { differences, type KeptEntry } from "./kept.ts";
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
    return gap === 0n ? [] : [`${id} was granted ${formatPoints(gap)} more than credited`];
  });
  const total = [...credited.values()].reduce((sum, points) => sum + points, 0n);
  return {
    gaps,
    detail: `${books.organizations.length} organizations: credited ${formatPoints(total)} points`,
  };
}

/**
 * Every paid period that began two hours ago has one fee of its plan; the schedule had two passes to post it. A fee
 * agrees with its entry, and no time is paid twice.
 */
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
      ...due.flatMap(({ name }) => (posted.has(name) ? [] : [`${name} is not posted`])),
      ...begun.flatMap(({ name, period }) => {
        const fee = posted.get(name);
        const wrong = fee ? otherPeriod(fee, period, backs.get(feeId(fee))) : [];
        return wrong.map((each) => `${name} ${each}`);
      }),
      ...organizations.flatMap(wrongTimes),
      ...organizations.flatMap((owner) => wrongReturns(owner, byMeter)),
      ...fees.flatMap((entry) => wrongFee(entry)),
      ...paidTwice(liveFees(told)),
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

/**
 * What a fee says otherwise than its period. A time that was paid back ends where the fee that gives it back begins, or
 * milliseconds before, as no two fees begin at once (`freeStart`).
 */
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

/**
 * The entries of credits, payments and fees carry their hashes. A wallet has the sum of those of its credits. A payment or
 * a fee without a hash is older than the first entry that has one.
 */
export function moneyIsAsWritten(
  money: readonly KeptEntry[],
  {
    organizations,
    meters,
  }: {
    organizations: readonly Organization[];
    meters: readonly Pick<Meter, "meter" | "credits">[];
  },
): string[] {
  const kept = totals(meters.map(({ meter, credits }) => [meter, credits]));
  const isCredit = ({ entry }: KeptEntry) => entry !== undefined && creditKindOf(entry) !== undefined;
  const sums = totals(money.filter(isCredit).map(({ organization, hash = 0n }) => [organization, hash]));
  const hashedAt = money.flatMap(({ entry, hash }) => (entry && hash !== undefined ? [postedAt(entry)] : []));
  const since = hashedAt.reduce((first, at) => Math.min(first, at), Infinity);
  return [
    ...organizations.flatMap(({ id, wallet }) =>
      !wallet || (kept.get(wallet.meter) ?? 0n) === (sums.get(id) ?? 0n)
        ? []
        : [`${id}: a credit has gone, has come, or has lost its hash`],
    ),
    ...money.flatMap(({ entry, hash, organization }) =>
      entry && hash === undefined && creditKindOf(entry) === undefined && postedAt(entry) >= since
        ? [`${organization} ${entry.id} has no hash`]
        : [],
    ),
  ];
}

function postedAt({ at, posted_at = at }: Entry): number {
  return posted_at;
}
