/** What is left of the points that an order has bought (books/ledger/README.md "Which points are used first"). */
import type { Organization } from "../../books/accounts/account.ts";
import { creditedBy, creditKindOf } from "../../books/ledger/credit.ts";
import type { Entry } from "../../books/ledger/ledger.ts";
import { lotsOf, type Movement } from "../../books/ledger/points-used.ts";
import type { Meter } from "../../books/meters/meter.ts";
import { type SummedLedger, sumRange } from "../../books/reports/report-sums.ts";
import type { Order } from "../payments/order.ts";
import { referenceOf } from "./book.ts";

export interface PointsLeftDeps {
  ledger: SummedLedger & { creditsAndFees(organization: string): Promise<Entry[]> };
  /** Every item of a wallet, as they stood at one instant. */
  meters: { shardsOf(meter: string): Promise<Pick<Meter, "avail">[]> };
  now: () => number;
}

const everything = {
  groupsMax: Number.POSITIVE_INFINITY,
  entriesMax: Number.POSITIVE_INFINITY,
  parameter: "",
};

/** What is left of an order's own points, 10⁻¹⁸; 0 where it bought none. */
export async function pointsLeft(
  order: Pick<Order, "id">,
  organization: Organization,
  deps: PointsLeftDeps,
): Promise<bigint> {
  return (await pointsLeftIn(organization, deps))(order);
}

/**
 * The same for all orders of an organization. It reads all credits of the organization, and sums of its calls between them.
 * What the wallet lacks beside these is in flight: held, or on its way into the ledger. It counts as taken from the order that
 * is asked about, until it is booked.
 */
export async function pointsLeftIn(
  { id, wallet, created_at }: Organization,
  { ledger, meters, now }: PointsLeftDeps,
): Promise<(order: Pick<Order, "id">) => bigint> {
  // The wallet is read first, so that a charge that is booked meanwhile counts once more and never less.
  const shards = wallet ? await meters.shardsOf(wallet.meter) : [];
  const credits = (await ledger.creditsAndFees(id))
    .filter((entry) => creditKindOf(entry) !== undefined)
    .toSorted((one, other) => one.at - other.at || (one.id < other.id ? -1 : 1));
  const movements: Movement[] = [];
  let charged = 0n;
  let from = Math.min(created_at, credits[0]?.at ?? created_at);
  const useUntil = async (to: number) => {
    if (to <= from) return;
    const sums = await sumRange(ledger, { organization: id, project: "" }, from, to, [], everything);
    const points = [...sums.byModel().values()].reduce((sum, { cost_points }) => sum + cost_points, 0n);
    movements.push(points);
    charged += points;
    from = to;
  };
  for (const credit of credits) {
    await useUntil(credit.at);
    movements.push(credit);
  }
  await useUntil(now() + 1);
  const free = shards.reduce((sum, { avail }) => sum + avail, 0n);
  const credited = credits.reduce((sum, credit) => sum + creditedBy(credit), 0n);
  const inFlight = credited - charged - free;
  const lots = new Map(lotsOf(movements).map(({ reference, left }) => [reference, left]));
  return (order) => {
    const left = (lots.get(referenceOf(order)) ?? 0n) - (inFlight > 0n ? inFlight : 0n);
    return left > 0n ? left : 0n;
  };
}
