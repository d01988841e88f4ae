/** The routes of orders through the console's pipeline: bodies, codes, roles, and what the platforms are answered. */
import { describe, expect, test } from "vitest";
import { newId } from "#shared/base/platform/id.ts";
import { onePoint } from "#shared/books/billing/points.ts";
import { paymentRoutes } from "#shared/edges/console/routes/payments.ts";
import { roles } from "#shared/people/identity/user.ts";
import { morning } from "#test/support/orders.ts";
import { openPayments, recharge } from "#test/support/payment-console.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();

const open = () => openPayments(db);

test("methods are those that the stage has, with the catalog's terms", async () => {
  const { ask } = await open();
  const { body } = await ask("GET /api/v1/payment-methods");
  expect(body.data).toEqual([
    { currency: "CNY", channels: ["alipay"], points_per_unit: "1", min: "1.00", max: "50000.00" },
    { currency: "USD", channels: ["stripe"], points_per_unit: "7", min: "1.00", max: "5000.00" },
  ]);
});

test("plans have their price in each currency that the stage can take, as an order of them asks", async () => {
  const { ask } = await open();
  const { data } = (await ask("GET /api/v1/plans")).body;
  expect(data.map(({ plan }: { plan: string }) => plan)).toEqual(["free", "lite", "pro"]);
  // 129 points are 18.428… dollars. What is below a cent is not asked for.
  expect(data[1].prices.USD.monthly).toBe("18.42");
  for (const { plan, prices } of data.slice(1)) {
    expect(Object.keys(prices)).toEqual(["CNY", "USD"]);
    for (const [currency, channel] of [
      ["CNY", "alipay"],
      ["USD", "stripe"],
    ] as const)
      for (const period of ["monthly", "quarterly", "yearly"]) {
        const asked = new URLSearchParams({ plan, period, channel, currency });
        const { body } = await ask(`GET /api/v1/plans/quote?${asked}`);
        expect([currency, prices[currency][period]]).toEqual([body.currency, body.pay]);
      }
  }
});

test("an order is made, shown, told as paid, and credited", async () => {
  const { ask, notify, trades, deps, organization } = await open();
  const made = await ask("POST /api/v1/recharges", recharge);
  expect(made.status).toBe(201);
  const { id } = made.body;
  expect(made.body).toMatchObject({
    state: "pending",
    amount: "100.00",
    points: "100",
    qr_code: `https://pay.test/${id}`,
  });
  expect(await deps.orders.find(id)).toMatchObject({
    notify_url: "https://console.test/api/v1/payments/alipay/notify",
    return_url: `https://console.test/recharge?order=${id}`,
  });
  trades.alipay.pay(id);
  const answer = await notify("alipay", trades.alipay.evidence(id, "alipay"));
  expect([answer.status, answer.body]).toEqual([200, "success"]);
  const shown = await ask(`GET /api/v1/recharges/${id}`);
  expect(shown.body).toMatchObject({ state: "credited", paid: "100.00", qr_code: null, booked_as: "points" });
  const list = await ask("GET /api/v1/recharges?limit=1");
  expect(list.body).toMatchObject({ object: "list", has_more: false, last_id: id, data: [{ id }] });
  expect(deps.audited.map(({ kind, actor }) => [kind, actor])).toEqual([
    ["order_created", "usr_1"],
    ["order_credited", "platform"],
  ]);
  expect(deps.audited.every((entry) => entry.organization === organization.id)).toBe(true);
});

test("dollars go through Stripe, at their own rate", async () => {
  const { ask } = await open();
  const { body } = await ask("POST /api/v1/recharges", { amount: "1.50", channel: "stripe" });
  expect(body).toMatchObject({ currency: "USD", amount: "1.50", points: "10.5" });
});

describe("points of the wallet", () => {
  async function rich() {
    const payments = await openPayments(db);
    const { deps, organization, clock } = payments;
    const credit = { organization: organization.id, meter: organization.wallet?.meter ?? "", at: clock.now };
    await deps.ledger.credit({ ...credit, points: 200n * onePoint, reference: "gift", kind: "promotional" });
    const quote = await payments.ask("GET /api/v1/plans/quote?plan=lite&channel=points");
    const { deal } = quote.body;
    return { ...payments, quote, body: { plan: "lite", channel: "points", deal } };
  }

  test("pay for a plan at the price that was shown, at once and once", async () => {
    const { ask, quote, body } = await rich();
    expect(quote.body).toMatchObject({ channel: "points", currency: "points", pay: "129", credit: "0" });
    const key = { "idempotency-key": "one" };
    const made = await ask("POST /api/v1/plan-orders", body, key);
    expect(made.body).toMatchObject({ state: "credited", booked_as: "plan", paid: "129", refundable: null });
    expect((await ask("POST /api/v1/plan-orders", body, key)).body.id).toBe(made.body.id);
    // Its first day has begun, and the other 30 of the month can be paid back.
    const shown = await ask(`GET /api/v1/recharges/${made.body.id}`);
    expect(shown.body.refundable).toMatch(/^12[0-9]/);
  });

  test("are not taken without the name of the deal, for another one, and for points", async () => {
    const { ask, codeOf, body, deps, organization } = await rich();
    const { deal, ...bare } = body;
    expect(codeOf(await ask("POST /api/v1/plan-orders", bare))).toEqual([400, 40000]);
    expect(codeOf(await ask("POST /api/v1/plan-orders", { ...body, plan: "pro" }))).toEqual([409, 40910]);
    expect(codeOf(await ask("POST /api/v1/plan-orders", { ...body, currency: "CNY" }))).toEqual([400, 40003]);
    expect(codeOf(await ask("POST /api/v1/recharges", { amount: "1.00", channel: "points" }))).toEqual([
      400, 40003,
    ]);
    // Money is asked for only at the price that was shown, if the request says which.
    const money = { plan: "lite", channel: "alipay" };
    expect(codeOf(await ask("POST /api/v1/plan-orders", { ...money, deal }))).toEqual([409, 40910]);
    expect((await ask("POST /api/v1/plan-orders", money)).status).toBe(201);
    expect((await deps.orders.list(organization.id, { limit: 9 })).orders).toHaveLength(1);
  });
});

describe("what is refused makes no order", () => {
  test.each<readonly [unknown, number]>([
    [{ ...recharge, channel: "wechat" }, 40003],
    [{ ...recharge, channel: "paypal" }, 40003],
    [{ ...recharge, channel: undefined }, 40003],
    [{ ...recharge, channel: "__proto__" }, 40003],
    [{ ...recharge, currency: "USD" }, 40003],
    ...["1e2", "0.001", "-1", "0.99", "50000.01", "", "01", "１００", "NaN", " 1"].map(
      (amount) => [{ ...recharge, amount }, 40000] as const,
    ),
    [{ ...recharge, amount: 100 }, 40000],
    [{ ...recharge, amount: null }, 40000],
    [{ ...recharge, points: "1000000" }, 40000],
    [[], 40000],
  ])("%j is %i", async (body, code) => {
    const { ask, codeOf, organization, deps } = await open();
    expect(codeOf(await ask("POST /api/v1/recharges", body))[1]).toBe(code);
    expect((await deps.orders.list(organization.id, { limit: 1 })).orders).toEqual([]);
  });
});

test("a key makes one order, and names no other request", async () => {
  const { ask, codeOf } = await open();
  const key = { "idempotency-key": "k1" };
  const [first, second] = [
    await ask("POST /api/v1/recharges", recharge, key),
    await ask("POST /api/v1/recharges", recharge, key),
  ];
  expect(second.body.id).toBe(first.body.id);
  expect(codeOf(await ask("POST /api/v1/recharges", { ...recharge, amount: "2.00" }, key))).toEqual([
    400, 40000,
  ]);
  expect(codeOf(await ask("POST /api/v1/recharges", recharge, { "idempotency-key": "a b" }))).toEqual([
    400, 40000,
  ]);
});

test("a platform that does not answer is 50005, and the order is asked about again", async () => {
  const { ask, codeOf, state, clock } = await open();
  state.silent = true;
  const key = { "idempotency-key": "k1" };
  expect(codeOf(await ask("POST /api/v1/recharges", recharge, key))).toEqual([500, 50005]);
  const [{ id }] = (await ask("GET /api/v1/recharges")).body.data;
  expect((await ask(`GET /api/v1/recharges/${id}`)).body.state).toBe("created");
  state.silent = false;
  clock.now += 3_000;
  expect((await ask(`GET /api/v1/recharges/${id}`)).body.state).toBe("pending");
  expect((await ask("POST /api/v1/recharges", recharge, key)).body.id).toBe(id);
});

test("an open page finds a payment whose notice was lost, and asks every three seconds at most", async () => {
  const { ask, trades, clock } = await open();
  const { id } = (await ask("POST /api/v1/recharges", recharge)).body;
  expect((await ask(`GET /api/v1/recharges/${id}`)).body.state).toBe("pending");
  trades.alipay.pay(id);
  clock.now += 2_999;
  expect((await ask(`GET /api/v1/recharges/${id}`)).body.state).toBe("pending");
  clock.now += 1;
  expect((await ask(`GET /api/v1/recharges/${id}`)).body.state).toBe("credited");
});

test("an order is closed at its platform, and can then not be paid", async () => {
  const { ask, codeOf, trades } = await open();
  const { id } = (await ask("POST /api/v1/recharges", recharge)).body;
  expect((await ask(`POST /api/v1/recharges/${id}/close`)).body).toMatchObject({
    state: "closed",
    qr_code: null,
  });
  expect(trades.alipay.pay(id)).toBe(false);
  expect((await ask(`POST /api/v1/recharges/${id}/close`)).body.state).toBe("closed");
  const paid = (await ask("POST /api/v1/recharges", recharge)).body;
  trades.alipay.pay(paid.id);
  expect((await ask(`POST /api/v1/recharges/${paid.id}/close`)).body.state).toBe("credited");
  expect(codeOf(await ask(`POST /api/v1/recharges/${paid.id}/close`))).toEqual([409, 40910]);
});

test("a foreign or unknown order is 40410, on every route", async () => {
  const [own, other] = [await open(), await open()];
  const { id } = (await own.ask("POST /api/v1/recharges", recharge)).body;
  for (const each of [id, newId("order", morning), "x", "ord_"]) {
    expect(other.codeOf(await other.ask(`GET /api/v1/recharges/${each}`))).toEqual([404, 40410]);
    expect(other.codeOf(await other.ask(`POST /api/v1/recharges/${each}/close`))).toEqual([404, 40410]);
  }
  expect((await other.ask("GET /api/v1/recharges")).body.data).toEqual([]);
});

describe("calls of platforms", () => {
  test("that are not theirs are 50004, and change nothing", async () => {
    const { ask, codeOf, notify, trades, deps } = await open();
    const { id } = (await ask("POST /api/v1/recharges", recharge)).body;
    trades.alipay.pay(id);
    const forged = { ...trades.alipay.evidence(id, "alipay"), forged: true };
    expect(codeOf(await notify("alipay", forged))).toEqual([500, 50004]);
    expect((await deps.orders.find(id))?.state).toBe("pending");
    expect(deps.told.find(({ event }) => event === "notice_refused")?.fields).toMatchObject({ probe: "no" });
  });

  test("about an order that we do not have are 50004, so that they come again", async () => {
    const { codeOf, notify, trades } = await open();
    const id = newId("order", morning);
    const paid = {
      ...trades.alipay.evidence(id, "alipay"),
      state: "paid",
      transaction: "t",
      amount: 1,
      currency: "CNY",
    };
    expect(codeOf(await notify("alipay", paid))).toEqual([500, 50004]);
  });

  test("of a channel that the stage lacks are 40003", async () => {
    const { codeOf, ask } = await open();
    for (const channel of ["wechat", "paypal", "constructor"])
      expect(codeOf(await ask(`POST /api/v1/payments/${channel}/notify`, {}))).toEqual([400, 40003]);
  });

  test.each([
    ["amount", { amount: 9_999 }],
    ["currency", { currency: "USD" }],
    ["account", { accounts: { app_id: "other" } }],
    ["channel", { channel: "stripe" }],
  ])("that differ in the %s put the order in review and credit nothing", async (field, change) => {
    const { ask, notify, trades, deps } = await open();
    const { id } = (await ask("POST /api/v1/recharges", recharge)).body;
    trades.alipay.pay(id);
    const answer = await notify("alipay", { ...trades.alipay.evidence(id, "alipay"), ...change });
    expect(answer.status).toBe(200);
    expect(await deps.orders.find(id)).toMatchObject({
      state: "review",
      doubt: { fields: expect.arrayContaining([field]) },
    });
    expect(deps.told.find(({ event }) => event === "order_review")?.fields.why).toContain(field);
    // Right evidence still pays it.
    await notify("alipay", trades.alipay.evidence(id, "alipay"));
    expect((await deps.orders.find(id))?.state).toBe("credited");
  });
});

test("a plan is quoted, ordered and bought", async () => {
  const { ask, notify, trades, codeOf } = await open();
  const quote = await ask("GET /api/v1/plans/quote?plan=lite&period=monthly");
  expect(quote.body).toMatchObject({ action: "buy", pay: "129.00", credit: "0.00", currency: "CNY" });
  const { body } = await ask("POST /api/v1/plan-orders", {
    plan: "lite",
    period: "monthly",
    channel: "alipay",
  });
  expect(body).toMatchObject({ kind: "plan", amount: "129.00", plan: { plan: "lite", action: "buy" } });
  trades.alipay.pay(body.id);
  await notify("alipay", trades.alipay.evidence(body.id, "alipay"));
  expect((await ask(`GET /api/v1/recharges/${body.id}`)).body).toMatchObject({
    state: "credited",
    booked_as: "plan",
  });
  for (const query of ["plan=free", "plan=gold", "plan=lite&period=daily", "period=monthly", "plan=lite&x=1"])
    expect(codeOf(await ask(`GET /api/v1/plans/quote?${query}`))).toEqual([400, 40000]);
});

test("a frozen organization orders nothing", async () => {
  const { ask, codeOf, organization } = await open();
  organization.status = "frozen";
  expect(codeOf(await ask("POST /api/v1/recharges", recharge))).toEqual([401, 40102]);
});

describe.each(roles)("as %s", (role) => {
  test.each(
    paymentRoutes
      .filter(({ access }) => access !== "public")
      .map((route) => [route.method, route.path, route.access] as const),
  )("%s %s needs %s", async (method, path, access) => {
    const { ask, codeOf, state } = await open();
    state.role = role;
    const may = role === "owner" || role === "finance";
    const [, code] = codeOf(
      await ask(
        `${method} ${path.replace("{id}", newId("order", morning))}`,
        method === "POST" ? {} : undefined,
      ),
    );
    expect([access, code === 40300]).toEqual([access, !may]);
  });
});
