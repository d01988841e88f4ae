/** Every state with every trigger: what people/payments/README.md "States" does not name is not possible. */
import { expect, test } from "vitest";
import { orderStates } from "#shared/people/payments/order.ts";
import {
  isAwaited,
  isOpen,
  leftOf,
  moves,
  refundTrigger,
  stateAfter,
  type Trigger,
} from "#shared/people/payments/states.ts";

/** The table of people/payments/README.md "States", by hand. */
const table: Record<Trigger, [from: string, to: string]> = {
  opened: ["created", "pending"],
  ended: ["created pending", "closing"],
  closed: ["closing", "closed"],
  paid: ["created pending closing closed review", "paid"],
  doubted: ["created pending closing closed", "review"],
  dismissed: ["review", "closed"],
  returned: ["credited partly_refunded review", "review"],
  seen: ["review", "credited"],
  seen_in_part: ["review", "partly_refunded"],
  credited: ["paid", "credited"],
  refund_taken: ["credited partly_refunded", "refunding"],
  refunded_in_part: ["refunding", "partly_refunded"],
  refunded: ["refunding", "refunded"],
  refund_refused: ["refunding", "credited"],
  points_back: ["credited", "refunded"],
  points_back_in_part: ["credited", "partly_refunded"],
};

test.each(orderStates)("%s is left as the table says, and in no other way", (state) => {
  for (const trigger of Object.keys(moves) as Trigger[]) {
    const [from, to] = table[trigger];
    const wanted = from.split(" ").includes(state) ? to : undefined;
    expect([trigger, stateAfter(state, trigger)]).toEqual([trigger, wanted]);
  }
});

test("nothing leads back to a state in which a customer can pay", () => {
  for (const [trigger, { from, to }] of Object.entries(moves))
    if (isOpen(to)) expect([trigger, from.every(isOpen)]).toEqual([trigger, true]);
});

test("what is booked is never waited for again, but for its refund", () => {
  const booked = ["credited", "refunding", "partly_refunded", "refunded"] as const;
  for (const { from, to } of Object.values(moves))
    if (from.some((state) => booked.some((each) => each === state)))
      expect([to, to === "review" || booked.some((each) => each === to)]).toEqual([to, true]);
  expect(orderStates.filter(isAwaited)).toEqual(["created", "pending", "closing", "paid", "refunding"]);
});

test("what is left of a payment is neither paid back by us nor by its platform", () => {
  const paid = { transaction: "t", amount: 100, currency: "CNY", at: 0, via: "notice" } as const;
  expect(leftOf({})).toBe(0);
  expect(leftOf({ paid, refunded: 30, returned: 20 })).toBe(50);
  expect(leftOf({ paid, refunded: 30, returned: 80 })).toBe(0);
  expect(refundTrigger({ paid, returned: 40 }, 60, "done")).toBe("refunded");
});

test("a refund ends by what is left of the order", () => {
  const paid = { transaction: "t", amount: 100, currency: "CNY", at: 0, via: "notice" } as const;
  expect(refundTrigger({ paid }, 100, "done")).toBe("refunded");
  expect(refundTrigger({ paid, refunded: 60 }, 40, "done")).toBe("refunded");
  expect(refundTrigger({ paid }, 99, "done")).toBe("refunded_in_part");
  expect(refundTrigger({ paid }, 100, "refused")).toBe("refund_refused");
  expect(refundTrigger({ paid, refunded: 1 }, 99, "refused")).toBe("refunded_in_part");
});
