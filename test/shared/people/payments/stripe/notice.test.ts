/** Calls of Stripe, and calls that are not Stripe's or not about us. 50004 is what their sender gets. */
import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import type { NoticeRequest } from "#shared/people/payments/platform.ts";
import { accountsAt, at, read, refusal } from "#test/support/signed-notices.ts";

const session = {
  id: "cs_1",
  object: "checkout.session",
  client_reference_id: "ord_1",
  metadata: { order: "ord_1" },
  livemode: false,
  status: "complete",
  payment_status: "paid",
  payment_intent: "pi_1",
  amount_total: 10_000,
  currency: "usd",
};
const event = {
  id: "evt_1",
  object: "event",
  created: at / 1000,
  livemode: false,
  type: "checkout.session.completed",
  data: { object: session },
};

const notice = (content: object = event, { secret = "whsec_1", seconds = at / 1000 } = {}): NoticeRequest => {
  const body = JSON.stringify(content);
  const signature = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex");
  return { headers: { "stripe-signature": `t=${seconds},v1=${signature}` }, body: Buffer.from(body) };
};

const ofSession = (changes: object, type = event.type) =>
  notice({ ...event, type, data: { object: { ...session, ...changes } } });

test("a genuine one is read", async () => {
  expect(await read("stripe", notice())).toEqual({
    channel: "stripe",
    order: "ord_1",
    accounts: await accountsAt("stripe"),
    state: "paid",
    transaction: "pi_1",
    amount: 10_000,
    currency: "USD",
    paid_at: at,
  });
});

test.each([
  ["without a signature", { ...notice(), headers: {} }, "no signature"],
  ["signed with another secret", notice(event, { secret: "whsec_2" }), "wrong signature"],
  ["signed with an empty secret", notice(event, { secret: "" }), "wrong signature"],
  ["that is 400 s old", notice(event, { seconds: at / 1000 - 400 }), "a time that is too far from ours"],
  ["with a changed body", { ...notice(), body: Buffer.from(`${notice().body} `) }, "wrong signature"],
  [
    "with a newer time",
    {
      ...notice(),
      headers: {
        "stripe-signature": String(notice(event, { seconds: 1 }).headers["stripe-signature"]).replace(
          "t=1",
          `t=${at / 1000}`,
        ),
      },
    },
    "wrong signature",
  ],
  ["with an empty body", { ...notice(), body: Buffer.alloc(0) }, "wrong signature"],
])("one %s is refused", async (_, forged, reason) => {
  expect(await refusal("stripe", forged)).toBe(reason);
});

const charge = {
  ...{ id: "ch_1", object: "charge", livemode: false, payment_intent: "pi_1", created: at / 1000 - 60 },
  ...{ amount: 10_000, currency: "usd", amount_refunded: 2_500, metadata: { order: "ord_1" } },
};

test("one about a charge of which something went back says how much in all", async () => {
  const refunded = (changes: object) =>
    read(
      "stripe",
      notice({ ...event, type: "charge.refunded", data: { object: { ...charge, ...changes } } }),
    );
  expect(await refunded({})).toEqual({
    channel: "stripe",
    order: "ord_1",
    accounts: await accountsAt("stripe"),
    state: "refunded",
    transaction: "pi_1",
    amount: 10_000,
    currency: "USD",
    refunded: 2_500,
    paid_at: at - 60_000,
  });
  expect(await refunded({ metadata: {} })).toBeNull();
  expect((await refunded({ livemode: true }))?.accounts).toEqual({ account: "own", mode: "live" });
});

test("one about a refund of ours that failed names the refund", async () => {
  const failed = (metadata: object, changes: object = {}) => {
    const object = { id: "re_1", object: "refund", status: "failed", payment_intent: "pi_1", metadata };
    return read("stripe", notice({ ...event, type: "refund.failed", data: { object }, ...changes }));
  };
  const ours = { order: "ord_1", refund: "rfd_1" };
  const told = { channel: "stripe", order: "ord_1", state: "refund_failed", refund: "rfd_1" };
  expect(await failed(ours)).toEqual({ ...told, accounts: await accountsAt("stripe") });
  expect((await failed(ours, { livemode: true }))?.accounts).toEqual({ account: "own", mode: "live" });
  expect((await failed(ours, { account: "acct_2" }))?.accounts).toEqual({ account: "acct_2", mode: "test" });
  expect(await failed({ order: "cart-7", refund: "rfd_1" })).toBeNull();
  expect(await failed({})).toBeNull();
});

test.each([
  ["of another mode", ofSession({ livemode: true }), { account: "own", mode: "live" }],
  ["of another account", notice({ ...event, account: "acct_2" }), { account: "acct_2", mode: "test" }],
])("one %s names it, so that it credits nothing", async (_, foreign, accounts) => {
  expect((await read("stripe", foreign))?.accounts).toEqual(accounts);
  expect(await accountsAt("stripe")).not.toEqual(accounts);
});

test.each([
  ["a session that waits for a bank", ofSession({ payment_status: "unpaid" }), "pending"],
  ["a bank's yes", ofSession({}, "checkout.session.async_payment_succeeded"), "paid"],
  [
    "a bank's no",
    ofSession({ payment_status: "unpaid" }, "checkout.session.async_payment_failed"),
    "pending",
  ],
  [
    "a session that ended",
    ofSession({ payment_status: "unpaid", status: "expired" }, "checkout.session.expired"),
    "closed",
  ],
  ["a session that cost nothing", ofSession({ payment_status: "no_payment_required" }), "pending"],
])("%s is understood", async (_, told, state) => {
  expect(await read("stripe", told)).toMatchObject({ state, order: "ord_1" });
});

test.each([
  ["about something else", notice({ ...event, type: "customer.created" })],
  ["about a session without an order", ofSession({ metadata: {} })],
  ["about an order of another program", ofSession({ metadata: { order: "cart-7" } })],
  // Whoever opens a payment link chooses this field, and so could pay an order with the money of something else.
  ["about a payment link that names our order", ofSession({ metadata: null })],
])("one %s is accepted, and is about no payment of ours", async (_, told) => {
  expect(await read("stripe", told)).toBeNull();
});

test("the charge of a saved card is told by its payment", async () => {
  const intent = {
    ...{ id: "pi_2", object: "payment_intent", livemode: false, status: "succeeded", currency: "usd" },
    ...{ amount: 2_000, amount_received: 2_000, metadata: { order: "ord_2" }, latest_charge: "ch_2" },
  };
  const told = notice({ ...event, type: "payment_intent.succeeded", data: { object: intent } });
  expect(await read("stripe", told)).toEqual({
    ...{ channel: "stripe", order: "ord_2", accounts: await accountsAt("stripe"), state: "paid" },
    ...{ transaction: "pi_2", amount: 2_000, currency: "USD", paid_at: at },
  });
});

test("a page that saves a card says nothing of an order, and its call is accepted", async () => {
  const page = { ...session, mode: "setup", payment_intent: null, metadata: { organization: "org_1" } };
  expect(await read("stripe", notice({ ...event, data: { object: page } }))).toBeNull();
});
