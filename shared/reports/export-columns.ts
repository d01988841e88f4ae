/**
 * The columns of an export and their text. First come the columns of FOCUS 1.2, the FinOps Foundation's specification
 * of billing data. Then come our own, with the prefix `x_` that it asks for. `focus.md` says what each
 * column must contain.
 */

export const focusColumns = [
  "BillingAccountId",
  "BillingAccountName",
  "SubAccountId",
  "SubAccountName",
  "BillingPeriodStart",
  "BillingPeriodEnd",
  "ChargePeriodStart",
  "ChargePeriodEnd",
  "ChargeCategory",
  "ChargeClass",
  "ChargeDescription",
  "ChargeFrequency",
  "BillingCurrency",
  "BilledCost",
  "EffectiveCost",
  "ContractedCost",
  "ContractedUnitPrice",
  "ListCost",
  "ListUnitPrice",
  "PricingCategory",
  "PricingCurrency",
  "PricingCurrencyContractedUnitPrice",
  "PricingCurrencyEffectiveCost",
  "PricingCurrencyListUnitPrice",
  "PricingQuantity",
  "PricingUnit",
  "ConsumedQuantity",
  "ConsumedUnit",
  "InvoiceId",
  "InvoiceIssuerName",
  "ProviderName",
  "PublisherName",
  "ServiceCategory",
  "ServiceSubcategory",
  "ServiceName",
  "SkuId",
  "SkuMeter",
  "SkuPriceId",
  "SkuPriceDetails",
  "Tags",
] as const;

export const ownColumns = [
  "x_EntryId",
  "x_Kind",
  "x_PostedAt",
  "x_CostPoints",
  "x_ListPoints",
  "x_WalletPoints",
  "x_Debit",
  "x_Credit",
  "x_Reference",
  "x_RequestId",
  "x_KeyId",
  "x_User",
  "x_Model",
  "x_UpstreamProvider",
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
  "x_PriceVersion",
  "x_DiscountRate",
  "x_Evidence",
  "x_Outcome",
  "x_Source",
  "x_Flags",
] as const;

const columns = [...focusColumns, ...ownColumns];

type ExportColumn = (typeof columns)[number];

/** A line by its columns. Null means no value, an empty field in CSV. Amounts are exact decimal strings. */
export type ExportLine = Record<ExportColumn, string | number | null>;

/** A line with these values. Every other column is null. */
export function lineOf(values: Partial<ExportLine>): ExportLine {
  const empty = Object.fromEntries(columns.map((column) => [column, null])) as ExportLine;
  return { ...empty, ...values };
}

/** The first line of a CSV export. */
export const csvHead = csvRow(columns);

/** A line as CSV (RFC 4180), without a line end. */
export function csvLine(line: ExportLine): string {
  return csvRow(columns.map((column) => String(line[column] ?? "")));
}

/** Fields as a line of CSV (RFC 4180), without a line end. No field can run as a formula of a spreadsheet. */
export function csvRow(fields: readonly string[]): string {
  return fields.map(csvField).join(",");
}

/**
 * A spreadsheet runs a cell that begins like a formula, and clients choose some of these texts. Such a cell gets an
 * apostrophe in front, so the spreadsheet shows it as text. A negative number is no formula.
 */
function csvField(text: string): string {
  const runs = /^[=+\-@\t\r\n＝＋－＠]/.test(text) && !/^-\d+(?:\.\d+)?$/.test(text);
  const safe = runs ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
