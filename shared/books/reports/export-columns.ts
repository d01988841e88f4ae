/**
 * The columns of an export, each declared once: its name, its part of a line, its type, the record that it is from, and
 * what it says. First come the columns of FOCUS 1.2, the FinOps Foundation's specification of billing data. Then come
 * our own, with the prefix `x_` that it asks for. `focus.md` has the same tables, and what the specification asks of each.
 */
import { type CellType, type Column, csvRow } from "./csv.ts";

/** The types of the specification. */
type FocusType = "String" | "Decimal" | "Date/Time" | "Currency" | "Unit" | "JSON";

/** What fills a column: the entry, one charge of it, the call behind it, or the counters of that call. */
type Part = "entry" | "charge" | "call" | "counters";

interface ExportedColumn<Of extends Part, Name extends string, Type> extends Omit<Column<Name>, "type"> {
  part: Of;
  type: Type;
}

function column<const Of extends Part, const Name extends string, Type extends FocusType | CellType>(
  part: Of,
  name: Name,
  type: Type,
  source: string,
  what: string,
): ExportedColumn<Of, Name, Type> {
  return { part, name, type, source, what };
}

export const focusColumns = [
  column("entry", "BillingAccountId", "String", "entry `organization`", "the organization's id"),
  column("entry", "BillingAccountName", "String", "organization `name`", "its name today"),
  column(
    "call",
    "SubAccountId",
    "String",
    "event `project`",
    "the project; null for a key of the organization",
  ),
  column("call", "SubAccountName", "String", "event `project`", "the same"),
  column(
    "entry",
    "BillingPeriodStart",
    "Date/Time",
    "entry `at`; of a call its admission",
    "the first instant of the month of UTC",
  ),
  column(
    "entry",
    "BillingPeriodEnd",
    "Date/Time",
    "entry `at`; of a call its admission",
    "the first instant of the next month",
  ),
  column(
    "charge",
    "ChargePeriodStart",
    "Date/Time",
    "event `admitted_at`, entry `at` or fee `starts_at`",
    "when the charge begins",
  ),
  column(
    "charge",
    "ChargePeriodEnd",
    "Date/Time",
    "event `ended_at`, entry `at` or fee `ends_at`",
    "when it has ended, exclusive",
  ),
  column("charge", "ChargeCategory", "String", "entry `kind`", "what kind of charge it is"),
  column(
    "entry",
    "ChargeClass",
    "String",
    "entry `posted_at`",
    "`Correction` where an estimate was corrected after its month",
  ),
  column(
    "charge",
    "ChargeDescription",
    "String",
    "entry `kind`, event `model`, fee `plan`",
    "the charge in words",
  ),
  column("charge", "ChargeFrequency", "String", "entry `kind`", "how often it comes"),
  column(
    "entry",
    "BillingCurrency",
    "Currency",
    "catalog `currency.code`",
    "the currency of the costs; `points` without one",
  ),
  column("charge", "BilledCost", "Decimal", "entry `points`", "what is to be paid"),
  column("charge", "EffectiveCost", "Decimal", "event `cost_points`, fee `price_points`", "what was used up"),
  column(
    "charge",
    "ContractedCost",
    "Decimal",
    "`PricingQuantity` × `ContractedUnitPrice`",
    "the cost at the customer's price",
  ),
  column("charge", "ContractedUnitPrice", "Decimal", "event `price`", "the customer's price of a unit"),
  column("charge", "ListCost", "Decimal", "`PricingQuantity` × `ListUnitPrice`", "the cost at list price"),
  column("charge", "ListUnitPrice", "Decimal", "event `price`", "the list price of a unit"),
  column("charge", "PricingCategory", "String", "event `mode`", "`Other` where a plan's quota paid"),
  column(
    "charge",
    "PricingCurrency",
    "Currency",
    "catalog `currency.code`",
    "the currency of the unit prices",
  ),
  column(
    "charge",
    "PricingCurrencyContractedUnitPrice",
    "Decimal",
    "event `price`",
    "the customer's price of a unit in it",
  ),
  column(
    "charge",
    "PricingCurrencyEffectiveCost",
    "Decimal",
    "event `cost_points`",
    "the effective cost in it",
  ),
  column(
    "charge",
    "PricingCurrencyListUnitPrice",
    "Decimal",
    "event `price`",
    "the list price of a unit in it",
  ),
  column("charge", "PricingQuantity", "Decimal", "event `usage`", "how many units are priced"),
  column("charge", "PricingUnit", "Unit", "event `price`", "the unit that is priced"),
  column("charge", "ConsumedQuantity", "Decimal", "event `usage`", "how many units were used"),
  column("charge", "ConsumedUnit", "Unit", "event `usage`", "the unit that is used"),
  column("entry", "InvoiceId", "String", "none", "null: an invoice is of orders, not of entries"),
  column("entry", "InvoiceIssuerName", "String", "catalog `issuer`", "the seller"),
  column("entry", "ProviderName", "String", "catalog `issuer`", "the seller"),
  column(
    "charge",
    "PublisherName",
    "String",
    "event `model`, catalog `issuer`",
    "the model's maker, or the seller",
  ),
  column("entry", "ServiceCategory", "String", "fixed", "what kind of service it is"),
  column("charge", "ServiceSubcategory", "String", "entry `kind`", "which part of it"),
  column("charge", "ServiceName", "String", "event `kind`, entry `kind`", "the service"),
  column("charge", "SkuId", "String", "event `model` and `price`, fee `plan`", "what is sold"),
  column("charge", "SkuMeter", "String", "event `price`", "what of it is counted"),
  column("charge", "SkuPriceId", "String", "event `price`, fee `price_points`", "its price"),
  column("charge", "SkuPriceDetails", "JSON", "event `price`", "the version and the unit price in points"),
  column("call", "Tags", "JSON", "event `user`", "the user, where the call named one"),
] as const;

export const ownColumns = [
  column("entry", "x_EntryId", "text", "entry `id`", "the entry in the ledger; several lines may have one"),
  column(
    "entry",
    "x_Kind",
    "text",
    "entry `kind`",
    "`usage`, `adjustment`, `bought`, `refund`, `promotional`, `credit_adjustment`, `plan_fee`, or `payment`: points for a plan",
  ),
  column(
    "entry",
    "x_PostedAt",
    "instant",
    "entry `posted_at`",
    "when it was written, in whole seconds; null for older ones",
  ),
  column("charge", "x_CostPoints", "decimal", "event `cost_points`", "what was charged; 0 where no call was"),
  column(
    "charge",
    "x_ListPoints",
    "decimal",
    "event `list_points`",
    "the value at list price; 0 where no call was",
  ),
  column("charge", "x_WalletPoints", "decimal", "entry `points`", "the change of the wallet"),
  column("entry", "x_Debit", "text", "entry `debit`", "the account that is debited"),
  column("entry", "x_Credit", "text", "entry `credit`", "the account that is credited"),
  column(
    "charge",
    "x_Reference",
    "text",
    "entry `id`",
    "of a credit: the reference by which it was booked once",
  ),
  column("call", "x_RequestId", "text", "event `id`", "the call, by which its receipt is found"),
  column("call", "x_KeyId", "text", "event `key`", "the key of the call"),
  column("call", "x_User", "text", "event `user`", "the user that the call named"),
  column("call", "x_Model", "text", "event `model`", "the model that is charged"),
  column("call", "x_UpstreamProvider", "text", "event `provider`", "who answered"),
  column("call", "x_BillingMode", "text", "event `mode`", "`payg` or `subscription`"),
  column("counters", "x_Calls", "integer", "event `calls`", "calls of quota"),
  column("counters", "x_InputTokens", "integer", "event `usage.input_tokens`", "input that no cache had"),
  column("counters", "x_OutputTokens", "integer", "event `usage.output_tokens`", "output"),
  column(
    "counters",
    "x_CacheReadTokens",
    "integer",
    "event `usage.cache_read_tokens`",
    "input that the provider's cache served",
  ),
  column(
    "counters",
    "x_CacheWriteTokens",
    "integer",
    "event `usage.cache_write_tokens`",
    "input that was written to it",
  ),
  column("counters", "x_GeneratedImages", "integer", "event `usage.generated_images`", "pictures made"),
  column("counters", "x_VideoSeconds", "integer", "event `usage.video_seconds`", "seconds of video made"),
  column(
    "call",
    "x_Resolution",
    "text",
    "event `resolution`",
    "of a video: the resolution that it was charged at",
  ),
  column("call", "x_PriceMode", "text", "event `price.price.mode`", "how the model is priced"),
  column("call", "x_PriceVersion", "text", "event `price.version`", "the hash of the price"),
  column("call", "x_DiscountRate", "decimal", "event `price.discount_rate`", "the factor of the price"),
  column("call", "x_Evidence", "text", "event `evidence`", "what says the counts"),
  column("call", "x_Outcome", "text", "event `outcome`", "how the call ended"),
  column("call", "x_Source", "text", "event `source`", "who made the event: `gateway` or `sweeper`"),
  column("call", "x_Flags", "list", "event `flags`", "what is worth a look"),
] as const;

const columns = [...focusColumns, ...ownColumns];
const names = columns.map(({ name }) => name);

type Columns = (typeof columns)[number];
type Value = string | number | null;

/** A line by its columns. Null means no value, an empty field in CSV. Amounts are exact decimal strings. */
export type ExportLine = Record<Columns["name"], Value>;

/** The values of all columns of a part: none can be forgotten. */
export type LinePart<Of extends Part> = Record<Extract<Columns, { part: Of }>["name"], Value>;

/** A line of its four parts, in the order of the columns. */
export function lineOf(
  entry: LinePart<"entry">,
  charge: LinePart<"charge">,
  call: LinePart<"call">,
  counters: LinePart<"counters">,
): ExportLine {
  const values: ExportLine = { ...entry, ...charge, ...call, ...counters };
  return Object.fromEntries(names.map((name) => [name, values[name]])) as ExportLine;
}

/** The first line of a CSV export. */
export const csvHead = csvRow(names);

/** A line as CSV (RFC 4180), without a line end. */
export function csvLine(line: ExportLine): string {
  return csvRow(names.map((name) => String(line[name] ?? "")));
}
