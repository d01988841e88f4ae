/**
 * The columns of an export, each declared once: first those of FOCUS 1.2, the FinOps Foundation's specification, then
 * our own with the prefix `x_`. `columns.md` has what the specification asks of each.
 */
import { spanEnd, spanStart } from "../billing/period.ts";
import { tagsObject } from "../billing/tags.ts";
import type { Seller } from "../catalog/catalog.ts";
import { creditKindOf } from "../ledger/credit.ts";
import type { Entry, Sums } from "../ledger/ledger.ts";
import type { UsageEvent } from "../ledger/usage-event.ts";
import type { CellType, Column } from "./csv.ts";

/** The types of the specification, and ours. */
type ColumnType = "String" | "Decimal" | "Date/Time" | "Currency" | "Unit" | "JSON" | CellType;
type Value = string | number | null;

/** What a line is made of, besides its charge. */
export interface LineSource {
  entry: Entry;
  /** The organization's name. */
  account: string;
  seller: Seller;
  /** The month that the entry counts in. */
  month: string;
  /** What the line says of the counters of its call; absent where there is no call. */
  sums?: Sums;
}

/** What fills a column: this function, or the line's charge. */
type Fill = "charge" | ((line: LineSource) => Value);

interface ExportedColumn<Name extends string, By extends Fill> extends Omit<Column<Name>, "type"> {
  type: ColumnType;
  fill: By;
}

function column<const Name extends string, const By extends Fill>(
  name: Name,
  type: ColumnType,
  source: string,
  what: string,
  fill: By,
): ExportedColumn<Name, By> {
  return { name, type, source, what, fill };
}

function charge<const Name extends string>(name: Name, type: ColumnType, source: string, what: string) {
  return column(name, type, source, what, "charge");
}

/** A column of the event of the call behind the line: null where there is none. `member` is where it stands there. */
function call<const Name extends string>(
  name: Name,
  type: ColumnType,
  member: string,
  what: string,
  of: (event: UsageEvent) => Value,
) {
  const fill = ({ entry: { event } }: LineSource) => (event ? of(event) : null);
  return column(name, type, `event \`${member}\``, what, fill);
}

type TextMember = {
  [Member in keyof UsageEvent]-?: UsageEvent[Member] extends string | null | undefined ? Member : never;
}[keyof UsageEvent];

function field<const Name extends string>(name: Name, member: TextMember, what: string) {
  return call(name, "text", member, what, (event) => event[member] ?? null);
}

function counter<const Name extends string>(
  name: Name,
  member: Exclude<keyof Sums, "cost_points" | "list_points">,
  what: string,
) {
  const source = member === "calls" ? "event `calls`" : `event \`usage.${member}\``;
  return column(name, "integer", source, what, ({ sums }) => sums?.[member] ?? null);
}

/** An instant as FOCUS writes it: UTC, in whole seconds. */
export function seconds(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}

/** Whether an estimate was corrected after its month. */
function isLate({ entry: { kind, posted_at }, month }: LineSource): boolean {
  return kind === "adjustment" && posted_at !== undefined && posted_at >= spanEnd(month);
}

/** Whose key has paid the provider. */
function keyPaid({ own_fee, provider }: Pick<UsageEvent, "own_fee" | "provider">): string | null {
  if (own_fee) return "own";
  return provider === null ? null : "house";
}

/** The user of a call as a tag, beside its tags, none of which is called so. */
function allTags({ user, tags }: UsageEvent): Record<string, string> {
  return { ...(user !== null && { user }), ...(tags !== undefined && tagsObject(tags)) };
}

export const focusColumns = [
  column(
    "BillingAccountId",
    "String",
    "entry `organization`",
    "the organization's id",
    ({ entry }) => entry.organization,
  ),
  column("BillingAccountName", "String", "organization `name`", "its name today", ({ account }) => account),
  call(
    "SubAccountId",
    "String",
    "project",
    "the project; null for a key of the organization",
    ({ project }) => project || null,
  ),
  call("SubAccountName", "String", "project", "the same", ({ project }) => project || null),
  column(
    "BillingPeriodStart",
    "Date/Time",
    "entry `at`; of a call its admission",
    "the first instant of the month of UTC",
    ({ month }) => seconds(spanStart(month)),
  ),
  column(
    "BillingPeriodEnd",
    "Date/Time",
    "entry `at`; of a call its admission",
    "the first instant of the next month",
    ({ month }) => seconds(spanEnd(month)),
  ),
  charge(
    "ChargePeriodStart",
    "Date/Time",
    "event `admitted_at`, entry `at` or fee `starts_at`",
    "when the charge begins",
  ),
  charge(
    "ChargePeriodEnd",
    "Date/Time",
    "event `ended_at`, entry `at` or fee `ends_at`",
    "when it has ended, exclusive",
  ),
  charge("ChargeCategory", "String", "entry `kind`", "what kind of charge it is"),
  column(
    "ChargeClass",
    "String",
    "entry `posted_at`",
    "`Correction` where an estimate was corrected after its month",
    (line) => (isLate(line) ? "Correction" : null),
  ),
  charge("ChargeDescription", "String", "entry `kind`, event `model`, fee `plan`", "the charge in words"),
  charge("ChargeFrequency", "String", "entry `kind`", "how often it comes"),
  column(
    "BillingCurrency",
    "Currency",
    "catalog `currency.code`",
    "the currency of the costs; `points` without one",
    ({ seller }) => seller.currency?.code ?? "points",
  ),
  charge("BilledCost", "Decimal", "entry `points`", "what is to be paid"),
  charge("EffectiveCost", "Decimal", "event `cost_points`, fee `price_points`", "what was used up"),
  charge(
    "ContractedCost",
    "Decimal",
    "`PricingQuantity` × `ContractedUnitPrice`",
    "the cost at the customer's price",
  ),
  charge("ContractedUnitPrice", "Decimal", "event `price`", "the customer's price of a unit"),
  charge("ListCost", "Decimal", "`PricingQuantity` × `ListUnitPrice`", "the cost at list price"),
  charge("ListUnitPrice", "Decimal", "event `price`", "the list price of a unit"),
  charge("PricingCategory", "String", "event `mode`", "`Other` where a plan's quota paid"),
  charge("PricingCurrency", "Currency", "catalog `currency.code`", "the currency of the unit prices"),
  charge(
    "PricingCurrencyContractedUnitPrice",
    "Decimal",
    "event `price`",
    "the customer's price of a unit in it",
  ),
  charge("PricingCurrencyEffectiveCost", "Decimal", "event `cost_points`", "the effective cost in it"),
  charge("PricingCurrencyListUnitPrice", "Decimal", "event `price`", "the list price of a unit in it"),
  charge("PricingQuantity", "Decimal", "event `usage`", "how many units are priced"),
  charge("PricingUnit", "Unit", "event `price`", "the unit that is priced"),
  charge("ConsumedQuantity", "Decimal", "event `usage`", "how many units were used"),
  charge("ConsumedUnit", "Unit", "event `usage`", "the unit that is used"),
  column("InvoiceId", "String", "none", "null: an invoice is of orders, not of entries", () => null),
  column("InvoiceIssuerName", "String", "catalog `issuer`", "the seller", ({ seller }) => seller.issuer),
  column("ProviderName", "String", "catalog `issuer`", "the seller", ({ seller }) => seller.issuer),
  column("ServiceProviderName", "String", "catalog `issuer`", "the seller", ({ seller }) => seller.issuer),
  column(
    "HostProviderName",
    "String",
    "event `provider`, catalog `issuer`",
    "who answered the call, else the seller",
    ({ entry: { event }, seller }) => event?.provider ?? seller.issuer,
  ),
  charge("PublisherName", "String", "event `model`, catalog `issuer`", "the model's maker, or the seller"),
  column("ServiceCategory", "String", "fixed", "what kind of service it is", () => "AI and Machine Learning"),
  charge("ServiceSubcategory", "String", "entry `kind`", "which part of it"),
  charge("ServiceName", "String", "event `kind`, entry `kind`", "the service"),
  charge("SkuId", "String", "event `model` and `price`, fee `plan`", "what is sold"),
  charge("SkuMeter", "String", "event `price`", "what of it is counted"),
  charge("SkuPriceId", "String", "event `price`, fee `price_points`", "its price"),
  charge("SkuPriceDetails", "JSON", "event `price`", "the version and the unit price in points"),
  column(
    "Tags",
    "JSON",
    "event `user` and `tags`",
    "the user that the call named, and its tags; `{}` without any",
    ({ entry: { event } }) => JSON.stringify(event ? allTags(event) : {}),
  ),
] as const;

export const ownColumns = [
  column(
    "x_EntryId",
    "text",
    "entry `id`",
    "the entry in the ledger; several lines may have one",
    ({ entry }) => entry.id,
  ),
  column(
    "x_Kind",
    "text",
    "entry `kind`",
    "`usage`, `adjustment`, `bought`, `refund`, `promotional`, `credit_adjustment`, `plan_fee`, or `payment`: points for a plan",
    ({ entry }) => (creditKindOf(entry) === "bought" ? "bought" : entry.kind),
  ),
  column(
    "x_PostedAt",
    "instant",
    "entry `posted_at`",
    "when it was written, in whole seconds; null for older ones",
    ({ entry: { posted_at } }) => (posted_at === undefined ? null : seconds(posted_at)),
  ),
  charge("x_CostPoints", "decimal", "event `cost_points`", "what was charged; 0 where no call was"),
  charge("x_ListPoints", "decimal", "event `list_points`", "the value at list price; 0 where no call was"),
  charge("x_WalletPoints", "decimal", "entry `points`", "the change of the wallet"),
  column("x_Debit", "text", "entry `debit`", "the account that is debited", ({ entry }) => entry.debit),
  column("x_Credit", "text", "entry `credit`", "the account that is credited", ({ entry }) => entry.credit),
  charge("x_Reference", "text", "entry `id`", "of a credit: the reference by which it was booked once"),
  field("x_RequestId", "id", "the call, by which its receipt is found"),
  field("x_KeyId", "key", "the key of the call"),
  field("x_User", "user", "the user that the call named"),
  field("x_Model", "model", "the model that is charged"),
  field("x_UpstreamProvider", "provider", "who answered"),
  call(
    "x_ProviderKey",
    "text",
    "own_fee",
    "whose key has paid the provider: `own`, the organization's, or `house`; null where nobody was asked",
    keyPaid,
  ),
  field("x_BillingMode", "mode", "`payg` or `subscription`"),
  counter("x_Calls", "calls", "calls of quota"),
  counter("x_InputTokens", "input_tokens", "input that no cache had"),
  counter("x_OutputTokens", "output_tokens", "output"),
  counter("x_CacheReadTokens", "cache_read_tokens", "input that the provider's cache served"),
  counter("x_CacheWriteTokens", "cache_write_tokens", "input that was written to it"),
  counter("x_GeneratedImages", "generated_images", "pictures made"),
  counter("x_VideoSeconds", "video_seconds", "seconds of video made"),
  field("x_Resolution", "resolution", "of a video: the resolution that it was charged at"),
  call("x_PriceMode", "text", "price.price.mode", "how the model is priced", ({ price }) => price.price.mode),
  call("x_PriceVersion", "text", "price.version", "the hash of the price", ({ price }) => price.version),
  call(
    "x_DiscountRate",
    "decimal",
    "price.discount_rate",
    "the factor of the price",
    ({ price }) => price.discount_rate,
  ),
  field("x_Evidence", "evidence", "what says the counts"),
  field("x_Outcome", "outcome", "how the call ended"),
  field("x_Source", "source", "who made the event: `gateway` or `sweeper`"),
  call("x_Flags", "list", "flags", "what is worth a look", ({ flags }) => flags.join(" ") || null),
] as const;

const columns = [...focusColumns, ...ownColumns];

type Columns = (typeof columns)[number];

/** A line by its columns. Null means no value, an empty field in CSV. Amounts are exact decimal strings. */
export type ExportLine = Record<Columns["name"], Value>;

/** The values of all columns that a charge fills: none can be forgotten. */
export type ChargeColumns = Record<Extract<Columns, { fill: "charge" }>["name"], Value>;

/** A line, in the order of the columns. */
export function lineOf(source: LineSource, charged: ChargeColumns): ExportLine {
  const values = columns.map((each) => [
    each.name,
    each.fill === "charge" ? charged[each.name as keyof ChargeColumns] : each.fill(source),
  ]);
  return Object.fromEntries(values) as ExportLine;
}
