/** The default catalog at Google's and Azure's clouds: what a stage with their names alone serves, where, and the price. */
import { describe, expect, test } from "vitest";
import { readCatalog } from "#infra/catalog/catalog-files.ts";
import { defaultCatalog } from "#infra/catalog/default-catalog.ts";
import { parseDecimal } from "#shared/books/billing/points.ts";
import { modeOf } from "#shared/books/billing/pricing/modes/index.ts";
import type { ModelEntry } from "#shared/books/catalog/catalog.ts";
import { isCallable } from "#shared/books/catalog/provider.ts";
import { isFromList } from "#shared/books/prices/list-sources.ts";

const catalog = readCatalog(defaultCatalog);
const google = ["GOOGLE_CREDENTIALS", "GOOGLE_PROJECT"];
const azure = ["AZURE_CREDENTIALS", "AZURE_RESOURCE"];

/** The models that can be called with these names in the providers' secret. */
function served(names: readonly string[]): string[] {
  const has = (name: string) => names.includes(name);
  const isOpen = (name: string) => {
    const provider = catalog.providers[name];
    return provider !== undefined && isCallable(provider, has);
  };
  return catalog.models
    .filter(({ channels }) => channels.some(({ provider }) => isOpen(provider)))
    .map(({ id }) => id);
}

describe("with the names of one cloud alone", () => {
  test("Google's: Claude and Gemini, and both of them in one jurisdiction", () => {
    const ids = served(google);
    expect(ids).toEqual(
      expect.arrayContaining([
        "anthropic/claude-opus-5-5",
        "google/gemini-3.8-flash",
        "vertex/claude-haiku-5-5-eu",
        "vertex/gemini-3.8-flash-us",
      ]),
    );
    expect(ids.filter((id) => !/^(?:anthropic|google|vertex)\//.test(id))).toEqual([]);
  });

  test("Azure's: OpenAI's models and Claude", () => {
    const ids = served(azure);
    expect(ids).toEqual(expect.arrayContaining(["openai/gpt-6.1-sol", "anthropic/claude-opus-5-5"]));
    expect(ids.filter((id) => !/^(?:anthropic|openai)\//.test(id))).toEqual([]);
  });

  test("Azure's data zones have resources of their own", () => {
    const zones = served(["AZURE_CREDENTIALS", "AZURE_RESOURCE_EU"]);
    expect(zones).toContain("azure/gpt-6.1-sol-eu");
    expect(zones.filter((id) => !/^azure\/.*-eu$/.test(id))).toEqual([]);
  });

  test("a credential without its address, or the other way round, opens nothing", () => {
    for (const name of [...google, ...azure]) expect(served([name])).toEqual([]);
  });
});

test("a cloud is asked after the maker, and by nobody who has not named it", () => {
  for (const { id, channels } of catalog.models) {
    const [first, ...others] = channels;
    for (const { provider, priority } of others.filter(({ provider }) => /^(?:vertex|azure)/.test(provider)))
      expect([id, provider, priority > (first?.priority ?? 0)]).toEqual([id, provider, true]);
  }
});

const zoned = catalog.models.filter(({ id }) => /^(?:vertex|azure)\//.test(id));

test("a model of one jurisdiction is called at that jurisdiction's address", () => {
  expect(zoned.length).toBeGreaterThan(20);
  for (const { id, channels } of zoned) {
    const zone = id.slice(-2);
    for (const { provider } of channels)
      for (const url of Object.values(catalog.providers[provider]?.protocols ?? {}))
        expect(url, id).toMatch(
          id.startsWith("vertex/")
            ? `https://aiplatform.${zone}.rep.googleapis.com/v1/projects/{GOOGLE_PROJECT}/locations/${zone}`
            : `https://{AZURE_RESOURCE_${zone.toUpperCase()}}.openai.azure.com/openai/v1`,
        );
  }
});

test("and costs what the list says: a tenth more at Vertex AI, a tenth or a fifth more at Azure", () => {
  for (const model of zoned) {
    const name = model.channels[0]?.model;
    const maker = catalog.models.find(({ id }) => id === `${model.owned_by}/${name}`);
    const [here, there] = [ratesOf(model), ratesOf(maker)];
    const factors = model.id.startsWith("vertex/") ? [11n] : [11n, 12n];
    const fits = factors.some((factor) =>
      here.every((rate, at) => rate * 10n === (there[at] ?? 0n) * factor),
    );
    expect([model.id, here.length, fits]).toEqual([model.id, there.length, true]);
  }
});

/** The four rates of each size of call, millionths of a point. */
function ratesOf(model: ModelEntry | undefined): bigint[] {
  const listed = model?.price ? modeOf(model.price).listed(model.price) : undefined;
  if (listed?.per !== "token") throw new Error("a chat is priced by token");
  return listed.tiers.flatMap(({ input, output, cache_read, cache_write }) =>
    [input, output, cache_read, cache_write].map((rate) => parseDecimal(rate, 6)),
  );
}

test("a sync leaves them alone, because no list has a row of their provider's name", () => {
  expect(zoned.filter(({ price_source }) => isFromList(price_source))).toEqual([]);
});

test("no switch of a zone is priced that the list does not price there", () => {
  const switches = zoned.flatMap(({ id, price }) =>
    Object.keys(price?.rates ?? {}).map((rate) => [id, rate]),
  );
  const priced = new Set(switches.map(([, rate]) => rate));
  expect([...priced].sort()).toEqual([
    "audio_cache_read",
    "audio_input",
    "batch",
    "cache_write_1h",
    "service_tier",
  ]);
  const tiered = switches.filter(([, rate]) => rate === "service_tier").map(([id = ""]) => id);
  expect(tiered.filter((id) => !id.startsWith("azure/gpt-5.4-mini-"))).toEqual([]);
});
