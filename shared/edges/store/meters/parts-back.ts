/** Parts of lowered budgets go back to the first shard (shared/books/meters/README.md "A budget that is changed"). */
import type { Aws } from "../../../base/platform/aws.ts";
import { roomOn } from "../../../books/meters/budget-parts.ts";
import { transactionsOf } from "../../../books/meters/growth.ts";
import type { Meter } from "../../../books/meters/meter.ts";
import type { Transfer } from "../../../books/meters/shards.ts";
import type { TableNames } from "../dynamodb/item-keys.ts";
import { actionsMax } from "../dynamodb/transaction.ts";
import { createWalletShards, moveAll } from "./shards.ts";

/** How often parts are taken back that calls take or give at the same moment. */
const roundsMax = 8;

/** A budget by its counter, and what its calls may come to, in 10⁻¹⁸ points. */
type BudgetOfParts = NonNullable<Transfer["budget"]>;

interface Lowered {
  meter: string;
  /** The budgets, by all items of the wallet. */
  asksOf: (items: readonly Meter[]) => BudgetOfParts[];
  /** The marks that end the revision by which the parts are taken back: a later change takes back for itself. */
  marks: readonly string[];
}

/** A budget of which the first shard counts more than there is, and whether other shards had parts when they were read last. */
export interface StillOver {
  counter: string;
  hasParts: boolean;
}

/**
 * Takes parts back until the first shard's counters are within their budgets. Gives those that are not: more is spent than
 * the budget, or others were in the way.
 */
export async function takePartsBack(
  aws: Aws,
  tables: Pick<TableNames, "counters">,
  { meter, asksOf, marks }: Lowered,
): Promise<StillOver[]> {
  const { shardsOf } = createWalletShards(aws, tables);
  for (let round = 1; ; round++) {
    const items = await shardsOf(meter);
    const [first, ...others] = items;
    const over = asksOf(items).filter((ask) => first && roomOn(first, ask) < 0n);
    const parts = over.map((ask) => ({ ask, transfers: partsBack(others, ask) }));
    const transfers = parts.flatMap((each) => each.transfers);
    if (transfers.length === 0 || round === roundsMax)
      return parts.map(({ ask: { counter }, transfers: own }) => ({ counter, hasParts: own.length > 0 }));
    for (const group of transactionsOf(transfers, actionsMax))
      await moveAll(aws, tables.counters, meter, group, marks);
  }
}

/** The transfers of all that these shards may still take of a budget to the first one. */
function partsBack(shards: readonly Meter[], ask: BudgetOfParts): Transfer[] {
  return shards
    .map((item) => ({ from: item.shard, to: 0, points: roomOn(item, ask), budget: ask }))
    .filter(({ points }) => points > 0n);
}
