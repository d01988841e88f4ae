/** Orders beyond what is usual, through the console's routes: too many of them, and channels that are gone. */
import { expect, test } from "vitest";
import { consoleLimits } from "#shared/base/console-limits.ts";
import { openPayments, recharge } from "#test/support/payment-console.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();

const open = () => openPayments(db);

test("an order whose channel the stage has no more is shown, and can be closed later", async () => {
  const { ask, clock, trades, state } = await open();
  const { id } = (await ask("POST /api/v1/recharges", recharge)).body;
  state.isGone = true;
  clock.now += 3_000;
  const shown = await ask(`GET /api/v1/recharges/${id}`);
  expect([shown.status, shown.body.state]).toEqual([200, "pending"]);
  const closed = await ask(`POST /api/v1/recharges/${id}/close`);
  expect([closed.status, closed.body.state]).toEqual([200, "closing"]);
  state.isGone = false;
  trades.alipay.pay(id);
  clock.now += 3_000;
  expect((await ask(`GET /api/v1/recharges/${id}`)).body.state).toBe("credited");
});

test("who orders without end is told when there is room again, and nothing is made", async () => {
  const { ask, codeOf, clock, organization, deps } = await open();
  clock.now += 59 * 60_000 + 30_000;
  for (let n = 0; n < consoleLimits.ordersOfHourMax; n++) {
    const { body } = await ask("POST /api/v1/recharges", recharge);
    await ask(`POST /api/v1/recharges/${body.id}/close`);
  }
  const refused = await ask("POST /api/v1/recharges", recharge, { "idempotency-key": "k" });
  expect(codeOf(refused)).toEqual([429, 42901]);
  expect(refused.headers["retry-after"]).toBe("30");
  const { orders } = await deps.orders.list(organization.id, { limit: 50 });
  expect(orders).toHaveLength(consoleLimits.ordersOfHourMax);
  clock.now += 30_000;
  // The key that was refused has made nothing, and may be used.
  expect((await ask("POST /api/v1/recharges", recharge, { "idempotency-key": "k" })).status).toBe(201);
});
