/** FOCUS: the columns that it asks for, and its rules as checks by their numbers. */
import type { Seller } from "#shared/books/catalog/catalog.ts";
import type { Entry } from "#shared/books/ledger/ledger.ts";
import { type ExportLine, focusColumns, ownColumns } from "#shared/books/reports/export-columns.ts";
import { asked } from "./focus-specification.ts";

export type Line = ExportLine;
export type Column = keyof ExportLine;

/** The columns as the specification asks for them. */
export const columns = Object.entries(asked).map(([name, column]) => ({ name: name as Column, ...column }));

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

/** What must be so, in words and as a check. */
interface Rule<Of> {
  what: string;
  holds: (of: Of) => boolean;
}

/** The rules of one line; those of all lines follow. */
export const rules: Readonly<Record<string, Rule<Checked>>> = {
  R1: {
    what: "The columns of the specification come first, then ours, with the prefix `x_`.",
    holds: ({ line }) =>
      JSON.stringify(Object.keys(line)) ===
        JSON.stringify([...focusColumns, ...ownColumns].map(({ name }) => name)) &&
      ownColumns.every(({ name }) => name.startsWith("x_")),
  },
  R2: {
    what: "No column has an empty text, or one that stands for no value.",
    holds: ({ line }) =>
      Object.values(line).every(
        (value) => !/^(?:\s*|null|undefined|none|n\/a|not applicable)$/i.test(String(value ?? "-")),
      ),
  },
  R3: {
    what: "Instants are UTC in whole seconds: `YYYY-MM-DDTHH:MM:SSZ`.",
    holds: ({ line }) =>
      [...ofType("Date/Time"), "x_PostedAt" as const].every(
        (name) => line[name] === null || types["Date/Time"]?.test(String(line[name])),
      ),
  },
  R4: {
    what: "Decimals are digits with at most one point and a minus.",
    holds: ({ line }) =>
      ofType("Decimal").every((name) => line[name] === null || types.Decimal?.test(String(line[name]))),
  },
  R5: {
    what: "The billing period is a calendar month, its end exclusive; the charge period starts in it.",
    holds: ({ line }) => {
      const [from, to] = [String(line.BillingPeriodStart), String(line.BillingPeriodEnd)];
      const after = new Date(Date.parse(from));
      after.setUTCMonth(after.getUTCMonth() + 1);
      const start = String(line.ChargePeriodStart);
      return isMonth(from) && Date.parse(to) === after.getTime() && from <= start && start < to;
    },
  },
  R6: {
    what: "The charge period ends after it starts.",
    holds: ({ line }) => String(line.ChargePeriodStart) < String(line.ChargePeriodEnd),
  },
  R7: {
    what: "With a currency in the catalog, `BillingCurrency` is its ISO code.",
    holds: ({ line, terms }) => line.BillingCurrency === (terms.currency?.code ?? "points"),
  },
  R8: {
    what: "`PricingQuantity` × `ListUnitPrice` is `ListCost`, and × `ContractedUnitPrice` is `ContractedCost`, exactly.",
    holds: ({ line }) =>
      isNull(line, "PricingQuantity") ||
      (equal(times(line.PricingQuantity, line.ListUnitPrice), fraction(line.ListCost)) &&
        equal(times(line.PricingQuantity, line.ContractedUnitPrice), fraction(line.ContractedCost))),
  },
  R9: {
    what: "Usage and purchases have `PricingQuantity`, unit prices in both currencies, `PricingCategory`, `SkuId` and `SkuPriceId`.",
    holds: ({ line }) =>
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
  },
  R10: {
    what: "Unit prices are not negative.",
    holds: ({ line }) =>
      columns.every(({ name }) => !name.endsWith("UnitPrice") || !String(line[name]).startsWith("-")),
  },
  R11: {
    what: "Without a unit price, list and contracted cost are the billed cost.",
    holds: ({ line }) =>
      (line.ListUnitPrice !== null || line.ListCost === line.BilledCost) &&
      (line.ContractedUnitPrice !== null || line.ContractedCost === line.BilledCost),
  },
  R12: {
    what: "Where the category is neither usage nor purchase, the effective cost is the billed cost.",
    holds: ({ line }) => isSale(line) || line.EffectiveCost === line.BilledCost,
  },
  R13: {
    what: "`PricingUnit` stands where `PricingQuantity` does, and `ConsumedUnit` where `ConsumedQuantity` does.",
    holds: ({ line }) =>
      together(line, "PricingUnit", "PricingQuantity") && together(line, "ConsumedUnit", "ConsumedQuantity"),
  },
  R14: {
    what: "`ConsumedQuantity` stands on usage alone.",
    holds: ({ line }) => isNull(line, "ConsumedQuantity") === (line.ChargeCategory !== "Usage"),
  },
  R15: {
    what: "`ChargeFrequency` of a purchase is not `Usage-Based`.",
    holds: ({ line }) => line.ChargeCategory !== "Purchase" || line.ChargeFrequency !== "Usage-Based",
  },
  R16: {
    what: "`ChargeClass` is `Correction` where an estimate was corrected after its billing period, and only there.",
    holds: ({ line, entry }) => {
      const isLate = (entry.posted_at ?? 0) >= Date.parse(String(line.BillingPeriodEnd));
      return line.ChargeClass === (entry.kind === "adjustment" && isLate ? "Correction" : null);
    },
  },
  R17: {
    what: "Points bought have the effective cost 0, in both currencies.",
    holds: ({ line, entry }) =>
      !["bought", "refund", "credit", "payment"].includes(entry.kind) ||
      (line.ChargeCategory === "Purchase" &&
        line.EffectiveCost === "0" &&
        line.PricingCurrencyEffectiveCost === "0"),
  },
  R18: {
    what: "Usage has the billed cost 0.",
    holds: ({ line }) => line.ChargeCategory !== "Usage" || line.BilledCost === "0",
  },
  R20: {
    what: "`SkuMeter` and `SkuPriceDetails` are null where the SKU and its price are.",
    holds: ({ line }) =>
      together(line, "SkuMeter", "SkuId") && (line.SkuPriceId !== null || line.SkuPriceDetails === null),
  },
  R21: {
    what: "`SubAccountName` stands where `SubAccountId` does.",
    holds: ({ line }) => together(line, "SubAccountName", "SubAccountId"),
  },
  R22: {
    what: "`Tags` and `SkuPriceDetails` are JSON objects of plain values; our keys in the latter begin with `x_`.",
    holds: ({ line }) =>
      isPlain(line.Tags) &&
      (line.SkuPriceDetails === null ||
        (isPlain(line.SkuPriceDetails) &&
          Object.keys(JSON.parse(String(line.SkuPriceDetails)) as object).every((key) =>
            key.startsWith("x_"),
          ))),
  },
  R24: {
    what: "Units are plural nouns that begin with a capital, perhaps behind a whole number.",
    holds: ({ line }) =>
      ofType("Unit").every((name) => line[name] === null || types.Unit?.test(String(line[name]))),
  },
  R25: {
    what: "`PricingCurrency` is `points`, or the billing currency where points are bought or pay for a plan.",
    holds: ({ line, entry }) =>
      line.PricingCurrency ===
      (["bought", "refund", "credit", "payment"].includes(entry.kind) ? line.BillingCurrency : "points"),
  },
};

/** The rules of all lines together. */
export const rulesOfAll: Readonly<Record<string, Rule<Line[]>>> = {
  R19: {
    what: "A SKU's price belongs to one SKU, and has one unit price. A SKU has one meter.",
    holds: (lines) =>
      single(lines, "SkuPriceId", "SkuId", "ListUnitPrice", "ContractedUnitPrice") &&
      single(lines, "SkuId", "SkuMeter"),
  },
  R23: {
    what: "A service name has one category and one subcategory.",
    holds: (lines) => single(lines, "ServiceName", "ServiceCategory", "ServiceSubcategory"),
  },
};
