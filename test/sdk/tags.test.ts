/** The vendors' own SDKs send tags by their default headers. Receipts, the list of calls and the report tell them. */
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { formatPoints, parsePoints } from "#shared/books/billing/points.ts";
import { crossedCatalog } from "#test/support/crossed.ts";
import { type LocalGateway, startLocal } from "#test/support/local.ts";
import { customer, expectCleanAudit } from "#test/support/money.ts";
import { startVendors, type Vendors } from "#test/support/vendors.ts";

type Json = Record<string, unknown>;

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

const messages = [{ role: "user" as const, content: "Say hello." }];
const openai = (apiKey: string, tags: string) =>
  new OpenAI({
    ...{ apiKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 },
    defaultHeaders: { "x-gateway-tags": tags },
  });

/** Calls by each SDK with these tags. */
async function callAll(apiKey: string, tags: string): Promise<void> {
  const headers = { "x-gateway-tags": tags };
  await openai(apiKey, tags).chat.completions.create({ model: "openai/model-1", messages });
  const stream = openai(apiKey, tags).responses.stream({
    model: "responses/model-1",
    input: "Hi",
    store: false,
  });
  await stream.finalResponse();
  const anthropic = new Anthropic({ apiKey, baseURL: gateway.url, defaultHeaders: headers });
  await anthropic.messages.create({ model: "anthropic/model-1", max_tokens: 100, messages });
  const google = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: `${gateway.url}/api`, headers } });
  await google.models.generateContent({ model: "gemini/model-1", contents: "Say hello." });
}

test("each call is told with its tags, and the report by one of them adds up", async () => {
  const { key } = await customer(gateway, { points: 10n ** 20n });
  const get = async (path: string) => {
    const reply = await fetch(gateway.url + path, { headers: { authorization: `Bearer ${key}` } });
    return (await reply.json()) as Json;
  };
  await callAll(key, "team=search,feature=rag");
  await callAll(key, "feature=rag");
  await expect.poll(async () => ((await get("/api/v1/calls")).data as Json[]).length).toBe(8);
  const search = (await get("/api/v1/calls?tag=team%3Dsearch")).data as Json[];
  expect(search.map(({ tags }) => tags)).toEqual(Array(4).fill({ feature: "rag", team: "search" }));
  const [{ id } = { id: "" }] = search;
  expect(await get(`/api/v1/requests/${id}`)).toMatchObject({ tags: { feature: "rag", team: "search" } });

  const report = await get("/api/v1/usage?period=month&group_by=tag:team");
  const groups = report.groups as { tag: string | null; calls: number; cost_points: string }[];
  expect(groups.map(({ tag, calls }) => [tag, calls]).toSorted()).toEqual(
    [
      [null, 4],
      ["search", 4],
    ].toSorted(),
  );
  const sum = groups.reduce((total, { cost_points }) => total + parsePoints(cost_points), 0n);
  expect((report.totals as Json).cost_points).toBe(formatPoints(sum));
  expect(sum).toBeGreaterThan(0n);
  await expectCleanAudit(gateway);
});

test("a header that is wrong is told by the SDK's own error, and costs nothing", async () => {
  const { key } = await customer(gateway, { points: 10n ** 20n });
  const call = openai(key, "Team=search").chat.completions.create({ model: "openai/model-1", messages });
  const error: unknown = await call.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(OpenAI.BadRequestError);
  expect(error).toMatchObject({ status: 400, param: "x-gateway-tags" });
});
