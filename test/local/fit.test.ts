/**
 * The running gateway with the default catalog's own models: providers that refuse what the real ones refuse answer the
 * requests that clients and frameworks send.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { least, pathOf, type Speech } from "#test/support/crossed.ts";
import { type LocalGateway, startLocal } from "#test/support/local.ts";
import { catalogAt } from "#test/support/traits.ts";
import { startVendors, type Vendors } from "#test/support/vendors.ts";

type Json = Record<string, unknown>;

let vendors: Vendors;
let gateway: LocalGateway;
beforeAll(async () => {
  vendors = await startVendors();
  const catalog = catalogAt(vendors.url);
  const secrets = Object.values(catalog.providers).map(({ secret }) => [secret, "upstream-secret"]);
  gateway = await startLocal({ catalog, env: Object.fromEntries(secrets) });
});
afterAll(async () => {
  await gateway?.stop();
  await vendors?.stop();
});

async function ask(
  client: Speech,
  model: string,
  body: Json,
  more: Record<string, string> = {},
  stream = false,
) {
  const said = client === "gemini" ? {} : { model, ...(stream && { stream }) };
  const reply = await fetch(gateway.url + pathOf(client, model, stream), {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.keys.payg}`, "content-type": "application/json", ...more },
    body: JSON.stringify({ ...said, ...least[client], ...body }),
  });
  return { status: reply.status, dropped: reply.headers.get("x-gateway-dropped"), text: await reply.text() };
}
const sent = (): Json => vendors.requests.at(-1)?.body ?? {};

/**
 * One of each family; the others differ from these in numbers only
 * (`test/shared/calls/protocols/fitting/laws.test.ts`).
 */
const models = [
  "openai/gpt-5.6-sol",
  "openai/gpt-5.4",
  "openai/gpt-4.1",
  "anthropic/claude-fable-5",
  "anthropic/claude-opus-4-8",
  "anthropic/claude-sonnet-4-6",
  "anthropic/claude-haiku-4-5",
  "google/gemini-3.1-pro-preview",
  "google/gemini-2.5-pro",
  "minimax/MiniMax-M2",
  "minimax/MiniMax-M3",
  "volcengine/doubao-seed-1-8-251228",
  "zhipu/glm-4-7",
];
/** A wish for reasoning in each client's own words. */
const wishes: Record<Speech, Json> = {
  openai: { reasoning_effort: "high" },
  responses: { reasoning: { effort: "high", summary: "auto" } },
  gemini: { generationConfig: { thinkingConfig: { thinkingBudget: 4_096, includeThoughts: true } } },
  anthropic: { max_tokens: 9_000, thinking: { type: "enabled", budget_tokens: 4_096 } },
};
const clients = Object.keys(wishes) as Speech[];
const adapt = { "x-gateway-adapt": "1" };

describe.each(models)("%s answers", (model) => {
  test.each(clients)("a client of %s that asks for reasoning", async (client) => {
    const answer = await ask(client, model, wishes[client], adapt);
    expect(answer.text).toContain("Hello");
    expect(answer.status).toBe(200);
    const streamed = await ask(client, model, wishes[client], adapt, true);
    expect(streamed.status).toBe(200);
  });

  test.each(clients)("a framework on %s that sets temperature and top_p", async (client) => {
    const sampling = { temperature: 0.7, top_p: 0.9 };
    const config = { generationConfig: { temperature: 0.7, topP: 0.9 } };
    const answer = await ask(client, model, client === "gemini" ? config : sampling, adapt);
    expect(answer.status).toBe(200);
    expect(answer.text).toContain("Hello");
  });
});

describe("Claude Haiku 4.5", () => {
  test.each([
    ["openai", 24_576],
    ["responses", 24_576],
    ["gemini", 4_096],
  ] as const)("thinks with a budget for a client of %s", async (client, budget_tokens) => {
    await ask(client, "anthropic/claude-haiku-4-5", wishes[client]);
    expect(sent().thinking).toMatchObject({ type: "enabled", budget_tokens });
    expect(sent()).not.toHaveProperty("output_config");
  });
});

test("Claude Opus 4.8 takes an Anthropic client's budget as an effort, where the client asks for that", async () => {
  const plain = await ask("anthropic", "anthropic/claude-opus-4-8", wishes.anthropic);
  expect(plain.status).toBe(400);
  const answer = await ask("anthropic", "anthropic/claude-opus-4-8", wishes.anthropic, adapt);
  expect(answer).toMatchObject({ status: 200, dropped: "thinking.budget_tokens" });
  expect(sent()).toMatchObject({ thinking: { type: "adaptive" }, output_config: { effort: "medium" } });
});
