/** The audit of incoming money: wallets were granted what was credited, and plan fees are posted. */
import type { Organization } from "../../accounts/account.ts";
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
  const due = organizations.flatMap(({ id, subscription }) =>
    subscription
      ? paidPeriods(subscription, now - limits.sealGraceSeconds * 1000).map((period) => ({
          name: `${id} ${feeId(period)}`,
          period,
        }))
      : [],
  );
  const live = new Set<PlanFee | undefined>(liveFees(fees.flatMap(({ fee }) => fee ?? [])));
  return {
    gaps: [
      ...due.flatMap(({ name, period }) =>
        posted.has(name)
          ? otherPeriod(posted.get(name), period, live.has(posted.get(name))).map(
              (wrong) => `${name} ${wrong}`,
            )
          : [`${name} is not posted`],
      ),
      ...fees.flatMap((entry) => wrongFee(entry)),
      ...paidTwice(liveFees(fees.flatMap(({ fee }) => fee ?? []))),
      ...organizations.flatMap((organization) => wrongReturned(organization, fees)),
    ],
    detail: `${fees.length} plan fees; of ${due.length} periods begun more than two hours ago each has its own`,
  };
}

/** A fee that is due says what its period says. */
function otherPeriod(fee: PlanFee | undefined, period: PaidPeriod, isLive: boolean): string[] {
  if (!fee) return [];
  const { plan, period: length, ends_at, unused_points } = period;
  return differences(fee, {
    ...{ plan, period: length },
    // A time that was paid back ends earlier than it was paid for.
    ...(isLive && { ends_at }),
    // An order's upgrade takes something off that the subscription does not say.
    ...(unused_points !== undefined && { unused_points }),
  });
}

function wrongFee({ id, organization, fee, points, debit, credit, at }: Entry): string[] {
  if (!fee) return [`${id} does not say what it is for`];
  const right = feeEntry(organization, fee, 0);
  const isRight = right.id === id && right.points === points && right.at === at;
  if (isRight && right.debit === debit && right.credit === credit) return [];
  return [`${id} moves ${points} points, not the fee it names`];
}

/** A subscription knows the starts of exactly those fees that were given back before their time began. */
function wrongReturned({ id, subscription }: Organization, fees: readonly Entry[]): string[] {
  if (!subscription) return [];
  const own = fees.filter(
    ({ organization, fee }) => organization === id && fee?.meter === subscription.meter,
  );
  const starts = new Map(own.map((entry) => [entry.id, entry.at]));
  const must = own.flatMap(({ fee }) => {
    const start = starts.get(fee?.returns ?? "");
    return fee && start !== undefined && start > fee.starts_at ? [start] : [];
  });
  const sorted = (instants: readonly number[]) => instants.toSorted((one, other) => one - other).join(" ");
  const [is, wanted] = [sorted(subscription.returned ?? []), sorted(must)];
  return is === wanted ? [] : [`${id} has the returned ${is || "none"}, not ${wanted || "none"}`];
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
