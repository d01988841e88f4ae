/**
 * FOCUS 1.2 as `shared/books/reports/focus.md` has it: the columns of its table, and its rules as checks by their
 * numbers.
 */
import { readFileSync } from "node:fs";
import type { Seller } from "#shared/books/catalog/catalog.ts";
import type { Entry } from "#shared/books/ledger/ledger.ts";
import { type ExportLine, focusColumns, ownColumns } from "#shared/books/reports/export-columns.ts";

export type Line = ExportLine;
export type Column = keyof ExportLine;

const document = readFileSync(new URL("../../../../shared/books/reports/focus.md", import.meta.url), "utf8");
const cells = (row: string) =>
  row
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());
const rows = document.split("\n").filter((line) => line.startsWith("| "));

/** The table of columns. */
export const columns = rows
  .filter((row) => /^\| `[A-Z]\w+` \| (?:mandatory|conditional|recommended) /.test(row))
  .map((row) => {
    const [name = "", presence = "", type = "", nulls = "", allowed = ""] = cells(row);
    return {
      name: name.replaceAll("`", "") as Column,
      presence,
      type,
      mayBeNull: nulls === "may",
      allowed: allowed === "" ? undefined : allowed.split(", "),
    };
  });
export const ruleNames = rows
  .map((row) => /^\| (R\d+) \|/.exec(row)?.[1])
  .filter((name) => name !== undefined);

/** A decimal text as a fraction, without the product's own arithmetic. */
function fraction(text: unknown): { over: bigint; under: bigint } {
  const [, sign = "", whole = "", rest = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(String(text)) ?? [];
  return { over: BigInt(sign + whole + rest), under: 10n ** BigInt(rest.length) };
}
export const times = (a: unknown, b: unknown) => {
  const [x, y] = [fraction(a), fraction(b)];
  return { over: x.over * y.over, under: x.under * y.under };
};
export const equal = (a: { over: bigint; under: bigint }, b: { over: bigint; under: bigint }) =>
  a.over * b.under === b.over * a.under;

export const types: Record<string, RegExp> = {
  String: /\S/,
  Decimal: /^-?\d+(?:\.\d+)?$/,
  "Date/Time": /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
  JSON: /^\{.*\}$/,
  Unit: /^(?:[1-9]\d* )?[A-Z][A-Za-z]*s$/,
  Currency: /^(?:[A-Z]{3}|points)$/,
};
const ofType = (type: string) => columns.filter((column) => column.type === type).map(({ name }) => name);
const isMonth = (text: unknown) => /^\d{4}-\d\d-01T00:00:00Z$/.test(String(text));
const isNull = (line: Line, ...names: Column[]) => names.every((name) => line[name] === null);
const together = (line: Line, a: Column, b: Column) => isNull(line, a) === isNull(line, b);
const isSale = ({ ChargeCategory: category }: Line) => category === "Usage" || category === "Purchase";
const plain = new Set(["string", "number", "boolean"]);
const isPlain = (text: unknown) =>
  Object.values(JSON.parse(String(text)) as object).every(
    (value) => value === null || plain.has(typeof value),
  );

/** Each value of one column has one value of the other. */
function single(lines: Line[], of: Column, ...others: Column[]): boolean {
  const groups = Map.groupBy(lines, (line) => line[of]);
  groups.delete(null);
  return [...groups.values()].every((group) =>
    others.every((other) => new Set(group.map((line) => line[other])).size === 1),
  );
}

interface Checked {
  line: Line;
  entry: Entry;
  terms: Seller;
}

/** The rules of one line; those of all lines follow. */
export const rules: Record<string, (checked: Checked) => boolean> = {
  R1: ({ line }) =>
    JSON.stringify(Object.keys(line)) ===
      JSON.stringify([...focusColumns, ...ownColumns].map(({ name }) => name)) &&
    ownColumns.every(({ name }) => name.startsWith("x_")),
  R2: ({ line }) =>
    Object.values(line).every(
      (value) => !/^(?:\s*|null|undefined|none|n\/a|not applicable)$/i.test(String(value ?? "-")),
    ),
  R3: ({ line }) =>
    [...ofType("Date/Time"), "x_PostedAt" as const].every(
      (name) => line[name] === null || types["Date/Time"]?.test(String(line[name])),
    ),
  R4: ({ line }) =>
    ofType("Decimal").every((name) => line[name] === null || types.Decimal?.test(String(line[name]))),
  R5: ({ line }) => {
    const [from, to] = [String(line.BillingPeriodStart), String(line.BillingPeriodEnd)];
    const after = new Date(Date.parse(from));
    after.setUTCMonth(after.getUTCMonth() + 1);
    const start = String(line.ChargePeriodStart);
    return isMonth(from) && Date.parse(to) === after.getTime() && from <= start && start < to;
  },
  R6: ({ line }) => String(line.ChargePeriodStart) < String(line.ChargePeriodEnd),
  R7: ({ line, terms }) => line.BillingCurrency === (terms.currency?.code ?? "points"),
  R8: ({ line }) =>
    isNull(line, "PricingQuantity") ||
    (equal(times(line.PricingQuantity, line.ListUnitPrice), fraction(line.ListCost)) &&
      equal(times(line.PricingQuantity, line.ContractedUnitPrice), fraction(line.ContractedCost))),
  R9: ({ line }) =>
    !isSale(line) ||
    (
      [
        "PricingQuantity",
        "ListUnitPrice",
        "ContractedUnitPrice",
        "PricingCurrencyListUnitPrice",
        "PricingCurrencyContractedUnitPrice",
        "PricingCategory",
        "SkuId",
        "SkuPriceId",
      ] as const
    ).every((name) => line[name] !== null),
  R10: ({ line }) =>
    columns.every(({ name }) => !name.endsWith("UnitPrice") || !String(line[name]).startsWith("-")),
  R11: ({ line }) =>
    (line.ListUnitPrice !== null || line.ListCost === line.BilledCost) &&
    (line.ContractedUnitPrice !== null || line.ContractedCost === line.BilledCost),
  R12: ({ line }) => isSale(line) || line.EffectiveCost === line.BilledCost,
  R13: ({ line }) =>
    together(line, "PricingUnit", "PricingQuantity") && together(line, "ConsumedUnit", "ConsumedQuantity"),
  R14: ({ line }) => isNull(line, "ConsumedQuantity") === (line.ChargeCategory !== "Usage"),
  R15: ({ line }) => line.ChargeCategory !== "Purchase" || line.ChargeFrequency !== "Usage-Based",
  R16: ({ line, entry }) => {
    const isLate = (entry.posted_at ?? 0) >= Date.parse(String(line.BillingPeriodEnd));
    return line.ChargeClass === (entry.kind === "adjustment" && isLate ? "Correction" : null);
  },
  R17: ({ line, entry }) =>
    !["bought", "refund", "credit", "payment"].includes(entry.kind) ||
    (line.ChargeCategory === "Purchase" &&
      line.EffectiveCost === "0" &&
      line.PricingCurrencyEffectiveCost === "0"),
  R18: ({ line }) => line.ChargeCategory !== "Usage" || line.BilledCost === "0",
  R20: ({ line }) =>
    together(line, "SkuMeter", "SkuId") && (line.SkuPriceId !== null || line.SkuPriceDetails === null),
  R21: ({ line }) => together(line, "SubAccountName", "SubAccountId"),
  R22: ({ line }) =>
    isPlain(line.Tags) &&
    (line.SkuPriceDetails === null ||
      (isPlain(line.SkuPriceDetails) &&
        Object.keys(JSON.parse(String(line.SkuPriceDetails)) as object).every((key) =>
          key.startsWith("x_"),
        ))),
  R24: ({ line }) =>
    ofType("Unit").every((name) => line[name] === null || types.Unit?.test(String(line[name]))),
  R25: ({ line, entry }) =>
    line.PricingCurrency ===
    (["bought", "refund", "credit", "payment"].includes(entry.kind) ? line.BillingCurrency : "points"),
};

/** The rules of all lines together. */
export const rulesOfAll: Record<string, (lines: Line[]) => boolean> = {
  R19: (lines) =>
    single(lines, "SkuPriceId", "SkuId", "ListUnitPrice", "ContractedUnitPrice") &&
    single(lines, "SkuId", "SkuMeter"),
  R23: (lines) => single(lines, "ServiceName", "ServiceCategory", "ServiceSubcategory"),
};
