/** What the money tests buy and pay: a call of a known hold and cost, and customers of their own. */
import { expect } from "vitest";
import { connectLocally } from "#infra/operator/connection.ts";
import { formatPoints } from "#shared/books/billing/points.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { type LocalGateway, operator } from "./local.ts";
import { testCatalog } from "./memory.ts";

export const providerKey = { TEST_API_KEY: "upstream-secret" };
export const completion = {
  choices: [{ message: { role: "assistant", content: "Hi" } }],
  usage: { prompt_tokens: 10, completion_tokens: 4 },
};
/** 10 × 2.5 and 4 × 10 points a million. */
export const cost = 65_000_000_000_000n;
export const body = JSON.stringify({
  model: "test/model-1",
  max_tokens: 100,
  messages: [{ role: "user", content: "Hello" }],
});
/** What the meter holds for it: its bytes and overhead as the dearest input, 100 tokens of output. */
export const hold = BigInt(body.length + 64) * 3_125_000_000_000n + 100n * 10_000_000_000_000n;

/** The catalog of these tests: a plan whose month is ten calls without any other limit. */
export function catalogAt(url: string): unknown {
  const base = testCatalog(url) as { plans: object };
  const everyPeriod = (value: unknown) => ({ monthly: value, quarterly: value, yearly: value });
  const ten = { quota: everyPeriod(10), rpm: null, tpm: null, tpd: null, price: everyPeriod("0") };
  return { ...base, plans: { free: ten, lite: ten, pro: ten } };
}

export const post = (url: string, key: string) =>
  fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body,
  });

/** An organization of its own with a key: a wallet of `points`, or a subscription. */
export async function customer(
  gateway: LocalGateway,
  wanted: { points?: bigint; plan?: string },
): Promise<{ id: string; key: string }> {
  const flags = wanted.plan ? ["--plan", wanted.plan] : ["--points", formatPoints(wanted.points ?? 0n)];
  const { value } = await operator(gateway, "org", "create", "--name", "Test", ...flags);
  const id = String(value.id);
  const mode = wanted.plan ? "subscription" : "payg";
  const created = await operator(gateway, "key", "create", "--org", id, "--mode", mode, "--manage-keys");
  return { id, key: String(created.value.key) };
}

/** The meter of an organization's wallet. */
export async function walletOf(gateway: LocalGateway, id: string): Promise<string> {
  const { aws, tables } = connectLocally(gateway.readyFile);
  return (await createAccounts(aws, tables).organization(id))?.wallet?.meter ?? "";
}

export async function expectCleanAudit(gateway: LocalGateway): Promise<void> {
  const { value, code } = await operator(gateway, "audit");
  const { invariants = [] } = value as { invariants?: { holds: boolean }[] };
  expect(invariants.filter(({ holds }) => !holds)).toEqual([]);
  expect(value).toMatchObject({ ok: true, pending: false });
  expect(code).toBe(0);
}
