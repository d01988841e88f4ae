/** The model catalog in use: the default file, names, pinned prices and listings. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { priceOf } from "#shared/books/catalog/catalog.ts";
import { openaiModel, publicList, publicModel } from "#shared/books/catalog/listing.ts";
import { createCatalog } from "#shared/books/catalog/models.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { rates, sample, set } from "#test/support/catalog.ts";
import { catalogFile } from "#test/support/default-catalog.ts";

const catalog = parseCatalog(catalogFile);
const models = createCatalog(catalog);

describe("the default catalog", () => {
  const videos = catalog.models.filter(({ capabilities }) => capabilities.includes("video"));

  test("has the contract's seven video models, aliases with dots, permission on the 2.0 series", () => {
    expect(videos.map(({ id }) => id.replace(/^[^/]+\//, "").replace(/\d{6}$/, "<date>"))).toEqual([
      "advanced-video-generation-2-0",
      "advanced-video-generation-2-0-fast",
      "doubao-seedance-1-5-pro-<date>",
      "doubao-seedance-1-0-pro-<date>",
      "doubao-seedance-1-0-pro-fast-<date>",
      "doubao-seedance-1-0-lite-i2v-<date>",
      "doubao-seedance-1-0-lite-t2v-<date>",
    ]);
    expect(videos.map(({ permission }) => permission)).toEqual([
      "AVG_V2",
      "AVG_V2",
      null,
      null,
      null,
      null,
      null,
    ]);
    for (const { aliases } of videos) expect(aliases[0]).toMatch(/^[a-z]+\/.*\d\.\d/);
    expect(videos.filter(({ video }) => video?.draft).map(({ display_name }) => display_name)).toEqual([
      "Doubao Seedance 1.5 Pro",
    ]);
  });

  test("has a minimax group that speaks openai and anthropic, with lower-case aliases", () => {
    const group = models.models().filter(({ pricing_group }) => pricing_group === "minimax");
    expect(group.length).toBeGreaterThan(0);
    for (const { id, aliases, protocols } of group) {
      expect(protocols).toEqual(expect.arrayContaining(["openai", "anthropic"]));
      expect(aliases).toContain(id.toLowerCase());
    }
  });

  /** Vendors with an address alone: no list prices Baidu's models. */
  const withoutModels = ["baidu"];

  test("shows every price mode, every provider and every capability in use", () => {
    const modes = new Set(catalog.models.map((entry) => priceOf(entry, catalog)?.mode));
    expect([...modes].sort()).toEqual([
      "flat_tokens",
      "input_tokens_tiers",
      "per_image",
      "per_second",
      "total_tokens_tiers",
    ]);
    const used = new Set(catalog.models.flatMap(({ channels }) => channels.map(({ provider }) => provider)));
    expect(Object.keys(catalog.providers).filter((name) => !used.has(name))).toEqual(withoutModels);
    expect(new Set(catalog.models.flatMap(({ capabilities }) => capabilities)).size).toBe(10);
  });

  /** What a million tokens of each kind and size cost: input, output, cache read, cache write. */
  test.each([
    ["gpt-5.6-sol", 272_000, ["5", "30", "0.5", "6.25"], ["10", "45", "1", "12.5"]],
    ["gpt-5.6-terra", 272_000, ["2", "12", "0.2", "2.5"], ["4", "18", "0.4", "5"]],
    ["gpt-5.6-luna", 272_000, ["0.2", "1.2", "0.02", "0.25"], ["0.4", "1.8", "0.04", "0.5"]],
    ["MiniMax-M3", 512_000, ["0.3", "1.2", "0.06", "0.3"], ["0.6", "2.4", "0.12", "0.6"]],
  ])("prices %s by the size of its input, as its vendor does", (name, up_to, low, high) => {
    const tier = (bound: number | null, [input, output, cache_read, cache_write]: string[]) => {
      return { up_to: bound, input, output, cache_read, cache_write };
    };
    const tiers = [tier(up_to, low), tier(null, high)];
    expect(models.find(name)?.price).toMatchObject({ mode: "input_tokens_tiers", tiers });
  });

  test("prices the cache reads of MiniMax M2 to M2.5 at half of M2.7's", () => {
    const reads = ["MiniMax-M2", "MiniMax-M2.1", "MiniMax-M2.5", "MiniMax-M2.7"].map(
      (name) => models.find(name)?.price,
    );
    expect(reads).toMatchObject(["0.03", "0.03", "0.03", "0.06"].map((cache_read) => ({ cache_read })));
  });

  test("says of every price where it was read and when, and of none a day to come", () => {
    for (const { id, price_source } of catalog.models) {
      expect(price_source?.source, id).toMatch(/./);
      expect(price_source?.as_of && price_source.as_of <= catalog.version, id).toBe(true);
    }
  });

  test("has the plans of the contract's limits", () => {
    expect(models.plan("free")).toMatchObject({ rpm: 3, tpm: 20_000, tpd: 200_000, quota: { monthly: 100 } });
    expect(models.plan("lite")).toMatchObject({
      rpm: 60,
      quota: { monthly: 1_000, quarterly: 1_100, yearly: 1_200 },
    });
    expect(models.plan("pro")).toMatchObject({
      rpm: 600,
      tpm: 4_000_000,
      tpd: 200_000_000,
      quota: { monthly: 10_000, quarterly: 12_500, yearly: 15_000 },
    });
  });
});

describe("looking up", () => {
  test("finds a model by id, alias and whatever reads the same; nothing else", () => {
    const sonic = createCatalog(parseCatalog(sample()));
    for (const name of ["acme/Sonic-1-5", "acme/sonic-1.5", "ACME/SONIC_1_5", "acme/sonic-1-5"]) {
      expect(sonic.find(name)?.id).toBe("acme/Sonic-1-5");
    }
    for (const name of [
      "",
      "acme",
      "acme/sonic",
      "acme/sonic-15",
      "acme/sonic-1-5 ",
      "__proto__",
      "constructor",
    ]) {
      expect(sonic.find(name)).toBeUndefined();
    }
  });

  test("finds providers and plans by their own names only", () => {
    expect(models.provider("openai")?.secret).toBe("OPENAI_API_KEY");
    expect(models.plan("lite")?.rpm).toBe(60);
    for (const name of ["nobody", "constructor", "__proto__", "Lite"]) {
      expect(models.provider(name)).toBeUndefined();
      expect(models.plan(name)).toBeUndefined();
    }
  });

  test("a provider with several secrets has a channel for each, which share its weight", () => {
    const json = set(set(sample(), "providers.acme.secret", undefined), "providers.acme.secrets", ["A", "B"]);
    set(json, "models.0.channels.0.weight", 3);
    const parsed = parseCatalog(json);
    expect(parseCatalog(structuredClone(parsed))).toEqual(parsed);
    const acme = createCatalog(parsed);
    expect(acme.provider("acme")).toMatchObject({ secret: "A", secrets: ["A", "B"] });
    const id = expect.any(String) as string;
    const shared = { id, provider: "acme", model: "upstream", priority: 1 };
    expect(acme.find("acme/sonic-1-5")?.channels).toEqual([
      { ...shared, weight: 1.5, secret: "A", needs: ["A"] },
      { ...shared, weight: 1.5, secret: "B", needs: ["B"] },
    ]);
    // Only the account that has made a video knows it.
    expect(acme.find("acme/reel-1")?.channels).toEqual([{ ...shared, weight: 1, secret: "A", needs: ["A"] }]);
    expect(createCatalog(parseCatalog(sample())).find("acme/brush-1")?.channels).toEqual([
      { ...shared, weight: 1, secret: "ACME_API_KEY", needs: ["ACME_API_KEY"] },
    ]);
  });

  test("two channels may have the same name for the model at different providers", () => {
    const talk = { provider: "talk", model: "upstream" };
    const json = set(sample(), "models.0.channels", [...(sample().models[0]?.channels ?? []), talk]);
    expect(createCatalog(parseCatalog(json)).find("acme/sonic-1-5")?.channels).toMatchObject([
      { provider: "acme", secret: "ACME_API_KEY" },
      { provider: "talk", secret: "TALK_KEY" },
    ]);
  });

  test("pins a model's price once, its group's where it has none of its own", () => {
    const sonic = createCatalog(parseCatalog(set(sample(), "models.0.discount_rate", "0.8")));
    const [model] = sonic.models();
    if (!model) throw new Error("the sample has a model");
    expect(model.price).toEqual({ mode: "flat_tokens", ...rates });
    expect(sonic.price(model, 0)).toMatchObject({ price: model.price, discount_rate: "0.8" });
    expect(sonic.price(model, 0)).toBe(sonic.price(model, 0));
  });

  test("pins the same version wherever the price was read", () => {
    const versions = ["2026-08-24", "2026-11-20"].map((as_of) => {
      const catalog = createCatalog(
        parseCatalog(set(sample(), "models.0.price_source", { source: "us", as_of })),
      );
      const [model] = catalog.models();
      return model && catalog.price(model, 0);
    });
    expect(versions[0]).toEqual(versions[1]);
    expect(Object.keys(versions[0] ?? {}).sort()).toEqual(["discount_rate", "price", "version"]);
  });

  test("refuses a model whose price no check has seen", () => {
    const unchecked = parseCatalog(sample());
    unchecked.pricing_groups = {};
    expect(() => createCatalog(unchecked).find("acme/sonic-1-5")).toThrow("acme/Sonic-1-5 has no price");
  });

  test("any change of case and punctuation in any name finds its model", () => {
    const names = models
      .models()
      .flatMap(({ id, aliases }) => [id, ...aliases].map((name) => [name, id] as const));
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.infiniteStream(fc.nat(5)), ([name, id], choices) => {
        const variant = Array.from(name, (char) => {
          const { value: choice = 0 } = choices.next();
          if (/[-._]/.test(char)) return "-._"[choice % 3];
          return choice % 2 === 0 ? char.toUpperCase() : char.toLowerCase();
        }).join("");
        expect(models.find(variant)?.id).toBe(id);
      }),
      { seed: 2, numRuns: 1_000 },
    );
  });
});

describe("listings", () => {
  const minimax = models.find("minimax/minimax-m2");
  if (!minimax) throw new Error("the default catalog has MiniMax-M2");

  test("of the key have the contract's fields and no other", () => {
    expect(openaiModel(minimax)).toEqual({
      id: "minimax/MiniMax-M2",
      object: "model",
      created: 1_761_523_200,
      owned_by: "minimax",
      display_name: "MiniMax M2",
      capabilities: ["chat", "stream", "tools", "reasoning"],
    });
  });

  test("in public add the configuration and the other vendors' forms", () => {
    expect(publicModel(minimax, 0)).toEqual({
      ...openaiModel(minimax),
      type: "model",
      created_at: "2025-10-27T00:00:00.000Z",
      aliases: ["minimax/minimax-m2", "MiniMax-M2"],
      context_tokens: 204_800,
      output_tokens: 131_072,
      protocols: ["openai", "anthropic"],
      price: {
        mode: "flat_tokens",
        input: "0.3",
        output: "1.2",
        cache_read: "0.03",
        cache_write: "0.375",
        rates: { cache_write_1h: "0.375" },
      },
      discount_rate: "1",
      permission: null,
      video: null,
      name: "models/minimax/MiniMax-M2",
      displayName: "MiniMax M2",
      inputTokenLimit: 204_800,
      outputTokenLimit: 131_072,
      thinking: true,
      supportedGenerationMethods: ["generateContent", "countTokens", "streamGenerateContent"],
    });
  });

  test("are one whole page that three SDKs can read, without channels, hosts or secrets", () => {
    const body = publicList(models.models(), 0);
    expect(body).toMatchObject({
      object: "list",
      has_more: false,
      first_id: models.models()[0]?.id,
      last_id: models.models().at(-1)?.id,
    });
    expect(body.data).toHaveLength(catalog.models.length);
    expect(body.models).toHaveLength(catalog.models.length);
    expect(JSON.stringify(body)).not.toMatch(/https?:|API_KEY|channels|upstream|dreamina/);
  });

  test("of nothing are an empty page", () => {
    expect(publicList([], 0)).toEqual({
      object: "list",
      data: [],
      has_more: false,
      first_id: null,
      last_id: null,
      models: [],
    });
  });
});

describe("a currency", () => {
  const priced = (points_per_unit: string, code = "CNY") =>
    parseCatalog({ ...catalog, recharge: undefined, issuer: "Acme", currency: { code, points_per_unit } })
      .currency;

  test("is kept, with a rate whose quotients end", () => {
    for (const rate of ["1", "100", "0.25", "8", "12500", "0.000001"])
      expect(priced(rate)).toEqual({ code: "CNY", points_per_unit: rate });
    expect(catalog.currency).toBeUndefined();
  });

  test("refuses a rate at which an amount of points would be no decimal", () => {
    for (const rate of ["7", "0", "99", "0.3", "1.1"])
      expect(() => priced(rate), rate).toThrow(/^currency\.points_per_unit: must divide a power of ten/);
    for (const rate of ["-1", "1e3", "0.0000001"]) expect(() => priced(rate), rate).toThrow("decimal string");
    expect(() => priced("1", "points")).toThrow("currency.code: must be three capital letters");
  });
});
