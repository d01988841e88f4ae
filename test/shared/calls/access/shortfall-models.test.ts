/** The maximum that a 402 suggests is one that the model's provider takes, and for which the balance is enough. */
import { expect, test } from "vitest";
import type { Speech } from "#test/support/crossed.ts";
import { useFitting } from "#test/support/fit.ts";

type Json = Record<string, unknown>;

const fitting = useFitting();
const admission = { admitted: true, limitStatus: {} } as const;

const withMost: Record<Speech, (body: Json, most: number) => Json> = {
  openai: (body, max_completion_tokens) => ({ ...body, max_completion_tokens }),
  anthropic: (body, max_tokens) => ({ ...body, max_tokens }),
  gemini: (body, maxOutputTokens) => ({ ...body, generationConfig: { maxOutputTokens } }),
  responses: (body, max_output_tokens) => ({ ...body, max_output_tokens }),
};

/** What a call of this body holds, where it is answered. */
async function heldFor(client: Speech, model: string, body: Json): Promise<bigint | undefined> {
  const { memory } = fitting;
  memory.admission = admission;
  memory.holds.length = 0;
  const { status } = await fitting.ask(client, model, body);
  return status === 200 ? memory.holds[0]?.points : undefined;
}

/** The message of the 402 that a call gets whose wallet has so much. */
async function toldOf(client: Speech, model: string, body: Json, free: bigint): Promise<string> {
  const lack = { free, posted: free };
  fitting.memory.admission = { admitted: false, error: "insufficient_balance", lack, limitStatus: {} };
  const { status, text } = await fitting.ask(client, model, body);
  expect(status).toBe(402);
  return text;
}

const bodies: [client: Speech, body: Json][] = [
  ["openai", {}],
  ["openai", { reasoning_effort: "low" }],
  ["anthropic", { max_tokens: 8_000 }],
  ["gemini", {}],
  ["responses", {}],
];

test.each(bodies)("a client of %s that sends %j", async (client, body) => {
  let models = 0;
  for (const { id, capabilities } of fitting.catalog().models) {
    if (!capabilities.includes("chat")) continue;
    const most = await heldFor(client, id, body);
    const free = await heldFor(client, id, withMost[client](body, 3_000));
    if (most === undefined || free === undefined || most <= free) continue;
    const [, path = "", limit] =
      /`([\w.]+)` of at most (\d+)/.exec(await toldOf(client, id, body, free)) ?? [];
    const [first = "", second] = path.split(".");
    const asked = { ...body, [first]: second ? { [second]: Number(limit) } : Number(limit) };
    expect(await heldFor(client, id, asked), `${id} with ${path} of ${limit}`).toBeLessThanOrEqual(free);
    models += 1;
  }
  expect(models).toBeGreaterThan(10);
});

test("is none that Anthropic's thinking would use up", async () => {
  const model = "anthropic/claude-haiku-4-5";
  const body = (budget_tokens: number) => ({
    max_tokens: 8_000,
    thinking: { type: "enabled", budget_tokens },
  });
  const free = (await heldFor("anthropic", model, { ...body(2_999), max_tokens: 3_000 })) ?? 0n;
  expect(await toldOf("anthropic", model, body(2_999), free)).toContain("`max_tokens` of at most 3000,");
  const told = await toldOf("anthropic", model, body(3_000), free);
  expect(told).not.toContain("at most");
  expect(told).toContain("points more");
});

test("is none below the least that OpenAI's Responses take", async () => {
  const model = "openai/gpt-5.4";
  const body = (max_output_tokens: number) => ({ max_output_tokens });
  const free = (await heldFor("responses", model, body(16))) ?? 0n;
  expect(await toldOf("responses", model, body(20), free)).toContain("`max_output_tokens` of at most 16,");
  expect(await toldOf("responses", model, body(20), free - 1n)).not.toContain("at most");
});
