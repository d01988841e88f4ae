/**
 * Ledger entries as lines of an export (`columns.md`). The lines of a range add up to its report, corrections included,
 * and `x_WalletPoints` to the change of the wallet.
 */

import { timeOf } from "../../base/platform/id.ts";
import { moneyWriter } from "../billing/currency.ts";
import { spanOf } from "../billing/period.ts";
import type { Seller } from "../catalog/catalog.ts";
import type { Entry, Sums } from "../ledger/ledger.ts";
import type { UsageEvent } from "../ledger/usage-event.ts";
import { chargePeriod, creditLine, feeLines, type Money, usageLine } from "./export-charges.ts";
import { type ChargeColumns, type ExportLine, lineOf } from "./export-columns.ts";
import { meterName, pricedLines, reversed } from "./export-usage.ts";
import { negateSums, noSums, sumsOf } from "./report.ts";

/** An entry, and what its lines need of other records. */
interface Exported {
  entry: Entry;
  /** The event that an adjustment corrects; null for other entries. */
  corrected: UsageEvent | null;
  /** The organization's name. */
  account: string;
}

/**
 * The instant at which an entry counts, Unix ms: of its call's admission, of the credit, or of the paid period's start.
 */
export function instantOf({ event, at }: Entry): number {
  return event ? timeOf(event.id) : at;
}

/**
 * The lines of an entry, one for each priced line. A correction takes back the estimate's lines and adds the real ones.
 */
export function exportLines({ entry, corrected, account }: Exported, seller: Seller): ExportLine[] {
  const source = { entry, account, seller, month: spanOf(instantOf(entry), "month") };
  const money = moneyWriter(seller.currency);
  const { event, fee } = entry;
  if (event)
    return [
      ...(corrected ? usageLines(corrected, event, money, true) : []),
      ...usageLines(event, event, money, false),
    ].map(({ charge, sums }) => lineOf({ ...source, sums }, charge));
  const charges = fee ? feeLines(fee, seller, money) : [creditLine(entry, seller, money)];
  return charges.map((charge) => lineOf(source, charge));
}

/**
 * The priced lines of an event, or the same lines taken back by the event that corrects it: `current` has the period of
 * both. The first line has the counters of the whole call, and the others have zeros.
 */
function usageLines(
  event: UsageEvent,
  current: UsageEvent,
  money: Money,
  isTakenBack: boolean,
): { charge: ChargeColumns; sums: Sums }[] {
  const sums = isTakenBack ? negateSums(sumsOf(event)) : sumsOf(event);
  const lines = pricedLines(event).map((line) => (isTakenBack ? reversed(line) : line));
  return lines.map((line, at) => ({
    sums: at === 0 ? sums : noSums(),
    charge: {
      ...usageLine(event, line, money),
      ...chargePeriod(timeOf(current.id), current.ended_at),
      ChargeDescription: `${event.kind} of ${event.model}: ${meterName(line.dimension)}${isTakenBack ? ", estimate taken back" : ""}`,
    },
  }));
}
