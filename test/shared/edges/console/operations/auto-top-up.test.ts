/** The routes of automatic top-up: roles, young sessions, bodies, and what people are shown. */
import { describe, expect, test } from "vitest";
import { topUpIfLow } from "#shared/people/orders/top-up.ts";
import { catalog } from "#test/support/orders.ts";
import { openPayments } from "#test/support/payment-console.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();

const terms = { on: true, below_points: "50", currency: "USD", amount: "10.00", month_max: "25.00" };

async function open({ hasCard = true }: { hasCard?: boolean } = {}) {
  const desk = await openPayments(db);
  if (hasCard) {
    expect((await desk.ask("POST /api/v1/auto-top-up/card")).body.url).toBe("https://pay.test/card");
    await desk.ask("GET /api/v1/auto-top-up");
  }
  return desk;
}

test("it is off, and shows no card, until somebody adds one and turns it on", async () => {
  const { ask } = await open({ hasCard: false });
  const off = await ask("GET /api/v1/auto-top-up");
  expect(off.body).toEqual({
    ...{ object: "auto_top_up", state: "off", below_points: null, currency: null, amount: null },
    ...{ month_max: null, month: "2026-11", month_used: null, card: null, order: null, paused: null },
    not_before: null,
  });
  await ask("POST /api/v1/auto-top-up/card");
  const card = { brand: "visa", last_four: "4242", expires: "2030-01", removing: false };
  expect((await ask("GET /api/v1/auto-top-up")).body).toMatchObject({ state: "off", card });
  const on = await ask("PUT /api/v1/auto-top-up", terms);
  expect(on.status).toBe(200);
  expect(on.body).toMatchObject({
    ...{ state: "on", amount: "10.00", month_max: "25.00" },
    month_used: "0.00",
    card,
  });
  const text = JSON.stringify(on.body);
  for (const id of ["cus-", "pm-", "page-"]) expect(text).not.toContain(id);
});

test("an order that waits is shown, and turning off ends it", async () => {
  const { ask, deps, organization } = await open();
  await ask("PUT /api/v1/auto-top-up", terms);
  const made = await topUpIfLow(organization, 0n, { ...deps, recharge: catalog.recharge });
  expect((await ask("GET /api/v1/auto-top-up")).body).toMatchObject({ order: made?.id, month_used: "10.00" });
  const off = await ask("PUT /api/v1/auto-top-up", { on: false });
  expect(off.body).toMatchObject({ state: "off", below_points: "50" });
  expect(await deps.orders.find(made?.id ?? "")).toMatchObject({ state: "closing" });
});

test.each([
  ["below_points", [undefined, null, 50, "0", "-1", "x"]],
  ["amount", [undefined, 10, "0.99", "5000.01", "1.001", "x"]],
  ["month_max", [undefined, 25, "9.99", "x", "1e3"]],
  ["on", [undefined, "true", 1, null]],
])("a wrong %s is refused, and changes nothing", async (field, values) => {
  const { ask, codeOf } = await open();
  for (const value of values)
    expect(codeOf(await ask("PUT /api/v1/auto-top-up", { ...terms, [field]: value }))).toEqual([400, 40000]);
  expect((await ask("GET /api/v1/auto-top-up")).body).toMatchObject({ state: "off", below_points: null });
});

test("a currency that is not charged to cards is refused, and so is a field that nobody knows", async () => {
  const { ask, codeOf } = await open();
  expect(codeOf(await ask("PUT /api/v1/auto-top-up", { ...terms, currency: "CNY" }))).toEqual([400, 40003]);
  expect(codeOf(await ask("PUT /api/v1/auto-top-up", { ...terms, card: "pm_1" }))).toEqual([400, 40000]);
});

test("without a card it is not turned on, and with one no other is added", async () => {
  const bare = await open({ hasCard: false });
  expect(bare.codeOf(await bare.ask("PUT /api/v1/auto-top-up", terms))).toEqual([409, 40910]);
  const { ask, codeOf } = await open();
  expect(codeOf(await ask("POST /api/v1/auto-top-up/card"))).toEqual([409, 40910]);
  expect((await ask("DELETE /api/v1/auto-top-up/card")).body).toMatchObject({ state: "off", card: null });
  expect((await ask("POST /api/v1/auto-top-up/card")).status).toBe(201);
});

describe("an old session", () => {
  test("adds no card and turns nothing on, and may turn off and remove", async () => {
    const { ask, codeOf, clock } = await open();
    await ask("PUT /api/v1/auto-top-up", terms);
    clock.now += 901_000;
    expect(codeOf(await ask("PUT /api/v1/auto-top-up", terms))).toEqual([403, 40300]);
    expect(codeOf(await ask("POST /api/v1/auto-top-up/card"))).toEqual([403, 40300]);
    expect((await ask("PUT /api/v1/auto-top-up", { on: false })).body.state).toBe("off");
    expect((await ask("DELETE /api/v1/auto-top-up/card")).body.card).toBeNull();
  });
});

test.each([
  ["admin", 403, 403],
  ["member", 403, 403],
  ["finance", 200, 200],
] as const)("%s may see it: %i, and change it: %i", async (role, sees, changes) => {
  const { ask, state } = await open();
  state.role = role;
  expect((await ask("GET /api/v1/auto-top-up")).status).toBe(sees);
  expect((await ask("PUT /api/v1/auto-top-up", terms)).status).toBe(changes);
  expect((await ask("DELETE /api/v1/auto-top-up/card")).status).toBe(changes);
});

test("a silent platform, or one that the stage has no more, shows what is known", async () => {
  const { ask, codeOf, state } = await open({ hasCard: false });
  await ask("POST /api/v1/auto-top-up/card");
  state.silent = true;
  expect((await ask("GET /api/v1/auto-top-up")).body).toMatchObject({ state: "off", card: null });
  expect(codeOf(await ask("POST /api/v1/auto-top-up/card"))).toEqual([500, 50005]);
  state.isGone = true;
  expect((await ask("GET /api/v1/auto-top-up")).status).toBe(200);
  expect(codeOf(await ask("POST /api/v1/auto-top-up/card"))).toEqual([400, 40003]);
});
