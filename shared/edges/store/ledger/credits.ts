/** Credits on DynamoDB: one transaction writes the entry and changes the wallet. */

import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import { GatewayError } from "../../../base/errors.ts";
import { limits } from "../../../base/limits.ts";
import type { Aws } from "../../../base/platform/aws.ts";
import { creditEntry, lackingPoints, refuseOther } from "../../../books/ledger/credit.ts";
import type { Credit, Entry } from "../../../books/ledger/ledger.ts";
import { toAttribute } from "../dynamodb/attributes.ts";
import { atLeast, equals } from "../dynamodb/expressions.ts";
import { creditKey, meterKey, type TableNames } from "../dynamodb/item-keys.ts";
import { getItem } from "../dynamodb/items.ts";
import { type ActionOutcome, transact, unlessContended, update } from "../dynamodb/transaction.ts";
import { names } from "../meters/meter-item.ts";
import { createWalletShards } from "../meters/shards.ts";
import { entryWrite, readEntry } from "./postings.ts";

type CreditTables = Pick<TableNames, "ledger" | "counters">;

/**
 * What became of a credit. The outcomes of the further writes: one of these was not possible, and nothing was written.
 */
type Booked = "booked" | "known" | ActionOutcome[];

/**
 * Books a credit once by its reference (`Ledger.credit`). Only free points are taken, brought to one shard first.
 * `further` writes share the transaction.
 */
export async function bookCredit(
  aws: Aws,
  tables: CreditTables,
  credit: Credit,
  further: TransactWriteItem[] = [],
): Promise<Booked> {
  const entry = creditEntry(credit);
  if (credit.points > 0n) {
    const outcome = await post(aws, tables, credit, entry, { shard: 0, further });
    if (outcome === "spent") throw new Error(`no wallet ${credit.meter}`);
    return outcome;
  }
  const { collect } = createWalletShards(aws, tables);
  for (let round = 0; round < limits.gatherRoundsMax; round++) {
    // A repeated refund must not be refused because it has already taken the points.
    const known = await getItem(aws, tables.ledger, creditKey(credit.organization, credit.reference));
    if (known) return sameAs(entry, readEntry(known));
    const found = await collect(credit.meter, { points: -credit.points });
    if (found === "contended") continue;
    if ("lacking" in found) throw lackingPoints(found.free, -credit.points);
    const outcome = await post(aws, tables, credit, entry, { shard: found.shard, further });
    if (outcome !== "spent") return outcome;
  }
  throw new GatewayError("global_rate_limited", {
    message: "The wallet has too many calls just now. Please try again.",
  });
}

/** `spent`: other calls have taken the shard's points in between, or are changing it just now. */
async function post(
  aws: Aws,
  tables: CreditTables,
  { organization, meter, points, reference }: Credit,
  entry: Entry,
  { shard, further }: { shard: number; further: TransactWriteItem[] },
): Promise<Booked | "spent"> {
  const isFree = points < 0n ? [atLeast("avail", -points)] : [];
  const { write, hash } = entryWrite(tables.ledger, creditKey(organization, reference), entry);
  const change = {
    table: tables.counters,
    key: meterKey(meter, shard),
    add: { granted: points, avail: points, [names.credits]: hash },
    when: [equals("mode", toAttribute("payg")), ...isFree],
  };
  const writes = [write, update(change), ...further];
  // Calls of a busy wallet are in the way only for a moment.
  const outcomes = points < 0n ? await unlessContended(aws, writes) : await transact(aws, writes);
  if (!outcomes) return "booked";
  if (outcomes === "contended") return "spent";
  const [known, wallet] = outcomes;
  if (known?.failed && known.item) return sameAs(entry, readEntry(known.item));
  if (!wallet?.failed) return outcomes.slice(2);
  if (points < 0n && wallet.item?.avail) return "spent";
  throw new Error(`no wallet ${meter}`);
}

/** A repetition books nothing. Throws `invalid_request` where the reference has booked something else. */
function sameAs(wanted: Entry, booked: Entry): "known" {
  refuseOther(wanted, booked);
  return "known";
}
