/**
 * Ledger entries as lines of an export, in the columns of FOCUS 1.2 and our own (`focus.md`). The lines of any range
 * add up to the report of that range, corrections included: `x_CostPoints` to `cost_points`, `x_ListPoints` to
 * `list_points`, `x_Calls` and the tokens to theirs. `x_WalletPoints` adds up to the change of the wallet.
 */

import { timeOf } from "../../base/platform/id.ts";
import { moneyWriter } from "../billing/currency.ts";
import { spanEnd, spanOf, spanStart } from "../billing/period.ts";
import type { Seller } from "../catalog/catalog.ts";
import { creditKindOf } from "../ledger/credit.ts";
import type { Entry } from "../ledger/ledger.ts";
import type { UsageEvent } from "../ledger/usage-event.ts";
import {
  type ChargeColumns,
  chargePeriod,
  creditLine,
  feeLines,
  type Money,
  seconds,
  usageLine,
} from "./export-charges.ts";
import { type ExportLine, type LinePart, lineOf } from "./export-columns.ts";
import { meterName, pricedLines, reversed } from "./export-usage.ts";
import { negateSums, sumsOf } from "./report.ts";

/** An entry, and what its lines need of other records. */
interface Exported {
  entry: Entry;
  /** The event that an adjustment corrects; null for other entries. */
  corrected: UsageEvent | null;
  /** The organization's name. */
  account: string;
}

type Counters = LinePart<"counters">;

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
  const head = headOf(entry, account, seller);
  const money = moneyWriter(seller.currency);
  const { event, fee } = entry;
  if (event) {
    const call = callOf(event);
    return [
      ...(corrected ? usageLines(corrected, event, money, true) : []),
      ...usageLines(event, event, money, false),
    ].map(({ charge, counters }) => lineOf(head, charge, call, counters));
  }
  const charges = fee ? feeLines(fee, seller, money) : [creditLine(entry, seller, money)];
  return charges.map((charge) => lineOf(head, charge, noCall, noCounters));
}

/** The columns that all lines of an entry share. */
function headOf(entry: Entry, account: string, { issuer, currency }: Seller): LinePart<"entry"> {
  const month = spanOf(instantOf(entry), "month");
  const { posted_at } = entry;
  const isLate = entry.kind === "adjustment" && posted_at !== undefined && posted_at >= spanEnd(month);
  return {
    BillingAccountId: entry.organization,
    BillingAccountName: account,
    BillingPeriodStart: seconds(spanStart(month)),
    BillingPeriodEnd: seconds(spanEnd(month)),
    ChargeClass: isLate ? "Correction" : null,
    BillingCurrency: currency?.code ?? "points",
    InvoiceId: null,
    InvoiceIssuerName: issuer,
    ProviderName: issuer,
    ServiceCategory: "AI and Machine Learning",
    x_EntryId: entry.id,
    x_Kind: creditKindOf(entry) === "bought" ? "bought" : entry.kind,
    x_PostedAt: posted_at === undefined ? null : seconds(posted_at),
    x_Debit: entry.debit,
    x_Credit: entry.credit,
  };
}

/**
 * The priced lines of an event, or the same lines taken back by the event that corrects it: `current` has the period of
 * both. The first line has the counters of the whole call.
 */
function usageLines(
  event: UsageEvent,
  current: UsageEvent,
  money: Money,
  isTakenBack: boolean,
): { charge: ChargeColumns; counters: Counters }[] {
  const sums = isTakenBack ? negateSums(sumsOf(event)) : sumsOf(event);
  const counters: Counters = {
    x_Calls: sums.calls,
    x_InputTokens: sums.input_tokens,
    x_OutputTokens: sums.output_tokens,
    x_CacheReadTokens: sums.cache_read_tokens,
    x_CacheWriteTokens: sums.cache_write_tokens,
    x_GeneratedImages: sums.generated_images,
    x_VideoSeconds: sums.video_seconds,
  };
  const lines = pricedLines(event).map((line) => (isTakenBack ? reversed(line) : line));
  return lines.map((line, at) => ({
    counters: at === 0 ? counters : zeroCounters,
    charge: {
      ...usageLine(event, line, money),
      ...chargePeriod(timeOf(current.id), current.ended_at),
      ChargeDescription: `${event.kind} of ${event.model}: ${meterName(line.dimension)}${isTakenBack ? ", estimate taken back" : ""}`,
    },
  }));
}

const noCall: LinePart<"call"> = {
  SubAccountId: null,
  SubAccountName: null,
  Tags: "{}",
  x_RequestId: null,
  x_KeyId: null,
  x_User: null,
  x_Model: null,
  x_UpstreamProvider: null,
  x_BillingMode: null,
  x_Resolution: null,
  x_PriceMode: null,
  x_PriceVersion: null,
  x_DiscountRate: null,
  x_Evidence: null,
  x_Outcome: null,
  x_Source: null,
  x_Flags: null,
};

function countersOf<Value extends number | null>(value: Value): Record<keyof Counters, Value> {
  return {
    x_Calls: value,
    x_InputTokens: value,
    x_OutputTokens: value,
    x_CacheReadTokens: value,
    x_CacheWriteTokens: value,
    x_GeneratedImages: value,
    x_VideoSeconds: value,
  };
}

const noCounters = countersOf(null);
const zeroCounters = countersOf(0);

/** The columns that describe the call. */
function callOf(event: UsageEvent): LinePart<"call"> {
  const project = event.project === "" ? null : event.project;
  return {
    SubAccountId: project,
    SubAccountName: project,
    Tags: JSON.stringify(event.user === null ? {} : { user: event.user }),
    x_RequestId: event.id,
    x_KeyId: event.key,
    x_User: event.user,
    x_Model: event.model,
    x_UpstreamProvider: event.provider,
    x_BillingMode: event.mode,
    x_Resolution: event.resolution ?? null,
    x_PriceMode: event.price.price.mode,
    x_PriceVersion: event.price.version,
    x_DiscountRate: event.price.discount_rate,
    x_Evidence: event.evidence,
    x_Outcome: event.outcome,
    x_Source: event.source,
    x_Flags: event.flags.join(" ") || null,
  };
}
