/** The check of a catalog file: what is completed, and every rule with a file that breaks it. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { compileCatalog } from "#infra/catalog/catalog.ts";
import { defaultCatalog } from "#infra/catalog/default-catalog.ts";
import { type BundledCatalog, namesOf } from "#shared/books/catalog/models.ts";
import { CatalogError, parseCatalog } from "#shared/books/catalog/schema.ts";
import type { StatedTraits } from "#shared/books/catalog/traits.ts";
import { checkCatalog } from "#shared/edges/operator/catalog-check.ts";
import { rates, sample, set } from "#test/support/catalog.ts";
import { catalogFile } from "#test/support/default-catalog.ts";

function problemsOf(json: unknown): readonly string[] {
  try {
    parseCatalog(json);
    return [];
  } catch (error) {
    if (error instanceof CatalogError) return error.problems;
    throw error;
  }
}

/** As a bundle carries traits: without who said them. */
function unsource(traits: Partial<StatedTraits> | undefined): void {
  delete traits?.source;
  delete traits?.as_of;
}

/** A provider that is called by a role. */
const role = { protocols: { openai: "https://api.acme.example/v1" }, auth: "aws_role" };

const tiers = (...bounds: (number | null)[]) => ({
  mode: "input_tokens_tiers",
  tiers: bounds.map((up_to) => ({ up_to, ...rates })),
});
const totals = (...bounds: (number | null)[]) => ({
  mode: "total_tokens_tiers",
  input: [{ up_to: null, price: "1" }],
  output: bounds.map((up_to) => ({ up_to, price: "1" })),
  cache_read: "1",
  cache_write: "1",
});

/** A sample with an embedder, whose permission may be another. */
const withEmbedder = (cache: object, permission: string | null = null) => {
  const json = sample();
  const [chat] = json.models;
  const embedder = { ...chat, id: "acme/embedder", aliases: [], capabilities: ["embeddings"], permission };
  return { ...json, models: [...json.models, embedder], cache };
};

const reel = { resolutions: ["720p"], default_resolution: "720p", max_seconds: 12 };

describe("a catalog file", () => {
  test("names the two models by which the cache compares meanings, or none", () => {
    const cache = { embedder: "acme/embedder", verifier: "acme/Sonic-1-5" };
    expect(parseCatalog(withEmbedder(cache)).cache).toEqual(cache);
    expect(parseCatalog(sample()).cache).toBeUndefined();
    expect(problemsOf(withEmbedder({ ...cache, embedder: "acme/Sonic-1-5" }))).toEqual([
      "cache.embedder: acme/Sonic-1-5 has no capability embeddings",
    ]);
    expect(problemsOf(withEmbedder({ ...cache, verifier: "acme/embedder" }))).toEqual([
      "cache.verifier: acme/embedder has no capability chat",
    ]);
    expect(problemsOf(withEmbedder({ ...cache, verifier: "acme/sonic-1.5" }))).toEqual([
      "cache.verifier: there is no model with the id acme/sonic-1.5",
    ]);
    expect(problemsOf(withEmbedder(cache, "AVG_V2"))).toEqual([
      "cache.embedder: acme/embedder needs the permission AVG_V2",
    ]);
    expect(problemsOf(withEmbedder({ embedder: "acme/embedder" }))).toHaveLength(1);
  });

  test("gets its defaults, and parsing it again changes nothing", () => {
    const parsed = parseCatalog(sample());
    expect(parsed.models[1]).toMatchObject({
      aliases: [],
      context_tokens: 0,
      pricing_group: null,
      price_source: null,
      discount_rate: "1",
      permission: null,
      video: null,
      channels: [{ provider: "acme", model: "upstream", priority: 1, weight: 1 }],
    });
    expect(parsed.models[0]).toMatchObject({ media_tokens: null });
    expect(parsed.plans.pro).toMatchObject({
      models: ["*"],
      n_max: null,
      tools: {},
      ways: {},
      video: {},
      list_points_max: null,
      routing: "smart",
    });
    expect(parsed.payg).toEqual({ routing: "basic" });
    expect(parsed.models[2]?.video).toMatchObject({ frames: false, draft: false, audio: false });
    expect(parsed.providers.acme?.auth).toBe("bearer");
    expect(parseCatalog(structuredClone(parsed))).toEqual(parsed);
  });

  // path to break, value (undefined removes), the problem's path and words of it
  const table: [path: string, value: unknown, problem: string][] = [
    ["version", undefined, "version: "],
    ["surprise", 1, 'catalog: Unrecognized key: "surprise"'],
    ["models.0.surprise", 1, 'models[0]: Unrecognized key: "surprise"'],
    ["models.0.channels.0.surprise", 1, 'models[0].channels[0]: Unrecognized key: "surprise"'],
    ["plans.pro.surprise", 1, 'plans.pro: Unrecognized key: "surprise"'],
    ["providers.Acme", sample().providers.acme, "providers.Acme: must be a name"],
    ["providers.acme.secret", "acme-key", "providers.acme.secret: must be a name like"],
    ["providers.acme.secret", undefined, "providers.acme.secret: must be given, or `secrets`"],
    ["providers.acme.secrets", [], "providers.acme.secrets: "],
    ["providers.acme.secrets", ["ACME_API_KEY", "acme"], "providers.acme.secrets[1]: must be a name like"],
    ["providers.acme.secrets", ["ACME_API_KEY", "B", "B"], "providers.acme.secrets: must not name one twice"],
    [
      "providers.acme.secrets",
      ["B"],
      "providers.acme.secrets: must begin with `secret`, or stand without it",
    ],
    ["providers.acme.auth", "basic", "providers.acme.auth: "],
    ["providers.acme.credential", {}, "providers.acme.credential: means nothing for the auth bearer"],
    [
      "providers.acme",
      { ...role, credential: { role: "models" } },
      'providers.acme.credential: Unrecognized key: "role"',
    ],
    [
      "providers.acme",
      { ...role, credential: { role_arn: "models" } },
      "providers.acme.credential.role_arn: must be the ARN of a role",
    ],
    [
      "providers.acme",
      { ...role, credential: { external_id: "ours" } },
      "providers.acme.credential.external_id: means nothing without `role_arn`",
    ],
    [
      "providers.acme",
      { ...role, credential: { region: "Paris" } },
      "providers.acme.credential.region: must be a region",
    ],
    ["providers.acme.protocols.openai", "https://{acme}.example/v1", ".openai: must be an https URL"],
    ["providers.acme.protocols.openai", "http://{ACME_HOST}/v1", ".openai: must be an https URL"],
    ["providers.acme.protocols.telnet", "https://a.example", "providers.acme.protocols: "],
    ["providers.talk.protocols", {}, "providers.talk.protocols: must name at least one"],
    ["providers.acme.protocols.openai", "http://api.acme.example/v1", ".openai: must be an https URL"],
    ["providers.acme.protocols.openai", "http://127.0.0.1.example.com", ".openai: must be an https URL"],
    ["providers.acme.protocols.openai", "https://api.acme.example/", ".openai: must be an https URL"],
    ["providers.acme.protocols.openai", "https://u:p@api.acme.example", ".openai: must be an https URL"],
    ["providers.acme.protocols.openai", "https://api.acme.example/v1?a=b", ".openai: must be an https URL"],
    ["providers.acme.protocols.openai", "api.acme.example", ".openai: must be an https URL"],
    ["models.0.id", "sonic", "models[0].id: must look like"],
    ["models.0.id", "acme/a:generateContent", "models[0].id: must look like"],
    [
      "models.1.id",
      "acme/Sonic-1-5",
      "models[1].id: acme/Sonic-1-5 reads the same as a name of acme/Sonic-1-5",
    ],
    ["models.1.id", "acme/sonic_1_5", "models[1].id: acme/sonic_1_5 reads the same"],
    ["models.1.aliases", ["ACME/SONIC-1.5"], "models[1].aliases[0]: ACME/SONIC-1.5 reads the same"],
    ["models.0.aliases", ["a/b", "a/b"], "models[0].aliases[1]: a/b is given twice"],
    ["models.0.aliases", ["has space"], "models[0].aliases[0]: must be a model name"],
    ["models.0.capabilities", ["chat", "smell"], "models[0].capabilities[1]: "],
    ["models.0.capabilities", ["stream"], "models[0].capabilities: must have one that is a kind of call"],
    ["models.0.context_tokens", undefined, "models[0].context_tokens: must be at least 1"],
    ["models.0.capabilities", ["multimodal_embeddings"], "models[0].price.rates.image_input: must be given"],
    ["models.1.strict", true, "models[1].strict: only for models that stream chats"],
    ["models.0.output_tokens", undefined, "models[0].output_tokens: must be at least 1"],
    ["models.0.media_tokens", 0, "models[0].media_tokens: "],
    ["models.0.media_tokens", 200_001, "models[0].media_tokens: must be at most context_tokens"],
    ["models.1.media_tokens", 1, "models[1].media_tokens: must be at most context_tokens"],
    ["plans.pro.models", [], "plans.pro.models: "],
    ["plans.pro.models", ["acme/*-2"], "plans.pro.models[0]: acme/*-2 matches no model"],
    ["plans.pro.models", ["acme/*", "sonic"], "plans.pro.models[1]: sonic matches no model"],
    ["plans.pro.models", ["acme/[a-z]*"], "plans.pro.models[0]: must be a model id, with at most four *"],
    ["plans.pro.models", ["a*b*c*d*e*f"], "plans.pro.models[0]: must be a model id, with at most four *"],
    ["plans.pro.n_max", 0, "plans.pro.n_max: "],
    ["plans.pro.routing", "fast", 'plans.pro.routing: Invalid option: expected one of "smart"|"basic"'],
    ["payg", { routing: "Smart" }, "payg.routing: "],
    ["payg", { surprise: 1 }, 'payg: Unrecognized key: "surprise"'],
    ["models.0.channels", [], "models[0].channels: "],
    ["models.0.channels.0.provider", "nobody", "channels[0].provider: there is no provider nobody"],
    ["models.0.channels.0.provider", "constructor", "channels[0].provider: there is no provider constructor"],
    ["models.1.channels.0.provider", "talk", "channels[0].provider: talk speaks no protocol for images"],
    ["models.2.channels.0.provider", "talk", "channels[0].provider: talk speaks no protocol for video"],
    [
      "models.1.channels",
      [...(sample().models[1]?.channels ?? []), { provider: "acme", model: "upstream", priority: 2 }],
      "models[1].channels[1]: is the same provider and model as channels[0]",
    ],
    ["models.0.channels.0.weight", 0, "models[0].channels[0].weight: "],
    ["models.0.pricing_group", undefined, "models[0].price: must be given"],
    ["models.0.pricing_group", "other", "models[0].pricing_group: there is no pricing group other"],
    ["models.0.price_source", { source: "us" }, "models[0].price_source.as_of: "],
    ["models.0.price_source", { source: "", as_of: "2026-11-20" }, "models[0].price_source.source: "],
    ["models.0.price_source", { source: "us", as_of: "2026-02-30" }, "as_of: must be a day like 2026-11-20"],
    ["models.0.price_source", { source: "us", as_of: "20 November" }, "as_of: must be a day like 2026-11-20"],
    ["models.0.price", { mode: "free" }, "models[0].price.mode: "],
    ["models.0.price", { mode: "per_image", unit_price: "1" }, "price.mode: per_image does not price chat"],
    ["models.1.price", { mode: "flat_tokens", ...rates }, "price.mode: flat_tokens does not price images"],
    ["models.1.price.unit_price", 0.04, "models[1].price.unit_price: "],
    ["models.1.price.unit_price", "0.0000001", "unit_price: must be a decimal string"],
    ["models.1.price.unit_price", "-1", "unit_price: must be a decimal string"],
    ["models.1.price.unit_price", "1e3", "unit_price: must be a decimal string"],
    ["models.1.price.unit_price", "01", "unit_price: must be a decimal string"],
    ["models.1.price.unit_price", ".5", "unit_price: must be a decimal string"],
    ["models.1.price.unit_price", " 1", "unit_price: must be a decimal string"],
    [
      "models.0.price",
      { mode: "flat_tokens", ...rates, cache_read: undefined },
      "models[0].price.cache_read: ",
    ],
    ["models.0.price", tiers(), "models[0].price.tiers: "],
    ["models.0.price", tiers(10), "price.tiers: tiers must have a rising"],
    ["models.0.price", tiers(10, 10, null), "price.tiers: tiers must have a rising"],
    ["models.0.price", tiers(20, 10, null), "price.tiers: tiers must have a rising"],
    ["models.0.price", tiers(10, null, null), "price.tiers: tiers must have a rising"],
    ["models.0.price", tiers(null, 10), "price.tiers: tiers must have a rising"],
    ["models.0.price", tiers(0, null), "price.tiers: tiers must have a rising"],
    ["models.0.price", totals(10, 5, null), "price.output: tiers must have a rising"],
    ["models.0.discount_rate", "10.000001", "models[0].discount_rate: must be at most 10"],
    ["models.0.discount_rate", "0.1234567", "models[0].discount_rate: must be a decimal string"],
    ["models.0.permission", "manage_keys", "models[0].permission: "],
    ["models.0.video", reel, "models[0].video: only for models"],
    ["models.2.video", undefined, "models[2].video: must be given"],
    ["models.2.video.default_resolution", "1080p", "video.default_resolution: 1080p is not among"],
    ["models.2.price.by_resolution", { "480p": "1" }, "models[2].price.by_resolution: must have 720p"],
    ["models.2.price.by_resolution.4k", "1", "models[2].price.by_resolution: "],
    ["plans.pro.quota.yearly", undefined, "plans.pro.quota.yearly: "],
    ["plans.pro.rpm", 0, "plans.pro.rpm: "],
    ["plans.pro.price.monthly", 599, "plans.pro.price.monthly: "],
  ];

  test.each(table)("with %s = %j is refused", (path, value, problem) => {
    expect(problemsOf(sample())).toEqual([]);
    const problems = problemsOf(set(sample(), path, value));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(problem);
  });

  test.each([
    ["models.0.discount_rate", "0"],
    ["models.0.discount_rate", "10"],
    ["models.0.discount_rate", "0.123456"],
    ["models.0.price", tiers(32_000, 128_000, null)],
    ["models.0.price", totals(32_000, null)],
    ["models.0.aliases", ["acme/Sonic-1.5", "sonic-1.5"]],
    ["models.0.price_source", { source: "https://acme.example/prices", as_of: "2024-02-29" }],
    ["providers.acme.protocols.openai", "http://127.0.0.1:8080/acme/openai"],
    ["providers.acme.protocols.openai", "http://localhost:8080"],
    ["plans.pro.rpm", null],
  ])("with %s = %j is accepted", (path, value) => {
    expect(problemsOf(set(sample(), path, value))).toEqual([]);
  });

  test("has every problem on a line of its own", () => {
    const json = set(set(sample(), "models.0.channels.0.provider", "nobody"), "models.1.price", undefined);
    expect(() => parseCatalog(json)).toThrow(
      "models[0].channels[0].provider: there is no provider nobody\n" +
        "models[1].price: must be given, here or by a pricing group",
    );
  });

  test("is checked by the operator's command", () => {
    const now = Date.parse("2026-11-22T10:00:00Z");
    expect(checkCatalog(sample(), now)).toMatchObject({ ok: true, problems: [], models: 3 });
    expect(checkCatalog({}, now).ok).toBe(false);
    expect(checkCatalog(set(sample(), "models.0.id", 7), now).problems).toEqual([
      "models[0].id: Invalid input: expected string, received number",
    ]);
  });

  test("is compiled to what a bundle carries, or the file is named", () => {
    const folder = mkdtempSync(join(tmpdir(), "catalog-"));
    try {
      const out = join(folder, "catalog.json");
      expect(compileCatalog(defaultCatalog, out)).toBe(out);
      const catalog = parseCatalog(catalogFile);
      for (const provider of Object.values(catalog.providers)) unsource(provider.traits);
      for (const model of catalog.models) {
        unsource(model.traits);
        for (const channel of model.channels) unsource(channel.traits);
      }
      const { names, models, ...terms } = JSON.parse(readFileSync(out, "utf8")) as BundledCatalog;
      const parsed = models.split("\n").map((line) => JSON.parse(line) as unknown);
      expect({ ...terms, models: parsed }).toEqual(catalog);
      expect(names).toEqual(namesOf(catalog.models));
      expect(() => compileCatalog(join(folder, "absent.json"), out)).toThrow(/^catalog .*absent\.json:/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
