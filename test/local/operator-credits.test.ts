/** Credits, plan fees and an export in money, run as an operator runs them on a local gateway. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parsePoints } from "#shared/books/billing/points.ts";
import { type LocalGateway, operator, startLocal } from "#test/support/local.ts";
import { catalogAt, completion, customer, expectCleanAudit, post, providerKey } from "#test/support/money.ts";
import { startUpstream, type Upstream } from "#test/support/upstream.ts";

let upstream: Upstream;
let gateway: LocalGateway;
const folder = mkdtempSync(join(tmpdir(), "credits-"));
const catalogFile = join(folder, "catalog.json");
beforeAll(async () => {
  upstream = await startUpstream();
  upstream.json(completion);
  const { plans, ...others } = catalogAt(upstream.url) as { plans: Record<string, object> };
  const price = { monthly: "599", quarterly: "1647", yearly: "5988" };
  const catalog = { ...others, plans: { ...plans, pro: { ...plans.pro, price } } };
  const sold = { issuer: "Acme Ltd", currency: { code: "CNY", points_per_unit: "100" } };
  writeFileSync(catalogFile, JSON.stringify({ ...catalog, ...sold }));
  gateway = await startLocal({ catalog, env: providerKey });
});
afterAll(async () => {
  await gateway?.stop();
  await upstream?.stop();
  rmSync(folder, { recursive: true });
});

type Line = Record<string, string | number | null>;

const credit = (id: string, points: string, reference: string, ...more: string[]) =>
  operator(gateway, "org", "credit", id, "--points", points, "--reference", reference, ...more);

async function exported(id: string, ...more: string[]): Promise<Line[]> {
  const iso = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  const range = ["--from", iso(-1), "--to", iso(1), "--org", id];
  const { value, error } = await operator(gateway, "ledger", "export", ...range, ...more);
  expect(error).toBe("");
  return value as unknown as Line[];
}

describe("org credit", () => {
  test("takes what is negative as a refund, has a kind for each, and says what it booked", async () => {
    const { id } = await customer(gateway, { points: parsePoints("10") });
    expect(await credit(id, "-5", "back")).toMatchObject({
      code: 0,
      value: {
        wallet: { balance_points: "5" },
        credit: { reference: "back", kind: "refund", points: "-5", booked: true, credit: "cash:operator" },
      },
    });
    expect(await credit(id, "-5", "back")).toMatchObject({
      value: { credit: { points: "-5", booked: false } },
    });
    expect(await credit(id, "2", "gift", "--kind", "promotional")).toMatchObject({
      value: { credit: { kind: "promotional", points: "2", debit: "promotion:operator" } },
    });
    expect(await credit(id, "-.5", "fix", "--kind", "adjustment")).toMatchObject({
      code: 2,
      error: "-.5 is no amount of points.\n",
    });
    expect(await credit(id, "-0.5", "fix", "--kind", "adjustment")).toMatchObject({
      value: { wallet: { balance_points: "6.5" }, credit: { kind: "adjustment", points: "-0.5" } },
    });
    const refusals: [string, string, string[], string][] = [
      ["-7", "more", [], "The wallet has 6.5 points free, and 7 are to be taken. "],
      ["-5", "gift", [], "The reference gift has booked 2 points (promotional) already."],
      ["1", "r", ["--kind", "refund"], "Points of the kind refund are negative."],
      ["1", "r", ["--kind", "gift"], "--kind must be one of bought, promotional, refund, adjustment"],
    ];
    for (const [points, reference, more, told] of refusals) {
      const { code, error } = await credit(id, points, reference, ...more);
      expect([code, error]).toEqual([2, expect.stringContaining(told)]);
    }
    const lines = await exported(id);
    expect(lines.map((line) => [line.x_Kind, line.x_Reference, line.x_WalletPoints])).toEqual([
      ["bought", "opening", "10"],
      ["refund", "back", "-5"],
      ["promotional", "gift", "2"],
      ["credit_adjustment", "fix", "-0.5"],
    ]);
    await expectCleanAudit(gateway);
  });
});

describe("an export of a month", () => {
  test("is all of its revenue in the catalog's currency, and nothing of it twice", async () => {
    const paying = ["--catalog", catalogFile];
    const made = await operator(
      gateway,
      "org",
      "create",
      "--name",
      "Both",
      "--plan",
      "pro",
      "--points",
      "50",
      ...paying,
    );
    const id = String(made.value.id);
    const key = await operator(gateway, "key", "create", "--org", id, "--mode", "payg");
    await (await post(gateway.url, String(key.value.key))).text();
    await credit(id, "-20", "back");
    await expectCleanAudit(gateway);
    const told = (await exported(id, ...paying)).map((line) => [
      ...[line.x_Kind, line.ChargeCategory, line.BilledCost, line.EffectiveCost],
      ...[line.PricingCurrency, line.PricingCurrencyEffectiveCost],
    ]);
    expect(told.toSorted()).toEqual([
      ["bought", "Purchase", "0.5", "0", "CNY", "0"],
      ["plan_fee", "Purchase", "5.99", "5.99", "points", "599"],
      ["refund", "Purchase", "-0.2", "0", "CNY", "0"],
      ["usage", "Usage", "0", "0.00000025", "points", "0.000025"],
      ["usage", "Usage", "0", "0.0000004", "points", "0.00004"],
    ]);
    const [line] = await exported(id, ...paying);
    expect(line).toMatchObject({
      BillingCurrency: "CNY",
      InvoiceIssuerName: "Acme Ltd",
      BillingAccountName: "Both",
    });
  });

  test("has the fee that the schedule's command posts, once", async () => {
    const { id } = await customer(gateway, { plan: "free" });
    for (let turn = 0; turn < 2; turn++) {
      expect(await operator(gateway, "seal")).toMatchObject({
        code: 0,
        value: { fees: { posted: 0, failed: 0 } },
      });
    }
    expect((await exported(id)).filter((line) => line.x_Kind === "plan_fee")).toHaveLength(1);
  });
});
