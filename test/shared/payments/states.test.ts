/** Every state with every trigger: what payments/README.md "States" does not name is not possible. */
import { expect, test } from "vitest";
import { orderStates } from "#shared/payments/order.ts";
import { isBooked, isOpen, moves, refundTrigger, stateAfter, type Trigger } from "#shared/payments/states.ts";

/** The table of payments/README.md "States", by hand. */
const table: Record<Trigger, [from: string, to: string]> = {
  opened: ["created", "pending"],
  ended: ["created pending", "closing"],
  closed: ["closing", "closed"],
  paid: ["created pending closing closed review", "paid"],
  doubted: ["created pending closing closed", "review"],
  dismissed: ["review", "closed"],
  credited: ["paid", "credited"],
  refund_taken: ["credited partly_refunded", "refunding"],
  refunded_in_part: ["refunding", "partly_refunded"],
  refunded: ["refunding", "refunded"],
  refund_refused: ["refunding", "credited"],
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

test("what is booked stays booked", () => {
  for (const { from, to } of Object.values(moves)) if (from.some(isBooked)) expect(isBooked(to)).toBe(true);
});

test("a refund ends by what is left of the order", () => {
  const paid = { transaction: "t", amount: 100, currency: "CNY", at: 0, via: "notice" } as const;
  expect(refundTrigger({ paid }, 100, "done")).toBe("refunded");
  expect(refundTrigger({ paid, refunded: 60 }, 40, "done")).toBe("refunded");
  expect(refundTrigger({ paid }, 99, "done")).toBe("refunded_in_part");
  expect(refundTrigger({ paid }, 100, "refused")).toBe("refund_refused");
  expect(refundTrigger({ paid, refunded: 1 }, 99, "refused")).toBe("refunded_in_part");
});
