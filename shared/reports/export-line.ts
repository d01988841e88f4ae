/**
 * Ledger entries as lines of an export, in the columns of FOCUS 1.2 and our own (`focus.md`). The lines of any range
 * add up to the report of that range, corrections included: `x_CostPoints` to `cost_points`, `x_ListPoints` to
 * `list_points`, `x_Calls` and the tokens to theirs. `x_WalletPoints` adds up to the change of the wallet.
 */

import { type Currency, moneyWriter } from "../billing/currency.ts";
import { spanEnd, spanOf, spanStart } from "../billing/period.ts";
import { formatPoints, onePoint, parsePoints } from "../billing/points.ts";
import { creditedBy, creditKindOf } from "../ledger/credit.ts";
import type { Entry, PlanFee } from "../ledger/ledger.ts";
import { periodMonths } from "../ledger/plan-fee.ts";
import type { UsageEvent } from "../ledger/usage-event.ts";
import { timeOf } from "../platform/id.ts";
import { type ExportLine, lineOf } from "./export-columns.ts";
import { meterName, type PricedLine, pricedLines, reversed, skuOf } from "./export-usage.ts";
import { negateSums, sumsOf } from "./report.ts";

/** What an export needs beside the entries. */
export interface ExportTerms {
  /** The name of the seller, who also sends the invoice. */
  issuer: string;
  /** The currency that points are bought with. Without one, costs are in points. */
  currency: Currency | undefined;
}

/** An entry, and what its lines need of other records. */
export interface Exported {
  entry: Entry;
  /** The event that an adjustment corrects; null for other entries. */
  corrected: UsageEvent | null;
  /** The organization's name. */
  account: string;
}

type Line = Partial<ExportLine>;
type Money = (points: bigint) => string;

/**
 * The instant at which an entry counts, Unix ms: of its call's admission, of the credit, or of the paid period's start.
 */
export function instantOf({ event, at }: Entry): number {
  return event ? timeOf(event.id) : at;
}

/**
 * The lines of an entry, one for each priced line. A correction takes back the estimate's lines and adds the real ones.
 */
export function exportLines({ entry, corrected, account }: Exported, terms: ExportTerms): ExportLine[] {
  const head = { ...headOf(entry, terms), BillingAccountName: account };
  const money = moneyWriter(terms.currency);
  const { event, fee } = entry;
  const lines = event
    ? [...(corrected ? usageLines(corrected, money, true) : []), ...usageLines(event, money, false)]
    : fee
      ? feeLines(fee, money)
      : [creditLine(entry, terms, money)];
  return lines.map((line) => lineOf({ ...head, ...line, ...(event && callOf(event)) }));
}

/** The columns that all lines of an entry share. */
function headOf(entry: Entry, { issuer, currency }: ExportTerms): Line {
  const at = instantOf(entry);
  const month = spanOf(at, "month");
  const { posted_at, event } = entry;
  const isLate = entry.kind === "adjustment" && posted_at !== undefined && posted_at >= spanEnd(month);
  return {
    BillingAccountId: entry.organization,
    BillingPeriodStart: seconds(spanStart(month)),
    BillingPeriodEnd: seconds(spanEnd(month)),
    ...chargePeriod(at, event?.ended_at ?? at),
    ChargeClass: isLate ? "Correction" : null,
    BillingCurrency: currency?.code ?? "points",
    PricingCurrency: "points",
    InvoiceIssuerName: issuer,
    ProviderName: issuer,
    PublisherName: issuer,
    ServiceCategory: "AI and Machine Learning",
    Tags: "{}",
    x_EntryId: entry.id,
    x_Kind: creditKindOf(entry) === "bought" ? "bought" : entry.kind,
    x_PostedAt: posted_at === undefined ? null : seconds(posted_at),
    x_CostPoints: "0",
    x_ListPoints: "0",
    x_WalletPoints: "0",
    x_Debit: entry.debit,
    x_Credit: entry.credit,
  };
}

/** A charge period in whole seconds. Its end is exclusive. */
function chargePeriod(from: number, to: number): Line {
  const start = Math.floor(from / 1000) * 1000;
  const end = Math.max(Math.ceil(to / 1000) * 1000, start + 1000);
  return { ChargePeriodStart: seconds(start), ChargePeriodEnd: seconds(end) };
}

/** An instant as FOCUS writes it: UTC, in whole seconds. */
function seconds(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}

const services: Record<UsageEvent["kind"], string> = {
  chat: "Chat",
  embedding: "Embeddings",
  image: "Images",
  video: "Videos",
};

/** The priced lines of an event, or the same lines taken back. The first line has the counters of the whole call. */
function usageLines(event: UsageEvent, money: Money, isTakenBack: boolean): Line[] {
  const sums = isTakenBack ? negateSums(sumsOf(event)) : sumsOf(event);
  const counters: Line = {
    x_Calls: sums.calls,
    x_InputTokens: sums.input_tokens,
    x_OutputTokens: sums.output_tokens,
    x_CacheReadTokens: sums.cache_read_tokens,
    x_CacheWriteTokens: sums.cache_write_tokens,
    x_GeneratedImages: sums.generated_images,
    x_VideoSeconds: sums.video_seconds,
  };
  const none = Object.fromEntries(Object.keys(counters).map((name) => [name, 0]));
  const lines = pricedLines(event).map((line) => (isTakenBack ? reversed(line) : line));
  return lines.map((line, at) => ({
    ...(at === 0 ? counters : none),
    ...usageLine(event, line, money),
    ChargeDescription: `${event.kind} of ${event.model}: ${meterName(line.dimension)}${isTakenBack ? ", estimate taken back" : ""}`,
  }));
}

/** Points or a plan have paid for usage before. So usage bills nothing, and its cost is the effective cost. */
function usageLine(event: UsageEvent, line: PricedLine, money: Money): Line {
  const { list_points, cost_points, unit_points } = line;
  const isWallet = event.mode === "payg";
  const sku = skuOf(event, line);
  const details = { x_PriceVersion: event.price.version, x_UnitPricePoints: formatPoints(unit_points) };
  return {
    ChargeCategory: "Usage",
    ChargeFrequency: "Usage-Based",
    ...priced(money, { quantity: line.quantity, unit: line.unit, unit_points }),
    BilledCost: "0",
    EffectiveCost: money(cost_points),
    PricingCategory: isWallet ? "Standard" : "Other",
    PricingCurrencyEffectiveCost: formatPoints(cost_points),
    ConsumedQuantity: formatPoints(line.consumed),
    ConsumedUnit: line.consumed_unit,
    PublisherName: event.model.split("/")[0] || event.model,
    ServiceSubcategory: "Generative AI",
    ServiceName: services[event.kind],
    SkuId: sku.id,
    SkuMeter: meterName(line.dimension),
    SkuPriceId: sku.price,
    SkuPriceDetails: JSON.stringify(details),
    x_CostPoints: formatPoints(cost_points),
    x_ListPoints: formatPoints(list_points),
    x_WalletPoints: formatPoints(isWallet ? -cost_points : 0n),
  };
}

/**
 * Quantity, unit prices and their products. No customer has other prices, so list and contracted prices are the same.
 */
function priced(money: Money, price: { quantity: bigint; unit: string; unit_points: bigint }): Line {
  const points = (price.quantity * price.unit_points) / onePoint;
  return {
    ContractedCost: money(points),
    ContractedUnitPrice: money(price.unit_points),
    ListCost: money(points),
    ListUnitPrice: money(price.unit_points),
    PricingCurrencyContractedUnitPrice: formatPoints(price.unit_points),
    PricingCurrencyListUnitPrice: formatPoints(price.unit_points),
    PricingQuantity: formatPoints(price.quantity),
    PricingUnit: price.unit,
  };
}

/** The columns that describe the call. */
function callOf(event: UsageEvent): Line {
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

/**
 * The line of a credit. Points bought or paid back are money, and their cost is effective once the points are used.
 * Points that are given or adjusted move no money: only `x_WalletPoints` shows them.
 */
function creditLine(entry: Entry, { currency }: ExportTerms, money: Money): Line {
  const kind = creditKindOf(entry);
  const points = creditedBy(entry);
  const common: Line = {
    ChargeFrequency: "One-Time",
    EffectiveCost: "0",
    PricingCurrencyEffectiveCost: "0",
    ServiceSubcategory: "Other (AI and Machine Learning)",
    ServiceName: "Points",
    x_Reference: entry.id.slice("credit#".length),
    x_WalletPoints: formatPoints(points),
  };
  if (kind === "promotional" || kind === "adjustment")
    return {
      ...common,
      ChargeCategory: kind === "promotional" ? "Credit" : "Adjustment",
      ChargeDescription: kind === "promotional" ? "promotional points" : "points adjusted",
      BilledCost: "0",
      ContractedCost: "0",
      ListCost: "0",
    };
  const price = priced(money, { quantity: points, unit: "Points", unit_points: onePoint });
  return {
    ...common,
    ...price,
    ChargeCategory: "Purchase",
    ChargeDescription: kind === "refund" ? "points paid back" : "points bought",
    BilledCost: money(points),
    PricingCategory: "Standard",
    PricingCurrency: currency?.code ?? "points",
    PricingCurrencyContractedUnitPrice: money(onePoint),
    PricingCurrencyListUnitPrice: money(onePoint),
    SkuId: "points",
    SkuMeter: "Points",
    SkuPriceId: `points@${currency?.points_per_unit ?? "1"}`,
  };
}

/** The line of a plan's fee. A second line gives back the unused part of the plan before. */
function feeLines(fee: PlanFee, money: Money): Line[] {
  const { plan, period, starts_at, ends_at, price_points, unused_points } = fee;
  const months = periodMonths[period];
  const id = `plan/${plan}/${period}`;
  const price = parsePoints(price_points);
  const line = (name: string, quantity: bigint, unit: string, unit_points: bigint): Line => ({
    ...chargePeriod(starts_at, ends_at),
    ...bothCosts(money, (quantity * unit_points) / onePoint),
    ...priced(money, { quantity, unit, unit_points }),
    ChargeCategory: "Purchase",
    ChargeFrequency: "Recurring",
    PricingCategory: "Standard",
    ServiceSubcategory: "AI Platforms",
    ServiceName: "Plans",
    SkuId: name,
  });
  const own: Line = {
    ...line(id, onePoint, months === 1 ? "Months" : `${months} Months`, price),
    ChargeDescription: `plan ${plan}, ${period}`,
    SkuMeter: "Plan",
    SkuPriceId: `${id}@${price_points}`,
  };
  if (unused_points === undefined) return [own];
  const back: Line = {
    ...line("plan/unused", -parsePoints(unused_points), "Points", onePoint),
    ChargeDescription: "unused months of the plan before",
    SkuMeter: "Unused Months",
    SkuPriceId: "plan/unused@1",
  };
  return [own, back];
}

/** A plan's fee is billed, and it is effective in its own period: the calls that it covers have no cost. */
function bothCosts(money: Money, points: bigint): Line {
  return {
    BilledCost: money(points),
    EffectiveCost: money(points),
    PricingCurrencyEffectiveCost: formatPoints(points),
  };
}
