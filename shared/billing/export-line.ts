/**
 * A ledger entry as a line of an export: the columns of FOCUS 1.2 (the FinOps Foundation's specification of
 * billing data) where it has one, ours with the prefix it asks of others, `x_`. Costs are points as exact
 * decimal strings. A correction's line is what it changes, so that lines simply add up to the report of
 * their range: `EffectiveCost` to `cost_points`, `ContractedCost` to `list_points`, `x_Calls` and the tokens to theirs.
 * `ListCost` is the value before the model's discount.
 */
import { timeOf } from "../platform/id.ts";
import { charge } from "./charge.ts";
import type { Entry } from "./ledger.ts";
import { formatPoints, parsePoints } from "./points.ts";
import { sumsOf } from "./report.ts";
import { type Counts, dimensions, tokensOf } from "./usage.ts";
import type { UsageEvent } from "./usage-event.ts";

export type ExportLine = Record<ExportColumn, string | number>;

export type ExportColumn = (typeof columns)[number];

const columns = [
  "BillingAccountId",
  "SubAccountId",
  "ChargeCategory",
  "ChargeClass",
  "ChargeDescription",
  "ChargeFrequency",
  "ChargePeriodStart",
  "ChargePeriodEnd",
  "BillingCurrency",
  "BilledCost",
  "EffectiveCost",
  "ContractedCost",
  "ListCost",
  "ConsumedQuantity",
  "ConsumedUnit",
  "PricingQuantity",
  "PricingUnit",
  "ProviderName",
  "ServiceCategory",
  "ServiceName",
  "ResourceId",
  "SkuId",
  "SkuPriceId",
  "Tags",
  "x_EntryId",
  "x_RequestId",
  "x_Kind",
  "x_KeyId",
  "x_User",
  "x_BillingMode",
  "x_Calls",
  "x_InputTokens",
  "x_OutputTokens",
  "x_CacheReadTokens",
  "x_CacheWriteTokens",
  "x_GeneratedImages",
  "x_VideoSeconds",
  "x_Resolution",
  "x_PriceMode",
  "x_DiscountRate",
  "x_Evidence",
  "x_Outcome",
  "x_Source",
  "x_Flags",
  "x_Debit",
  "x_Credit",
] as const;

const empty = Object.fromEntries(columns.map((column) => [column, ""])) as ExportLine;

/** When an entry counts, Unix milliseconds: the admission of its call, or the instant of a credit. */
export function instantOf({ event, at }: Entry): number {
  return event ? timeOf(event.id) : at;
}

/** The line of an entry. `corrected` is the event that an adjustment corrects; other entries have none. */
export function exportLine(entry: Entry, corrected: UsageEvent | null): ExportLine {
  const line = {
    ...empty,
    BillingAccountId: entry.organization,
    BillingCurrency: "points",
    ChargePeriodStart: new Date(instantOf(entry)).toISOString(),
    x_EntryId: entry.id,
    x_Kind: entry.kind,
    x_Debit: entry.debit,
    x_Credit: entry.credit,
  };
  return entry.event ? usageLine(line, entry, entry.event, corrected) : creditLine(line, entry);
}

/** Points given lower what is owed; nothing was consumed for them. */
function creditLine(line: ExportLine, { points, at }: Entry): ExportLine {
  return {
    ...line,
    ChargeCategory: "Credit",
    ChargeDescription: "points bought",
    ChargeFrequency: "One-Time",
    ChargePeriodEnd: new Date(at).toISOString(),
    BilledCost: formatPoints(-parsePoints(points)),
    EffectiveCost: "0",
    ContractedCost: "0",
    ListCost: "0",
  };
}

function usageLine(
  line: ExportLine,
  { kind, points }: Entry,
  event: UsageEvent,
  corrected: UsageEvent | null,
): ExportLine {
  const sums = sumsOf(event);
  if (corrected) {
    const before = sumsOf(corrected);
    sums.calls -= before.calls;
    sums.list_points -= before.list_points;
    for (const dimension of dimensions) sums[dimension] -= before[dimension];
  }
  return {
    ...line,
    ...quantities(event.kind, sums),
    SubAccountId: event.project,
    ChargeCategory: "Usage",
    ChargeClass: kind === "adjustment" ? "Correction" : "",
    ChargeDescription: kind === "adjustment" ? `${event.kind}, corrected` : event.kind,
    ChargeFrequency: "Usage-Based",
    ChargePeriodEnd: new Date(event.ended_at).toISOString(),
    BilledCost: points,
    EffectiveCost: points,
    ContractedCost: formatPoints(sums.list_points),
    ListCost: formatPoints(undiscounted(event) - (corrected ? undiscounted(corrected) : 0n)),
    ProviderName: event.provider ?? "",
    ServiceCategory: "AI and Machine Learning",
    ServiceName: event.kind,
    ResourceId: event.key,
    SkuId: event.model,
    SkuPriceId: event.price.version,
    Tags: JSON.stringify(event.user === null ? {} : { user: event.user }),
    x_RequestId: event.id,
    x_KeyId: event.key,
    x_User: event.user ?? "",
    x_BillingMode: event.mode,
    x_Calls: sums.calls,
    x_InputTokens: sums.input_tokens,
    x_OutputTokens: sums.output_tokens,
    x_CacheReadTokens: sums.cache_read_tokens,
    x_CacheWriteTokens: sums.cache_write_tokens,
    x_GeneratedImages: sums.generated_images,
    x_VideoSeconds: sums.video_seconds,
    x_Resolution: event.resolution ?? "",
    x_PriceMode: event.price.price.mode,
    x_DiscountRate: event.price.discount_rate,
    x_Evidence: event.evidence,
    x_Outcome: event.outcome,
    x_Source: event.source,
    x_Flags: event.flags.join(" "),
  };
}

/** What an event comes to without its discount, in 10⁻¹⁸ points; a call that was given back, to nothing. */
function undiscounted({ calls, usage, price, resolution }: UsageEvent): bigint {
  if (calls === 0) return 0n;
  const terms = { ...price, discount_rate: "1" };
  return charge(usage, terms, resolution === undefined ? {} : { resolution }).points;
}

/** One million of tokens, as an amount with 18 decimals is one million times smaller than the count. */
const millionth = 10n ** 12n;

/** What was consumed, in its own unit and in the unit it is priced by. */
function quantities(kind: UsageEvent["kind"], usage: Counts): Partial<ExportLine> {
  const counted = (quantity: number, unit: string) => ({
    ConsumedQuantity: quantity,
    ConsumedUnit: unit,
    PricingQuantity: quantity,
    PricingUnit: unit,
  });
  if (kind === "image") return counted(usage.generated_images, "Images");
  if (kind === "video") return counted(usage.video_seconds, "Seconds");
  const tokens = tokensOf(usage);
  return {
    ...counted(tokens, "Tokens"),
    PricingQuantity: formatPoints(BigInt(tokens) * millionth),
    PricingUnit: "1000000 Tokens",
  };
}

/** The first line of a CSV export. */
export const csvHead = csvRow(columns);

/** A line as CSV of RFC 4180, without its line end. */
export function csvLine(line: ExportLine): string {
  return csvRow(columns.map((column) => String(line[column])));
}

function csvRow(fields: readonly string[]): string {
  return fields.map(csvField).join(",");
}

/**
 * A spreadsheet runs a cell that starts like a formula, and clients choose some of these texts: such a cell
 * gets an apostrophe in front, which shows it as it is. A negative number is none.
 */
function csvField(text: string): string {
  const runs = /^[=+\-@\t\r\n＝＋－＠]/.test(text) && !/^-\d+(?:\.\d+)?$/.test(text);
  const safe = runs ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
