/** What a call whose body is made to fit is held for, and which of a model's channels it goes to. */
import { describe, expect, test } from "vitest";
import { createCatalog } from "#shared/books/catalog/models.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { targetOf } from "#shared/calls/exchange/target.ts";
import { adapt, useFitting } from "#test/support/fit.ts";

type Json = Record<string, unknown>;

const doubao = "volcengine/doubao-seed-1-8-251228";

const fitting = useFitting();

describe("a model of several channels", () => {
  test("is reached by the one that takes the picture", async () => {
    // Neither the models by which the cache compares are in this catalog, nor those with the rates of the plans' tools.
    const { cache: _models, ...catalog } = fitting.catalog();
    const model = catalog.models.find(({ id }) => id === "google/gemini-2.5-flash");
    const gemini = catalog.providers.gemini;
    if (!model || !gemini) throw new Error("no model");
    const { inputs: _, ...traits } = model.traits ?? { source: "test", as_of: "2026-11-22" };
    const stated = { ...gemini.traits, source: "test", as_of: "2026-11-22" };
    const channel = { model: "gemini-2.5-flash", weight: 1 };
    fitting.begin({
      ...catalog,
      providers: {
        ...catalog.providers,
        bytes: { ...gemini, traits: { ...stated, inputs: ["image_bytes"] } },
        both: { ...gemini, traits: { ...stated, inputs: ["image_bytes", "image_url"] } },
      },
      models: [
        {
          ...model,
          traits,
          channels: [
            { ...channel, provider: "bytes", priority: 1 },
            { ...channel, provider: "both", priority: 2 },
          ],
        },
      ],
      plans: Object.fromEntries(
        Object.entries(catalog.plans).map(([name, plan]) => [
          name,
          { ...plan, models: ["*"], tools: {}, ways: {} },
        ]),
      ),
    });
    const content = [{ type: "image_url", image_url: { url: "https://a.test/b.png" } }];
    const answer = await fitting.ask("openai", model.id, { messages: [{ role: "user", content }] });
    expect(answer.status).toBe(200);
    expect(answer.headers["x-gateway-provider"]).toBe("both");
  });
});

test("a model's traits at a provider are merged once", () => {
  const catalog = createCatalog(parseCatalog(JSON.parse(JSON.stringify(fitting.catalog()))));
  const model = catalog.find(doubao);
  const [channel] = model?.channels ?? [];
  const provider = channel && catalog.provider(channel.provider);
  if (!model || !provider) throw new Error("no model");
  const { traits } = targetOf(model, channel, { dialect: "ark" }, { catalog });
  expect(traits.reasoning).toEqual(model.traits?.reasoning);
  expect(traits.store).toBe(provider.traits?.store);
  expect(targetOf(model, channel, { dialect: "ark" }, { catalog }).traits).toBe(traits);
});

describe("what a call is held for", () => {
  const held = async (body: Json, more: Record<string, string>) => {
    fitting.memory.holds.length = 0;
    await fitting.ask("openai", doubao, body, more);
    return fitting.memory.holds[0]?.points ?? 0n;
  };

  test("covers reasoning beyond the answer where fitting could turn it on again", async () => {
    const body = { max_tokens: 100, thinking: { type: "disabled" } };
    const plain = await held(body, {});
    expect(plain).toBeGreaterThan(0n);
    expect(await held(body, adapt)).toBeGreaterThan(plain * 10n);
  });

  test("bounds a fitted body as it bounded the client's own", async () => {
    for (const body of [
      { max_completion_tokens: 3_000, reasoning_effort: "none" },
      { max_completion_tokens: 3_000 },
    ]) {
      expect(await held(body, adapt)).toBe(await held(body, {}));
      expect(fitting.sent()).toMatchObject({ max_completion_tokens: 3_000 });
      expect(fitting.sent()).not.toHaveProperty("max_tokens");
    }
  });

  test("is never exchanged for Ark's maximum of the answer alone", async () => {
    const catalog = fitting.catalog();
    const ark = catalog.providers.volcengine;
    if (ark?.traits) ark.traits = { ...ark.traits, maximum: "max_tokens" };
    fitting.begin(catalog);
    await fitting.ask("anthropic", doubao, {});
    expect(fitting.sent()).toMatchObject({ max_completion_tokens: 100 });
  });
});
