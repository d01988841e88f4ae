/** Budgets end to end: two gateways on one store, the operator, the key routes, and what clients are told. */
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { formatPoints } from "#shared/books/billing/points.ts";
import { type LocalGateway, operator, startLocal } from "#test/support/local.ts";
import {
  body,
  catalogAt,
  completion,
  cost,
  customer,
  expectCleanAudit,
  hold,
  post,
  providerKey,
} from "#test/support/money.ts";
import { rushAtOnce } from "#test/support/rush.ts";
import { startUpstream, type Upstream } from "#test/support/upstream.ts";

let upstream: Upstream;
let first: LocalGateway;
let second: LocalGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  const everyPeriod = (value: unknown) => ({ monthly: value, quarterly: value, yearly: value });
  const many = { quota: everyPeriod(1_000), rpm: null, tpm: null, tpd: null, price: everyPeriod("0") };
  const catalog = { ...(catalogAt(upstream.url) as object), plans: { free: many, lite: many, pro: many } };
  first = await startLocal({ catalog, env: providerKey });
  second = await startLocal({ env: { ...providerKey, ATTACH: first.readyFile } });
});
afterAll(async () => {
  await second?.stop();
  await first?.stop();
  await upstream?.stop();
});

type Json = Record<string, unknown>;
const modes = ["payg", "subscription"] as const;
type Mode = (typeof modes)[number];

/** An organization of the mode; its first key manages keys and has no budget. */
const newCustomer = (mode: Mode) =>
  customer(first, mode === "payg" ? { points: 1_000n * hold } : { plan: "pro" });

/** A key with a budget, as the operator makes it. */
async function budgeted(organization: string, mode: Mode, points: bigint, period: string): Promise<Json> {
  const budget = ["--budget-points", formatPoints(points), "--budget-period", period];
  const { value, error } = await operator(
    first,
    ...["key", "create", "--org", organization, "--mode", mode],
    ...budget,
  );
  expect(error).toBe("");
  return value;
}

async function listed(manager: string, id: unknown): Promise<Json> {
  const headers = { authorization: `Bearer ${manager}` };
  const reply = await fetch(`${second.url}/api/v1/keys`, { headers });
  const { data } = (await reply.json()) as { data: Json[] };
  return data.find((key) => key.id === id) ?? {};
}

describe.each(modes)("the budget of a %s key", (mode) => {
  const status = mode === "payg" ? 402 : 429;

  test("for exactly 10 of 50 calls at once over two gateways admits ten, and is exact afterwards", async () => {
    const { id, key: manager } = await newCustomer(mode);
    const made = await budgeted(id, mode, 10n * hold, "total");
    const urls = [first.url, second.url];
    const send = (index: number) => post(urls[index % 2] ?? "", String(made.key));
    const statuses = await rushAtOnce(upstream, { calls: 50, send, reply: completion });
    expect(statuses.filter((each) => each === 200)).toHaveLength(10);
    expect(statuses.filter((each) => each === status)).toHaveLength(40);
    await expectCleanAudit(first);
    expect((await listed(manager, made.id)).budget).toEqual({
      period: "total",
      spent_points: formatPoints(10n * cost),
      held_points: "0",
      left_points: formatPoints(10n * hold - 10n * cost),
      resets_at: null,
    });
  });

  test("is shown when it is made, and used up told in its name", async () => {
    upstream.json(completion);
    const { id, key: manager } = await newCustomer(mode);
    const points = formatPoints(hold);
    const made = await budgeted(id, mode, hold, "month");
    const resets_at = expect.stringMatching(/^20\d\d-\d\d-01T00:00:00\.000Z$/);
    expect(made).toMatchObject({
      limits: { budget_points: points, budget_period: "month" },
      budget: { period: "month", spent_points: "0", held_points: "0", left_points: points, resets_at },
    });
    expect((await post(first.url, String(made.key))).status).toBe(200);
    // The charge is settled after the last byte.
    await expectCleanAudit(first);
    const refused = await post(second.url, String(made.key));
    expect(refused.status).toBe(status);
    const { error } = (await refused.json()) as { error: { code: string; message: string } };
    expect(error.code).toBe(mode === "payg" ? "40201" : "42902");
    expect(error.message).toMatch(
      new RegExp(
        `^The key's budget of ${points} points per month.* It resets at 20..-..-01T00:00:00\\.000Z\\. Who manages keys can raise it\\. It fits with .max_tokens. of at most \\d+\\.$`,
      ),
    );
    expect(error.message).toContain(`${formatPoints(cost)} are spent and 0 are held`);
    expect(refused.headers.get("retry-after")).toBeNull();
    expect(refused.headers.get("x-should-retry")).toBe("false");
    expect((await listed(manager, made.id)).budget).toMatchObject({
      spent_points: formatPoints(cost),
      left_points: formatPoints(hold - cost),
      resets_at,
    });
    // Another key of the organization goes on.
    expect((await post(first.url, manager)).status).toBe(200);
    // What the message suggests fits, and one token more does not.
    const most = Number(/at most (\d+)/.exec(error.message)?.[1]);
    const asking = (max_tokens: number) =>
      fetch(`${second.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${made.key}`, "content-type": "application/json" },
        body: body.replace('"max_tokens":100', `"max_tokens":${max_tokens}`),
      });
    expect((await asking(most + 1)).status).toBe(status);
    expect((await asking(most)).status).toBe(200);
  });

  test("an SDK asks once, and shows the message", async () => {
    const { id } = await newCustomer(mode);
    const made = await budgeted(id, mode, 1n, "day");
    let asked = 0;
    const client = new OpenAI({
      apiKey: String(made.key),
      baseURL: `${first.url}/v1`,
      fetch: (...request) => {
        asked += 1;
        return fetch(...request);
      },
    });
    const call = client.chat.completions.create(JSON.parse(body) as never);
    await expect(call).rejects.toMatchObject({
      status,
      message: expect.stringContaining("The key's whole budget of 0.000000000000000001 points per day (UTC)"),
    });
    expect(asked).toBe(1);
  });
});

describe("a budget over HTTP", () => {
  let managers: Record<Mode, string>;
  beforeAll(async () => {
    const [payg, subscription] = [await newCustomer("payg"), await newCustomer("subscription")];
    managers = { payg: payg.key, subscription: subscription.key };
  });
  const create = (mode: Mode, limits: string) =>
    fetch(`${first.url}/api/v1/keys`, {
      method: "POST",
      headers: { authorization: `Bearer ${managers[mode]}` },
      body: `{"billing_mode": "${mode}", "limits": ${limits}}`,
    });

  test.each<[limits: string, shown: object]>([
    ['{"budget_points": "5", "budget_period": "day"}', { budget_points: "5", budget_period: "day" }],
    [
      '{"budget_points": "05.50", "budget_period": "total"}',
      { budget_points: "5.5", budget_period: "total" },
    ],
    [
      '{"budget_points": "1000000000000000000", "budget_period": "month", "max_concurrency": 2}',
      { budget_points: "1000000000000000000", budget_period: "month", max_concurrency: 2 },
    ],
    [
      '{"budget_points": "0.000000000000000001", "budget_period": "month"}',
      { budget_points: "0.000000000000000001", budget_period: "month" },
    ],
  ])("is taken on either mode: %s", async (limits, shown) => {
    for (const mode of modes) {
      const reply = await create(mode, limits);
      const key = (await reply.json()) as { limits: object; budget: object };
      expect([reply.status, key.limits]).toEqual([200, shown]);
      expect(key.budget).toMatchObject({ spent_points: "0" });
    }
  });

  test.each<[limits: string, message: string]>([
    ['{"budget_points": 5, "budget_period": "day"}', 'string of decimal points such as "12.5"'],
    ['{"budget_points": "0", "budget_period": "day"}', "above 0"],
    ['{"budget_points": "0.0", "budget_period": "day"}', "above 0"],
    ['{"budget_points": "-1", "budget_period": "day"}', "above 0"],
    ['{"budget_points": "1e3", "budget_period": "day"}', "decimal points"],
    ['{"budget_points": "ten", "budget_period": "day"}', "decimal points"],
    ['{"budget_points": "", "budget_period": "day"}', "decimal points"],
    ['{"budget_points": "1000000000000000000.1", "budget_period": "day"}', "up to 1000000000000000000"],
    ['{"budget_points": "0.0000000000000000001", "budget_period": "day"}', "at most 18 decimals"],
    ['{"budget_points": "5", "budget_period": "week"}', "`day`, `month` or `total`"],
    ['{"budget_points": "5", "budget_period": 1}', "`day`, `month` or `total`"],
    ['{"budget_points": "5"}', "`limits.budget_period`"],
    ['{"budget_period": "day"}', "`limits.budget_points`"],
    ['{"budget_points": null, "budget_period": "day"}', "`limits.budget_points`"],
    [`{"budget_points": "${"0".repeat(100)}1", "budget_period": "day"}`, "decimal points"],
  ])("is refused: %s", async (limits, message) => {
    for (const mode of modes) {
      const reply = await create(mode, limits);
      const { error } = (await reply.json()) as { error: { code: number; message: string } };
      expect([reply.status, error]).toEqual([400, expect.objectContaining({ code: 40000 })]);
      expect(error.message).toContain(message);
    }
  });

  test("a key without one shows none", async () => {
    const reply = await create("payg", "null");
    expect(await reply.json()).toMatchObject({ limits: null, budget: null });
  });
});

test("the operator is told what is wrong with a budget", async () => {
  const { id } = await newCustomer("payg");
  const words = ["key", "create", "--org", id, "--mode", "payg"];
  for (const [flags, why] of [
    [["--budget-points", "5"], "limits.budget_period"],
    [["--budget-points", "5", "--budget-period", "year"], "--budget-period must be one of day, month, total"],
    [["--budget-points", "many", "--budget-period", "day"], "limits.budget_points"],
  ] as const) {
    const { code, error } = await operator(first, ...words, ...flags);
    expect([code, error]).toEqual([2, expect.stringContaining(why)]);
  }
});
