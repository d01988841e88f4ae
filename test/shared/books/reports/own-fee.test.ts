/** What receipts, exports, entries and the audit say of a call that the organization's own key has paid. */
import { expect, test } from "vitest";
import { formatPoints, parsePoints } from "#shared/books/billing/points.ts";
import { noUsage } from "#shared/books/billing/usage.ts";
import { endCall } from "#shared/books/ledger/end-call.ts";
import { callOf } from "#shared/books/meters/intent.ts";
import { ownColumns } from "#shared/books/reports/export-columns.ts";
import { pricedLines } from "#shared/books/reports/export-usage.ts";
import { settledReceipt } from "#shared/books/reports/receipt.ts";
import { miscalculations } from "#shared/edges/audit/entries.ts";
import { keptEvent, toldEvent } from "#shared/edges/store/ledger/kept-route.ts";
import { intentOf, price, walletHold } from "#test/support/store.ts";

const usage = { ...noUsage, input_tokens: 1_000_000, output_tokens: 100_000 };
const route = {
  routing: "basic" as const,
  why: "failover",
  of: 3,
  attempts: [
    { provider: "acme", outcome: "limited" as const, ms: 5, status: 429, own_key: true as const },
    { provider: "acme", outcome: "answered" as const, ms: 7, own_key: true as const },
  ],
};

function paidBy(own_fee: { share: string } | { call: string }) {
  const call = { ...callOf(intentOf(walletHold("mtr_1", "4"))), own_fee };
  return endCall(call, {
    ...{ at: Date.now(), source: "gateway", usage, evidence: "reported", outcome: "completed" },
    ...{ free: false, flags: [], provider: "acme", attempts: 2, route },
  });
}

test("the receipt says whose key paid, what our fee is, and of what", () => {
  const event = paidBy({ share: "0.05" });
  const receipt = settledReceipt([{ event, points: event.cost_points, at: event.ended_at } as never]);
  expect(receipt).toMatchObject({
    own_fee: { share: "0.05", call: null, of_points: "3.5" },
    cost_points: "0.175",
    reason: "The organization's own key has paid the provider. What is charged is our fee (`own_fee`).",
    route: { attempts: [{ status: 429, own_key: true }, { own_key: true }] },
  });
  const sum = receipt.lines.reduce((total, { points }) => total + parsePoints(points), 0n);
  expect(formatPoints(sum)).toBe("3.5");
});

test.each([[{ share: "0.05" }], [{ call: "7.25" }]])(
  "an export of %j has what was used at no price, and our fee",
  (fee) => {
    const event = paidBy(fee);
    const lines = pricedLines(event);
    const sum = (of: "list_points" | "cost_points") =>
      formatPoints(lines.reduce((total, line) => total + line[of], 0n));
    expect([sum("list_points"), sum("cost_points")]).toEqual([event.list_points, event.cost_points]);
    expect(lines.map(({ dimension, cost_points }) => [dimension, cost_points > 0n])).toEqual([
      ["input_tokens", false],
      ["output_tokens", false],
      ["own_key_fee", true],
    ]);
    for (const { quantity, unit_points, list_points } of lines)
      expect((quantity * unit_points) / 10n ** 18n).toBe(list_points);
  },
);

test("an export says whose key paid, and nobody's where nobody was asked", () => {
  const { fill } = ownColumns.find(({ name }) => name === "x_ProviderKey") ?? {};
  const event = paidBy({ share: "0" });
  const { own_fee: _, ...ours } = event;
  const told = [event, ours, { ...ours, provider: null }].map((each) =>
    typeof fill === "function" ? fill({ entry: { event: each } } as never) : undefined,
  );
  expect(told).toEqual(["own", "house", null]);
});

test("an entry keeps it with the attempts, and the audit computes it anew", () => {
  const event = paidBy({ share: "0.05" });
  expect(toldEvent(JSON.parse(JSON.stringify(keptEvent(event))))).toEqual(event);
  const known = { ...price, model: event.model, since: 1 };
  expect(miscalculations(event, known)).toEqual([]);
  expect(miscalculations({ ...event, cost_points: "3.5" }, known)[0]).toContain("cost_points");
  expect(miscalculations({ ...event, own_fee: { share: "0.5" } }, known)[0]).toContain("list_points");
});
