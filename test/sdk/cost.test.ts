/** The vendors' own SDKs read an answer whose usage says the cost, which is what the ledger booked. */
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { crossedCatalog, type Speech, speeches } from "#test/support/crossed.ts";
import { balanceOf, type LocalGateway, startLocal } from "#test/support/local.ts";
import { startVendors, type Vendors } from "#test/support/vendors.ts";

let vendors: Vendors;
let gateway: LocalGateway;
beforeAll(async () => {
  vendors = await startVendors();
  gateway = await startLocal({
    catalog: crossedCatalog(vendors.url),
    env: { TEST_API_KEY: "upstream-secret" },
  });
});
afterAll(async () => {
  await gateway?.stop();
  await vendors?.stop();
});

const headers = { "x-gateway-usage": "cost" };
const messages = [{ role: "user" as const, content: "Say hello." }];
const openai = () =>
  new OpenAI({ apiKey: gateway.keys.payg, baseURL: `${gateway.url}/v1`, defaultHeaders: headers });
const anthropic = () =>
  new Anthropic({ apiKey: gateway.keys.payg, baseURL: gateway.url, defaultHeaders: headers });
const google = () =>
  new GoogleGenAI({
    apiKey: gateway.keys.payg,
    httpOptions: { baseUrl: `${gateway.url}/api`, headers },
  });

/** The usage that each client's SDK gives in the end, of an answer and of a stream. */
const clients: Record<Speech, (model: string) => Promise<unknown[]>> = {
  async openai(model) {
    const whole = await openai().chat.completions.create({ model, messages });
    const stream = openai().chat.completions.stream({
      ...{ model, messages, stream_options: { include_usage: true } },
    });
    return [whole.usage, (await stream.finalChatCompletion()).usage];
  },
  async responses(model) {
    const asked = { model, input: "Say hello.", store: false };
    const whole = await openai().responses.create(asked);
    return [whole.usage, (await openai().responses.stream(asked).finalResponse()).usage];
  },
  async anthropic(model) {
    const asked = { model, max_tokens: 100, messages };
    const whole = await anthropic().messages.create(asked);
    let last: unknown;
    for await (const event of await anthropic().messages.create({ ...asked, stream: true }))
      if (event.type === "message_delta") last = event.usage;
    return [whole.usage, last];
  },
  async gemini(model) {
    const asked = { model, contents: "Say hello." };
    const whole = await google().models.generateContent(asked);
    const chunks = await Array.fromAsync(await google().models.generateContentStream(asked));
    return [whole.usageMetadata, chunks.at(-1)?.usageMetadata];
  },
};

test.each(speeches.flatMap((client) => speeches.map((provider) => [client, provider] as const)))(
  "%s on %s",
  async (client, provider) => {
    const before = await balanceOf(gateway, gateway.keys.payg);
    const usages = (await clients[client](`${provider}/model-1`)) as Record<string, unknown>[];
    const costs = usages.map(({ cost_points }) => cost_points);
    expect(costs).toEqual([expect.stringMatching(/^0\.\d+$/), costs[0]]);
    const isNumber = client === "openai" || client === "responses";
    expect(usages.map(({ cost }) => cost)).toEqual(
      costs.map((cost) => (isNumber ? Number(cost) : undefined)),
    );
    const micros = (points: string) => Math.round(Number(points) * 1e9);
    await expect
      .poll(async () => micros(before) - micros(await balanceOf(gateway, gateway.keys.payg)))
      .toBe(costs.reduce((sum: number, cost) => sum + micros(String(cost)), 0));
  },
);
