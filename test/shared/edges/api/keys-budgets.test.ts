/** Keys in a list, with what their budgets have left: read once for a page, and not at all where no key has one. */
import { expect, test } from "vitest";
import { newId } from "#shared/base/platform/id.ts";
import type { BillingMode, KeyLimits, KeyRecord, Organization } from "#shared/books/accounts/account.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import { type BudgetUse, budgetCounter } from "#shared/books/meters/budget.ts";
import { budgetName } from "#shared/books/meters/hold.ts";
import { rightsOfKey } from "#shared/edges/api/key-rights.ts";
import { listKeys } from "#shared/edges/api/keys.ts";
import { budgetOf } from "#test/support/budgets.ts";
import { noon } from "#test/support/store.ts";
import { keyOf } from "#test/support/wallets.ts";

const organization: Organization = {
  id: newId("organization", noon),
  name: "Test",
  status: "active",
  subscription: { meter: "mtr_s", plan: "pro", period: "monthly", started_at: noon, ends_at: null },
  wallet: { meter: "mtr_w", shards: 4 },
  permissions: [],
  created_at: noon,
};

const keyWith = (limits: KeyLimits | null, mode: BillingMode = "payg"): KeyRecord => ({
  ...keyOf(organization),
  permissions: ["manage_keys"],
  limits,
  mode,
});

/** The budgets of a page of these keys, and the meters that were read for it. */
async function listed(keys: KeyRecord[], uses: Record<string, Map<string, BudgetUse>> = {}) {
  const read: string[] = [];
  const deps = {
    accounts: { keys: async () => ({ keys, more: false }) },
    meters: {
      async budgets(meter: string) {
        read.push(meter);
        return uses[meter] ?? new Map();
      },
    },
    now: () => noon,
  };
  const request = { query: new URLSearchParams() };
  const rights = await rightsOfKey({ key: keyWith(null), organization });
  const reply = await listKeys(request as never, rights, deps as never);
  const { data } = JSON.parse(reply.body as string) as { data: { budget: object | null }[] };
  return { read, budgets: data.map(({ budget }) => budget) };
}

test("each meter is read once, however many of its keys have a budget", async () => {
  const [day, month] = [keyWith(budgetOf("5")), keyWith(budgetOf("7", "month"))];
  const total = keyWith(budgetOf("2", "total"), "subscription");
  const use = (spent: string, held: string) => ({ spent: parsePoints(spent), held: parsePoints(held) });
  const wallet = new Map([
    [budgetName(day.id, budgetCounter("day", noon)), use("1.5", "0.25")],
    [budgetName(day.id, budgetCounter("day", noon - 86_400_000)), use("5", "0")],
  ]);
  const subscription = new Map([[budgetName(total.id, "bt"), use("2.5", "0")]]);
  const page = await listed([day, keyWith(null), month, total], { mtr_w: wallet, mtr_s: subscription });
  expect(page.read.sort()).toEqual(["mtr_s", "mtr_w"]);
  expect(page.budgets).toEqual([
    {
      period: "day",
      spent_points: "1.5",
      held_points: "0.25",
      left_points: "3.25",
      resets_at: "2026-11-22T00:00:00.000Z",
    },
    null,
    {
      period: "month",
      spent_points: "0",
      held_points: "0",
      left_points: "7",
      resets_at: "2026-12-01T00:00:00.000Z",
    },
    // A call may use more than it held, and nothing is left then.
    { period: "total", spent_points: "2.5", held_points: "0", left_points: "0", resets_at: null },
  ]);
});

test("nothing is read where no key has one", async () => {
  expect(await listed([keyWith(null), keyWith({ max_concurrency: 2 })])).toEqual({
    read: [],
    budgets: [null, null],
  });
});
