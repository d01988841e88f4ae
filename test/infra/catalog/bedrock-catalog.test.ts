/** The catalog `bedrock`: what a stage with the role alone serves, where it runs, and what it costs there. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { bedrockModels } from "#infra/catalog/bedrock-models.ts";
import { readCatalog } from "#infra/catalog/catalog-files.ts";
import { defaultCatalog } from "#infra/catalog/default-catalog.ts";
import { parseDecimal } from "#shared/books/billing/points.ts";
import { modeOf } from "#shared/books/billing/pricing/modes/index.ts";
import type { Price, Rates } from "#shared/books/billing/pricing/price.ts";
import { modelOfProfile } from "#shared/books/catalog/inference-profile.ts";
import { createCatalog } from "#shared/books/catalog/models.ts";
import { isCallable } from "#shared/books/catalog/provider.ts";

const shipped = readCatalog(defaultCatalog);
const bedrock = readCatalog(join(defaultCatalog, "../bedrock"));
const catalog = createCatalog(bedrock);
const own = bedrock.models.filter(({ id }) => !shipped.models.some((each) => each.id === id));

/** What each tier costs of the usual price, as a fraction, and a batch. */
const parts = { flex: [1n, 2n], priority: [7n, 4n], batch: [1n, 2n] } as const;

test.each(["flex", "priority", "batch"] as const)(
  "a price of `%s` is AWS's part of the usual one",
  (name) => {
    const priced = own.flatMap(({ id, price }) => {
      const { service_tier = {}, batch } = (price?.rates ?? {}) as Rates;
      const part = name === "batch" ? batch : service_tier[name];
      return price && typeof part === "object" ? [{ id, price, part: part as Price }] : [];
    });
    expect(priced.length).toBeGreaterThan(12);
    const [times, by] = parts[name];
    // The list rounds some to a cent for a million tokens.
    const cent = parseDecimal("0.01", 6) * by;
    for (const { id, price, part } of priced) {
      const [usual, asked] = [ratesOf(price), ratesOf(part)];
      const off = asked.slice(0, 2).map((rate, at) => rate * by - (usual[at] ?? 0n) * times);
      expect([id, off.filter((each) => each > cent || each < -cent)]).toEqual([id, []]);
    }
  },
);

/** The names of a model with a day are those of Anthropic's own address. */
const claude = shipped.models.filter(({ id }) => /^anthropic\/(?!.*-20\d{6}$)/.test(id));

test("all that the default catalog has is in it as it was", () => {
  for (const model of shipped.models) {
    const { channels, ...rest } = bedrock.models.find(({ id }) => id === model.id) ?? model;
    expect({ ...rest, channels: channels.slice(0, model.channels.length) }).toEqual(model);
  }
});

test("without any key, Claude answers under each of its names, and so do all of its own models", () => {
  const nothing = () => false;
  for (const { id } of [...claude, ...own]) {
    const channels = catalog.find(id)?.channels ?? [];
    const open = channels.filter(({ provider }) => {
      const named = bedrock.providers[provider];
      return named !== undefined && isCallable(named, nothing);
    });
    expect(open.length, id).toBeGreaterThan(0);
  }
});

describe("a profile", () => {
  const named = bedrockModels(bedrock).flatMap((each) =>
    modelOfProfile(each.model) === undefined ? [] : [each],
  );

  test("of a geography is asked for in a region of it, and a global one in the stage's own", () => {
    expect(named.length).toBeGreaterThan(20);
    for (const { model, region } of named) {
      const geography = model.slice(0, model.indexOf("."));
      expect(`${geography} ${region?.slice(0, 2)}`).toMatch(/^(?:global undefined|us us|eu eu)$/);
    }
  });

  test("has one price in its geography: a tenth more than Anthropic's", () => {
    const models = own.filter(({ id }) => id.startsWith("bedrock/claude-"));
    expect(models.length).toBeGreaterThanOrEqual(10);
    for (const model of models) {
      const maker = claude.find(
        ({ id }) => id === model.id.replace(/^bedrock\/(.*)-(?:us|eu)$/, "anthropic/$1"),
      );
      const [here, there] = [ratesOf(model.price), ratesOf(maker?.price ?? null)];
      expect(here).toEqual(there.map((rate) => (rate * 11n) / 10n));
    }
  });
});

/** The four rates of each size of call, millionths of a point. */
function ratesOf(price: (typeof own)[number]["price"]): bigint[] {
  const listed = price ? modeOf(price).listed(price) : undefined;
  if (listed?.per !== "token") throw new Error("a chat is priced by token");
  return listed.tiers.flatMap(({ input, output, cache_read, cache_write }) =>
    [input, output, cache_read, cache_write].map((rate) => parseDecimal(rate, 6)),
  );
}
