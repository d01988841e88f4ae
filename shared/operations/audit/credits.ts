/** The audit of incoming money: wallets were granted what was credited, and plan fees are posted. */
import type { Organization } from "../../accounts/account.ts";
import { formatPoints } from "../../billing/points.ts";
import { creditedBy, creditKindOf } from "../../ledger/credit.ts";
import type { Entry, PaidPeriod, PlanFee } from "../../ledger/ledger.ts";
import { feeEntry, feeId, liveFees, paidPeriods } from "../../ledger/plan-fee.ts";
import { limits } from "../../limits.ts";
import type { Meter } from "../../meters/meter.ts";
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
              (wrong) =>
                `${name} ${wrong}, as plan, period, from, unused_points and first_ends_at of the subscription say`,
            )
          : [`${name} is not posted, and the from of the subscription says so`],
      ),
      ...fees.flatMap((entry) => wrongFee(entry)),
      ...paidTwice(liveFees(fees.flatMap(({ fee }) => fee ?? []))),
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
 * The hashes that credits carry add up to what their wallet has of them, and those of payments and fees to what the seal
 * of their organization has.
 */
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
