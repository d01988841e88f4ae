/** Price modes stand in one table: the rest of the product names none of them, and the table is complete. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { flatTokens } from "#shared/books/billing/pricing/modes/flat-tokens.ts";
import { type ModeTable, modeOf } from "#shared/books/billing/pricing/modes/index.ts";
import { priceOfTiers } from "#shared/books/billing/pricing/modes/input-tokens-tiers.ts";
import { priceSchema } from "#shared/books/billing/pricing/modes/schemas.ts";
import { byInput, byTotal, flat, perImage, perSecond } from "#test/support/prices.ts";

const root = join(import.meta.dirname, "../../../../..");
const folder = "shared/books/billing/pricing/modes/";
const prices = [flat, byInput, byTotal, perImage, perSecond];

const files = ["shared", "functions", "infra"]
  .flatMap((top) => readdirSync(join(root, top), { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
  .map((entry) => relative(root, join(entry.parentPath, entry.name)));
const read = (file: string) => readFileSync(join(root, file), "utf8");

test("no file outside the table's folder names a mode", () => {
  const names = new RegExp(`["'\`](?:${prices.map(({ mode }) => mode).join("|")})["'\`]`);
  const naming = files.filter((file) => !file.startsWith(folder) && names.test(read(file)));
  expect(naming).toEqual([]);
});

test("a table that lacks a mode does not compile", () => {
  // @ts-expect-error: it has one mode of five
  const table: ModeTable = { flat_tokens: flatTokens };
  expect(Object.keys(table)).toHaveLength(1);
});

test("no function bundles zod: nothing that a function imports is a schema", () => {
  const reached = new Set(files.filter((file) => file.startsWith("functions/")));
  for (const file of reached) {
    const imports = read(file).matchAll(/^(?:import|export) (?!type)[^;]*?from "(\.[^"]+|#shared\/[^"]+)"/gm);
    for (const [, target = ""] of imports) {
      const path = target.startsWith("#") ? target.slice(1) : relative(root, join(root, file, "..", target));
      if (path.endsWith(".ts")) reached.add(path);
    }
  }
  expect([...reached].filter((file) => /from "zod/.test(read(file)))).toEqual([]);
  expect(reached).toContain(`${folder}index.ts`);
});

describe.each(prices)("the mode $mode", (price) => {
  test("accepts its own price in a catalog and refuses a member too many", () => {
    expect(priceSchema.safeParse(price)).toEqual({ success: true, data: price });
    expect(priceSchema.safeParse({ ...price, other: "1" }).success).toBe(false);
  });

  test("has a rate card whose bands follow each other from 0 without end", () => {
    const resolutions = modeOf(price).resolutions(price) ?? [undefined];
    for (const resolution of resolutions) {
      const { bands } = modeOf(price).rateCard(price, {}, resolution);
      const starts = bands.map(({ from }) => from);
      expect(starts).toEqual([0, ...bands.slice(0, -1).map(({ to }) => to + 1)]);
      expect(bands.at(-1)?.to).toBe(Number.POSITIVE_INFINITY);
    }
  });
});

test("tiers of a public list come to the price that they were read from", () => {
  for (const price of [flat, byInput]) {
    const listed = modeOf(price).listed(price);
    expect(listed.per === "token" && priceOfTiers(listed.tiers)).toEqual(price);
  }
});
