/** The charges of an export's lines: of a priced line of a call, of a credit, and of a plan's fee (focus.md). */
import { formatPoints, onePoint, parsePoints } from "../billing/points.ts";
import type { Seller } from "../catalog/catalog.ts";
import { creditedBy, creditKindOf } from "../ledger/credit.ts";
import type { Entry, PlanFee } from "../ledger/ledger.ts";
import { periodMonths } from "../ledger/plan-fee.ts";
import type { UsageEvent } from "../ledger/usage-event.ts";
import { type ChargeColumns, seconds } from "./export-columns.ts";
import { meterName, type PricedLine, skuOf } from "./export-usage.ts";

/** Writes 10⁻¹⁸ points in the currency of an export. */
export type Money = (points: bigint) => string;

/** A charge period in whole seconds. Its end is exclusive. */
export function chargePeriod(
  from: number,
  to: number,
): Pick<ChargeColumns, "ChargePeriodStart" | "ChargePeriodEnd"> {
  const start = Math.floor(from / 1000) * 1000;
  const end = Math.max(Math.ceil(to / 1000) * 1000, start + 1000);
  return { ChargePeriodStart: seconds(start), ChargePeriodEnd: seconds(end) };
}

const services: Record<UsageEvent["kind"], string> = {
  chat: "Chat",
  embedding: "Embeddings",
  image: "Images",
  video: "Videos",
};

/** Points or a plan have paid for usage before. So usage bills nothing, and its cost is the effective cost. */
export function usageLine(
  event: UsageEvent,
  line: PricedLine,
  money: Money,
): Omit<ChargeColumns, "ChargePeriodStart" | "ChargePeriodEnd" | "ChargeDescription"> {
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
    PricingCurrency: "points",
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
    x_Reference: null,
  };
}

/**
 * Quantity, unit prices and their products. No customer has other prices, so list and contracted prices are the same.
 */
function priced(money: Money, price: { quantity: bigint; unit: string; unit_points: bigint }) {
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

/** What charges of no call have in common. */
function noUsage({ issuer }: Seller) {
  return {
    ConsumedQuantity: null,
    ConsumedUnit: null,
    PricingCurrency: "points",
    PublisherName: issuer,
    SkuPriceDetails: null,
    x_CostPoints: "0",
    x_ListPoints: "0",
  };
}

/**
 * The line of a credit. Points bought, paid back or paid for a plan are money; bought ones are effective once used.
 * Points that are given or adjusted move none: only `x_WalletPoints` shows them.
 */
export function creditLine(entry: Entry, seller: Seller, money: Money): ChargeColumns {
  const kind = creditKindOf(entry);
  const points = creditedBy(entry);
  const common = {
    ...noUsage(seller),
    ...chargePeriod(entry.at, entry.at),
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
      ...noPrice,
      ChargeCategory: kind === "promotional" ? "Credit" : "Adjustment",
      ChargeDescription: kind === "promotional" ? "promotional points" : "points adjusted",
      BilledCost: "0",
      ContractedCost: "0",
      ListCost: "0",
    };
  const { currency } = seller;
  return {
    ...common,
    ...priced(money, { quantity: points, unit: "Points", unit_points: onePoint }),
    ChargeCategory: "Purchase",
    ChargeDescription: descriptions[kind ?? "bought"],
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

const descriptions = {
  bought: "points bought",
  refund: "points paid back",
  plan: "points for a plan",
} as const;

/** Of a credit that nobody buys. */
const noPrice = {
  ContractedUnitPrice: null,
  ListUnitPrice: null,
  PricingCategory: null,
  PricingCurrencyContractedUnitPrice: null,
  PricingCurrencyListUnitPrice: null,
  PricingQuantity: null,
  PricingUnit: null,
  SkuId: null,
  SkuMeter: null,
  SkuPriceId: null,
};

/** The line of a plan's fee. A second line gives back the unused part of the plan before. */
export function feeLines(fee: PlanFee, seller: Seller, money: Money): ChargeColumns[] {
  const { plan, period, starts_at, ends_at, price_points, unused_points } = fee;
  const months = periodMonths[period];
  const id = `plan/${plan}/${period}`;
  const price = parsePoints(price_points);
  const line = (name: string, quantity: bigint, unit: string, unit_points: bigint) => ({
    ...noUsage(seller),
    ...chargePeriod(starts_at, ends_at),
    ...bothCosts(money, (quantity * unit_points) / onePoint),
    ...priced(money, { quantity, unit, unit_points }),
    ChargeCategory: "Purchase",
    ChargeFrequency: "Recurring",
    PricingCategory: "Standard",
    ServiceSubcategory: "AI Platforms",
    ServiceName: "Plans",
    SkuId: name,
    x_Reference: null,
    x_WalletPoints: "0",
  });
  const own: ChargeColumns = {
    ...line(id, onePoint, months === 1 ? "Months" : `${months} Months`, price),
    ChargeDescription: `plan ${plan}, ${period}`,
    SkuMeter: "Plan",
    SkuPriceId: `${id}@${price_points}`,
  };
  if (unused_points === undefined) return [own];
  const back: ChargeColumns = {
    ...line("plan/unused", -parsePoints(unused_points), "Points", onePoint),
    ChargeDescription: "unused months of the plan before",
    SkuMeter: "Unused Months",
    SkuPriceId: "plan/unused@1",
  };
  return [own, back];
}

/** A plan's fee is billed, and it is effective in its own period: the calls that it covers have no cost. */
function bothCosts(money: Money, points: bigint) {
  return {
    BilledCost: money(points),
    EffectiveCost: money(points),
    PricingCurrencyEffectiveCost: formatPoints(points),
  };
}
