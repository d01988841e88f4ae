/** Saved cards at Stripe's sandbox, by the code that is deployed: the page, a charge, declines, and whose card it is. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPaymentPlatform } from "#infra/local/sandbox/payment-platform/server.ts";
import type { CardKind, OpenSandbox } from "#infra/local/sandbox/payment-platform/trade.ts";
import { newId } from "#shared/base/platform/id.ts";
import type { ChargedOrder, PayableOrder, PaymentPlatform } from "#shared/people/payments/platform.ts";
import { createPaymentPlatforms } from "#shared/people/payments/platforms.ts";

let sandbox: OpenSandbox;
let platform: PaymentPlatform;

beforeAll(async () => {
  sandbox = await openPaymentPlatform({ notifyUrl: () => "http://127.0.0.1:9/" });
  const readSettings = async () => JSON.stringify(await sandbox.makeSettings());
  platform = await createPaymentPlatforms({ readSettings, log: () => {} }).platform("stripe");
});
afterAll(() => sandbox.stop());

const cards = () => {
  if (!platform.cards) throw new Error("Stripe keeps no cards");
  return platform.cards;
};

/** An organization that has saved a card. */
async function saved(kind: CardKind = "good") {
  const organization = newId("organization", Date.now());
  const page = await cards().openPage({ organization, customer: undefined, return_url: "https://c.test/" });
  const asked = { organization, customer: page.customer, reference: page.reference };
  expect(await cards().cardOf(asked)).toBe("open");
  sandbox.saveCard(page.url, kind);
  const card = await cards().cardOf(asked);
  if (typeof card === "string") throw new Error(card);
  return { asked, card };
}

/** An automatic order of that card. */
function orderOf({ card: { customer, method } }: Awaited<ReturnType<typeof saved>>): PayableOrder {
  const now = Date.now();
  return {
    ...{ id: newId("order", now), amount: 1_000, currency: "USD", subject: "70 points" },
    ...{ notify_url: "", return_url: "", created_at: now, expires_at: now + 900_000 },
    automatic: { customer, method },
  };
}

async function opened(order: PayableOrder): Promise<ChargedOrder> {
  const { reference = "", ...shown } = await platform.open(order);
  expect(shown).toEqual({});
  return { ...order, reference, automatic: order.automatic ?? { customer: "", method: "" } };
}

test("a page saves a card, of which people recognise brand, digits and end", async () => {
  const { card } = await saved();
  expect(card).toMatchObject({ brand: "visa", last_four: "4242", expires: "2030-08" });
  expect(Object.keys(card).sort()).toEqual(["brand", "customer", "expires", "last_four", "method"]);
});

test("a payment that is opened charges nothing, and is charged once however often somebody asks", async () => {
  const order = await opened(orderOf(await saved()));
  expect((await platform.query(order)).state).toBe("pending");
  const [one, other] = await Promise.all([cards().charge(order), cards().charge(order)]);
  const paid = {
    state: "paid",
    order: order.id,
    amount: 1_000,
    currency: "USD",
    transaction: order.reference,
  };
  for (const answer of [one, other, await cards().charge(order), await platform.query(order)])
    expect(answer).toMatchObject(paid);
  expect(await platform.close(order)).toBe("paid");
  expect(sandbox.trades().filter(({ order: id }) => id === order.id)).toHaveLength(1);
});

test("opening it again gives the same payment, and who lost its id finds it by customer and order", async () => {
  const wanted = orderOf(await saved());
  const order = await opened(wanted);
  expect(await opened(wanted)).toEqual(order);
  const { reference: _lost, ...unknown } = order;
  expect((await platform.query(unknown)).state).toBe("pending");
  expect(await platform.close(unknown)).toBe("closed");
  expect(await platform.query(order)).toMatchObject({ state: "closed" });
  expect(await cards().charge(order)).toMatchObject({ state: "closed" });
});

test("a payment that Stripe has never seen is absent", async () => {
  const order = orderOf(await saved());
  expect((await platform.query(order)).state).toBe("absent");
  expect(await platform.close(order)).toBe("absent");
});

test.each([
  ["busy", "try_again_later", true],
  ["poor", "insufficient_funds", false],
  ["asking", "authentication_required", false],
] as const)("a %s card says %s, now and later, and its payment is cancelled", async (kind, code, retry) => {
  const order = await opened(orderOf(await saved(kind)));
  const declined = { declined: { code, retry } };
  expect(await cards().charge(order)).toEqual(declined);
  expect(await cards().charge(order)).toEqual(declined);
  // Who asked for the charge may have died, so the close tells it too.
  expect(await platform.close(order)).toEqual(declined);
});

test("a refund of such an order is as of any", async () => {
  const order = await opened(orderOf(await saved()));
  await cards().charge(order);
  const refund = {
    id: newId("refund", Date.now()),
    transaction: order.reference,
    amount: 400,
    reason: "asked",
  };
  const request = { ...refund, order: { ...order, amount: 1_000, currency: "USD" } };
  expect(await platform.refund(request as Parameters<PaymentPlatform["refund"]>[0])).toBe("done");
  expect(await platform.query(order)).toMatchObject({ state: "refunded", refunded: 400 });
});

describe("of somebody else", () => {
  test("a page is no answer, whichever part of the question is another one's", async () => {
    const [one, other] = [await saved(), await saved()];
    for (const field of ["organization", "customer", "reference"] as const) {
      const asked = { ...one.asked, [field]: other.asked[field] };
      await expect(cards().cardOf(asked)).rejects.toThrow("The payment platform");
    }
  });

  test("a card is not charged, and its payment is not even opened", async () => {
    const [one, other] = [await saved(), await saved()];
    const stolen = { customer: one.card.customer, method: other.card.method };
    await expect(platform.open({ ...orderOf(one), automatic: stolen })).rejects.toThrow(
      "The payment platform",
    );
  });
});

test("a card that is removed is detached, may be removed again, and is charged no more", async () => {
  const own = await saved();
  const order = await opened(orderOf(own));
  await cards().detach(own.card.customer);
  await cards().detach(own.card.customer);
  await expect(cards().charge(order)).rejects.toThrow("The payment platform");
  expect(await platform.close(order)).toBe("closed");
});

describe("where Stripe has forgotten the customer", () => {
  const forgotten = async () => {
    const own = await saved();
    sandbox.forgetCustomer(own.card.customer);
    return own;
  };

  test("there is no card to remove, and a page makes another customer, the same each time", async () => {
    const { asked } = await forgotten();
    const { organization, customer } = asked;
    await cards().detach(customer);
    const again = () => cards().openPage({ organization, customer, return_url: "https://c.test/" });
    const [one, other] = [await again(), await again()];
    expect(one.customer).not.toBe(customer);
    expect(other.customer).toBe(one.customer);
  });

  test("a payment that was open is absent, so its order ends", async () => {
    const own = await saved();
    const order = await opened(orderOf(own));
    sandbox.forgetCustomer(own.card.customer);
    expect(await platform.close(order)).toBe("absent");
    await expect(cards().charge(order)).rejects.toThrow();
  });
});
