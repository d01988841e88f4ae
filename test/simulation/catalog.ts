/** What the simulated gateway sells. */
import { createCatalog, type ModelCatalog } from "#shared/books/catalog/models.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { testCatalog } from "#test/support/memory.ts";
import { withVideo } from "#test/support/video.ts";
import { modelsUrl } from "./meanings.ts";
import { simulatedFee } from "./simulated-fee.ts";

/** Calls of a quota month by plan, whatever its period. */
export const quotas = { free: 6, pro: 12 } as const;

/** What the calls of a plan's day may cost at list price, on both plans, and what one call of `pro` is good for. 10⁻¹⁸. */
export const dayPoints = 700_000_000_000_000_000n;
export const callPoints = 100_000_000_000_000_000n;

/** Points per token of both chat models, in 10⁻¹⁸. */
export const inputPrice = 2_500_000_000_000n;
export const outputPrice = 10_000_000_000_000n;

/** A model that costs so many times as much, which calls may name as their fallback. */
export const dear = { id: "test/dear-1", channel: "dear-model", factor: 4n };

/**
 * What the house pays for a million tokens at a channel, by the provider's name of its model. Each differs, so that a cost
 * of another channel is seen. They differ by so little that routing leaves none for its price, and cached tokens cost no
 * less, whatever the board has counted.
 */
export const houseCosts: Readonly<Record<string, { input: string; output: string }>> = {
  "upstream-model": { input: "1", output: "4" },
  "spare-model": { input: "1.01", output: "4.04" },
  "dear-model": { input: "2", output: "8" },
};

const withCost = <Channel extends { model: string }>(channel: Channel) => {
  const cost = houseCosts[channel.model];
  return { ...channel, ...(cost && { cost }) };
};

/** Points per second of a video, in 10⁻¹⁸: `test/video-1` at 720p. */
export const secondPrice = 90_000_000_000_000_000n;

/**
 * Two providers, so that a call can go on with the second. One model holds its streams step by step, one is dear, and
 * one makes videos. Quotas are small, and one plan has no limits of the minute.
 */
export function simulatedCatalog(): ModelCatalog {
  const base = withVideo(testCatalog("https://provider.example"), "https://videos.example") as {
    providers: { test: object };
    models: { id: string; aliases?: string[]; channels: { provider: string; model: string }[] }[];
    plans: { free: object };
  };
  const spare = { provider: "spare", model: "spare-model" };
  const models = base.models.map((model) => {
    if (model.id === "test/video-1") return model;
    return { ...model, channels: [...model.channels, spare].map(withCost) };
  });
  const strict = { ...models[0], id: "test/strict-1", aliases: [], output_tokens: 40_000, strict: true };
  const dearModel = {
    ...models[0],
    id: dear.id,
    aliases: [],
    price: { mode: "flat_tokens", input: "10", output: "40", cache_read: "1", cache_write: "12.5" },
    channels: [base.models[0]?.channels[0], spare].map((channel) =>
      withCost({ ...channel, model: dear.channel }),
    ),
  };
  const monthly = (calls: number) => ({ monthly: calls, quarterly: calls, yearly: calls });
  return createCatalog(
    parseCatalog({
      ...base,
      // Wallets race too. One plan has basic routing, so that both are there.
      payg: { routing: "smart" },
      providers: {
        ...base.providers,
        spare: base.providers.test,
        meanings: { protocols: { openai: `${modelsUrl}/v1` }, secret: "MEANINGS_KEY" },
      },
      models: [
        ...models.filter(({ id }) => id !== "test/video-2"),
        strict,
        dearModel,
        ...cacheModels(models),
      ],
      byok_fee: simulatedFee,
      cache: { embedder: "test/embedder", verifier: "test/judge" },
      plans: {
        free: {
          ...base.plans.free,
          quota: monthly(quotas.free),
          routing: "basic",
          list_points_max: { day: "0.7" },
        },
        pro: {
          ...{ ...base.plans.free, quota: monthly(quotas.pro), rpm: null, tpm: null },
          price: { monthly: "9", quarterly: "24", yearly: "80" },
          cache: true,
          list_points_max: { call: "0.1", day: "0.7", above: "count" },
        },
      },
    }),
  );
}

/** The models by which the cache compares meanings: the test catalog's models at another provider. */
function cacheModels(models: { id: string }[]): object[] {
  const [chat, embeddings] = ["test/model-1", "test/embedding-1"].map((id) =>
    models.find((model) => model.id === id),
  );
  const own = (id: string) => ({ id, aliases: [], channels: [{ provider: "meanings", model: id }] });
  return [
    { ...embeddings, ...own("test/embedder") },
    { ...chat, ...own("test/judge") },
  ];
}
