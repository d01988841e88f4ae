/**
 * What calls cost through the running gateway: every price mode against a provider that reports a given usage. The
 * figures are worked out by hand (billing.md §4.3). Each must be the same in the header, the balance, the receipt,
 * the report and the export. What is held is checked to the last unit.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { formatPoints, parsePoints } from "#shared/books/billing/points.ts";
import type { Price } from "#shared/books/billing/pricing/price.ts";
import { balanceOf, type LocalGateway, operator, startLocal } from "#test/support/local.ts";
import { catalogAt, customer, expectCleanAudit, providerKey } from "#test/support/money.ts";
import { byInput, byTotal, flat, perImage } from "#test/support/prices.ts";
import { startUpstream, type Upstream } from "#test/support/upstream.ts";

/** A call of up to 20 tokens of output; its input is at most its bytes and 64 (billing.md §2.3). */
const bounded = (model: string) => ({
  model: `test/${model}`,
  max_tokens: 20,
  messages: [{ role: "user", content: "Hello" }],
});
const largest = JSON.stringify(bounded("before")).length + 64;

/** Dear up to a breakpoint and cheap beyond it, which lies so far from the largest call. */
const falling = (beyond: number): Price => ({
  mode: "input_tokens_tiers",
  tiers: [
    { up_to: largest + beyond, input: "100", output: "7", cache_read: "1", cache_write: "3" },
    { up_to: null, input: "2", output: "7", cache_read: "2", cache_write: "2" },
  ],
});

/** Cheap up to a breakpoint of all tokens, and dear beyond it. */
const rising = (up_to: number): Price => ({
  mode: "total_tokens_tiers",
  input: [
    { up_to, price: "1" },
    { up_to: null, price: "5" },
  ],
  output: [
    { up_to: up_to - 1, price: "10" },
    { up_to: null, price: "30" },
  ],
  cache_read: "0.5",
  cache_write: "4",
});

const models: Record<string, [Price, discount?: string]> = {
  flat: [flat],
  "flat-85": [flat, "0.85"],
  tiers: [byInput],
  "tiers-odd": [byInput, "0.123457"],
  total: [byTotal],
  "total-9": [byTotal, "0.9"],
  before: [falling(-1)],
  at_end: [falling(0)],
  beyond: [falling(1)],
  within: [rising(largest + 19)],
  nearly: [rising(largest + 20)],
};

const images = { capabilities: ["images"], price: perImage, discount_rate: "0.95" };

function catalogOf(url: string): unknown {
  const base = catalogAt(url) as { models: object[] };
  const [chat, , image] = base.models;
  const made = Object.entries(models).map(([name, [price, discount_rate = "1"]]) => ({
    ...chat,
    id: `test/${name}`,
    aliases: [],
    context_tokens: 2_000_000,
    output_tokens: 300_000,
    price,
    discount_rate,
  }));
  return { ...base, models: [...made, { ...image, id: "test/image", aliases: [], ...images }] };
}

let upstream: Upstream;
let gateway: LocalGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await startLocal({ catalog: catalogOf(upstream.url), env: providerKey });
});
afterAll(async () => {
  await gateway?.stop();
  await upstream?.stop();
});

/** OpenAI counts what came from the cache among the prompt, Anthropic beside it (billing.md §4.2). */
const openai = (prompt_tokens: number, completion_tokens: number, cached_tokens = 0) => ({
  choices: [{ message: { role: "assistant", content: "Hi" } }],
  usage: { prompt_tokens, completion_tokens, prompt_tokens_details: { cached_tokens } },
});
const anthropic = (input_tokens: number, output_tokens: number, read: number, written: number) => ({
  type: "message",
  role: "assistant",
  content: [{ type: "text", text: "Hi" }],
  usage: {
    input_tokens,
    output_tokens,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
  },
});
const pictures = (count: number) => ({ data: Array.from({ length: count }, () => ({ b64_json: "AA==" })) });

const vectors: [name: string, model: string, reply: object, points: string][] = [
  ["V1", "flat", openai(1000, 500), "0.0075"],
  ["V2", "flat-85", anthropic(1234, 567, 8901, 234), "0.009954775"],
  ["V4", "flat", openai(0, 0), "0"],
  ["V5: the breakpoint is of the low tier", "tiers", openai(32_000, 1000), "0.0336"],
  ["V6", "tiers", openai(32_001, 1000), "0.0544012"],
  ["a cached token counts for the tier", "tiers", openai(32_001, 1000, 1), "0.05440016"],
  ["the same as Anthropic counts", "tiers", anthropic(31_000, 1000, 1000, 1), "0.0533612"],
  ["the second breakpoint", "tiers", openai(128_000, 1000), "0.1696"],
  ["one more", "tiers", openai(128_001, 1000), "0.3312024"],
  ["output never moves a tier by input", "tiers", openai(1, 200_000), "1.6000008"],
  ["a discount of six digits", "tiers-odd", openai(32_001, 7), "0.0047547241324"],
  ["V11", "total", openai(3000, 1000), "0.008"],
  ["V12: one side's tier", "total", openai(3000, 1001), "0.01301"],
  ["the input's breakpoint", "total", openai(7000, 1000), "0.017"],
  ["one more", "total", openai(7001, 1000), "0.024002"],
  ["the last breakpoint of both", "total", openai(199_000, 1000), "0.408"],
  ["one more", "total", openai(199_000, 1001), "0.811015"],
  ["cached tokens count for the total", "total", openai(7001, 1000, 7001), "0.0135005"],
  ["and written ones", "total-9", anthropic(3000, 1000, 0, 1), "0.011701125"],
  ["V23", "flat", openai(1000, 100, 400), "0.0026"],
  ["V24", "flat", anthropic(600, 100, 400, 50), "0.00275625"],
  ["V16: pictures that came, not those asked for", "image", pictures(3), "0.57"],
];

const ask = (key: string, route: string, body: object) =>
  fetch(gateway.url + route, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });

const message = [{ role: "user", content: "Hello" }];

/** Makes the call whose reply it is, on the route that speaks like it. */
function send(key: string, name: string, reply: object): Promise<Response> {
  upstream.json(reply);
  const model = `test/${name}`;
  if ("data" in reply) return ask(key, "/api/v1/images/generations", { model, prompt: "A dot", n: 4 });
  const route = "type" in reply ? "/v1/messages" : "/v1/chat/completions";
  return ask(key, route, { model, max_tokens: 300_000, messages: message });
}

async function read(path: string, key: string): Promise<Record<string, unknown>> {
  const reply = await fetch(gateway.url + path, { headers: { authorization: `Bearer ${key}` } });
  return (await reply.json()) as Record<string, unknown>;
}

type Line = { points: string };
type Sums = { model?: string; calls: number; cost_points: string; list_points: string };
type Exported = { x_Kind: string; x_RequestId: string; EffectiveCost: string; ContractedCost: string };

const sum = (points: string[]) => formatPoints(points.reduce((all, each) => all + parsePoints(each), 0n));

describe("what a call costs stands the same everywhere", () => {
  test.each(["payg", "subscription"] as const)("of a %s key", async (mode) => {
    const paid = mode === "payg";
    const from = new Date(Date.now() - 1000).toISOString();
    const { id, key } = await customer(gateway, paid ? { points: parsePoints("1000") } : { plan: "pro" });
    const taken = paid ? vectors : vectors.slice(3, 12);
    let left = "1000";
    const requests = new Map<string, string>();
    for (const [name, model, reply, points] of taken) {
      const answer = await send(key, model, reply);
      expect([answer.status, await answer.text()], name).toEqual([200, expect.any(String)]);
      const cost = answer.headers.get("x-gateway-cost-points");
      expect(cost, name).toBe(paid ? points : "0");
      requests.set(answer.headers.get("x-request-id") ?? "", points);
      if (!paid) continue;
      left = formatPoints(parsePoints(left) - parsePoints(points));
      // A hold is settled after the last byte.
      await expect.poll(() => balanceOf(gateway, key), { message: name, interval: 5 }).toBe(left);
    }
    await expectSettled();
    for (const [request, points] of requests) {
      const receipt = await read(`/api/v1/requests/${request}`, key);
      expect(receipt).toMatchObject({ cost_points: paid ? points : "0", list_points: points });
      expect(sum((receipt.lines as Line[]).map((line) => line.points))).toBe(points);
    }
    const to = new Date(Date.now() + 1000).toISOString();
    const report = await read(`/api/business/v1/customer/usage?from=${from}&to=${to}`, key);
    const byModel = report.by_model as Sums[];
    for (const model of new Set(taken.map(([, name]) => name))) {
      const total = sum(taken.filter(([, name]) => name === model).map(([, , , points]) => points));
      const calls = taken.filter(([, name]) => name === model).length;
      expect(byModel.find((row) => row.model === `test/${model}`)).toMatchObject({
        calls,
        cost_points: paid ? total : "0",
        list_points: total,
      });
    }
    const total = sum(taken.map(([, , , points]) => points));
    expect(report.totals).toMatchObject({ cost_points: paid ? total : "0", list_points: total });
    const range = ["--from", from, "--to", to, "--org", id, "--format", "json"];
    const { value } = await operator(gateway, "ledger", "export", ...range);
    const lines = (value as unknown as Exported[]).filter(({ x_Kind }) => x_Kind === "usage");
    const calls = Map.groupBy(lines, ({ x_RequestId }) => x_RequestId);
    const costs = [...calls].map(([id, rows]) => [id, sum(rows.map((row) => row.ContractedCost))]);
    expect(costs).toEqual([...requests]);
    expect(sum(lines.map(({ EffectiveCost }) => EffectiveCost))).toBe(paid ? total : "0");
    await expectCleanAudit(gateway);
  });
});

async function expectSettled(): Promise<void> {
  const pending = async () => (await operator(gateway, "audit")).value.pending;
  await expect.poll(pending, { interval: 100 }).toBe(false);
}

describe("what is held is the dearest a call can become", () => {
  /** Millionths of a point. */
  const dearest = {
    before: (largest - 1) * 100 + 20 * 7,
    at_end: largest * 100 + 20 * 7,
    beyond: largest * 100 + 20 * 7,
    within: largest * 5 + 20 * 30,
    nearly: largest * 4 + 20 * 30,
  };
  test.each(Object.entries(dearest))(
    "%s: one unit less is refused, the hold itself is not",
    async (model, micro) => {
      upstream.json(openai(1, 1));
      const hold = BigInt(micro) * 10n ** 12n;
      const { id, key } = await customer(gateway, { points: hold - 1n });
      const call = () => ask(key, "/v1/chat/completions", bounded(model));
      const refused = await call();
      expect([refused.status, await refused.json()]).toMatchObject([402, { error: { code: "40201" } }]);
      expect(await balanceOf(gateway, key)).toBe(formatPoints(hold - 1n));
      await operator(gateway, "org", "credit", id, "--points", formatPoints(1n), "--reference", "unit");
      expect((await call()).status).toBe(200);
    },
  );
});
