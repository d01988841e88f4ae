/** Which points are used first: examples, and random histories against a naive model that knows every single point. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { onePoint } from "#shared/books/billing/points.ts";
import { creditEntry } from "#shared/books/ledger/credit.ts";
import type { CreditKind, Entry } from "#shared/books/ledger/ledger.ts";
import { lotsOf, type Movement } from "#shared/books/ledger/points-used.ts";

let clock = 0;

function credit(kind: CreditKind, n: number, reference: string, of?: string): Entry {
  const points = BigInt(n) * onePoint;
  const common = { organization: "org_1", meter: "mtr_1", at: ++clock };
  const account = kind === "plan" ? {} : { account: "cash:alipay" };
  return creditEntry({ ...common, ...account, points, kind, reference, ...(of && { of }) });
}

const used = (n: number) => BigInt(n) * onePoint;
const left = (movements: Movement[]) =>
  Object.fromEntries(lotsOf(movements).map((lot) => [lot.reference, Number(lot.left / onePoint)]));

test("points that were bought and used are not there again because of promotional ones", () => {
  const history = [credit("bought", 10, "order.a"), used(10), credit("promotional", 10, "gift")];
  expect(left(history)).toEqual({ "order.a": 0, gift: 10 });
});

test("promotional points are used first, and then the oldest bought ones", () => {
  const bought = [
    credit("bought", 10, "order.a"),
    credit("bought", 10, "order.b"),
    credit("promotional", 5, "gift"),
  ];
  expect(left([...bought, used(4)])).toEqual({ "order.a": 10, "order.b": 10, gift: 1 });
  expect(left([...bought, used(8)])).toEqual({ "order.a": 7, "order.b": 10, gift: 0 });
  expect(left([...bought, used(17)])).toEqual({ "order.a": 0, "order.b": 8, gift: 0 });
});

test("a refund takes the points of its own order, and they come back where it is refused", () => {
  const bought = [credit("bought", 10, "order.a"), credit("bought", 10, "order.b")];
  const refund = credit("refund", -6, "refund.r", "order.b");
  expect(left([...bought, refund])).toEqual({ "order.a": 10, "order.b": 4 });
  expect(left([...bought, refund, credit("adjustment", 6, "refund.r.back")])).toEqual({
    "order.a": 10,
    "order.b": 10,
  });
});

test("a refund that names no order takes bought points, the oldest first", () => {
  const bought = [credit("bought", 5, "a"), credit("bought", 5, "b"), credit("promotional", 5, "gift")];
  expect(left([...bought, credit("refund", -7, "by-hand")])).toEqual({ a: 0, b: 3, gift: 5 });
});

test("a plan uses points as calls do, and what comes back of it goes to those that it took last", () => {
  const history = [
    credit("promotional", 5, "gift"),
    credit("bought", 10, "order.a"),
    credit("plan", -8, "order.p"),
  ];
  expect(left(history)).toEqual({ gift: 0, "order.a": 7 });
  expect(left([...history, credit("plan", 2, "refund.r", "order.p")])).toEqual({ gift: 0, "order.a": 9 });
  expect(left([...history, credit("plan", 8, "refund.r", "order.p")])).toEqual({ gift: 5, "order.a": 10 });
});

test("what comes back is used at once where calls have used more than there was", () => {
  const history = [credit("bought", 10, "order.a"), credit("refund", -10, "refund.r", "order.a"), used(3)];
  expect(left([...history, credit("adjustment", 10, "refund.r.back")])).toEqual({ "order.a": 7 });
});

test("what was charged wrongly goes back to the points that were used last", () => {
  const history = [credit("promotional", 5, "gift"), credit("bought", 10, "order.a"), used(8)];
  expect(left([...history, credit("adjustment", 2, "wrong")])).toEqual({ gift: 0, "order.a": 9 });
  expect(left([...history, credit("adjustment", 9, "wrong")])).toEqual({ gift: 5, "order.a": 10, wrong: 1 });
});

test("what calls have used beyond the wallet is taken from the next credit", () => {
  const history = [credit("bought", 2, "order.a"), used(5)];
  expect(left([...history, credit("bought", 10, "order.b")])).toEqual({ "order.a": 0, "order.b": 7 });
});

/** A point of the naive model. */
interface Token {
  reference: string;
  isBought: boolean;
  state: "left" | "used" | "refunded";
  refund?: string;
  /** When it was taken. */
  taken?: number;
}

/** The model keeps every point, and looks for one at a time. */
function naive(movements: Movement[]): Record<string, number> {
  const tokens: Token[] = [];
  const found: string[] = [];
  let owed = 0;
  let taken = 0;
  const times = (n: bigint, act: () => void) => {
    for (let i = 0n; i < n / onePoint; i++) act();
  };
  const spend = (state: "used" | "refunded", wanted: ((token: Token) => boolean)[], refund = "") => {
    for (const isWanted of wanted) {
      const token = tokens.find((each) => each.state === "left" && isWanted(each));
      if (!token) continue;
      taken += 1;
      return void Object.assign(token, { state, refund, taken });
    }
    owed += 1;
  };
  const any = () => true;
  const bought = (token: Token) => token.isBought;
  const gift = (token: Token) => !token.isBought;
  const give = (reference: string, isBought: boolean) => {
    if (!found.includes(reference)) found.push(reference);
    const isOwed = owed > 0;
    if (isOwed) owed -= 1;
    tokens.push({ reference, isBought, state: isOwed ? "used" : "left" });
  };
  const comeBack = (reference: string) => {
    if (owed > 0) {
      owed -= 1;
      return;
    }
    const last = tokens.findLast((token) => token.state === "used" && token.isBought);
    const token = last ?? tokens.findLast((each) => each.state === "used");
    if (token) token.state = "left";
    else give(reference, false);
  };
  for (const movement of movements) {
    if (typeof movement === "bigint") {
      times(movement, () => spend("used", [gift, bought]));
      continue;
    }
    const reference = movement.id.slice("credit#".length);
    const points = BigInt(Math.round(Number(movement.points))) * onePoint;
    const out = movement.debit === "customer:org_1";
    if (movement.kind === "refund") {
      const own = (token: Token) => token.reference === movement.of;
      times(points, () => spend("refunded", [own, bought, any], reference));
    } else if (out && movement.kind === "payment")
      times(points, () => spend("refunded", [gift, bought], reference));
    else if (out) times(points, () => spend("used", [gift, bought]));
    else if (movement.kind === "bought" || movement.kind === "promotional") {
      if (!found.includes(reference)) found.push(reference);
      times(points, () => give(reference, movement.kind === "bought"));
    } else if (reference.endsWith(".back") || movement.of !== undefined) {
      const refund = movement.of ?? reference.slice(0, -".back".length);
      times(points, () => {
        const own = tokens.filter((each) => each.state === "refunded" && each.refund === refund);
        const token = own.toSorted((one, other) => (other.taken ?? 0) - (one.taken ?? 0))[0];
        if (token) token.state = "left";
        else owed -= 1;
      });
      for (; owed > 0 && tokens.some(({ state }) => state === "left"); owed -= 1)
        spend("used", [gift, bought]);
    } else times(points, () => comeBack(reference));
  }
  const count = (reference: string) =>
    tokens.filter((token) => token.reference === reference && token.state === "left").length;
  return Object.fromEntries(found.map((reference) => [reference, count(reference)]));
}

const step = fc.record({
  what: fc.constantFrom(
    "bought",
    "bought",
    "promotional",
    "use",
    "use",
    "use",
    "refund",
    "back",
    "plan",
    "plan back",
    "adjust",
    "take",
  ),
  n: fc.integer({ min: 1, max: 12 }),
  pick: fc.nat({ max: 20 }),
});

/** A history as the wallet allows it: what is refunded or taken is there, and calls use at most a little more. */
function historyOf(steps: { what: string; n: number; pick: number }[]): Movement[] {
  const movements: Movement[] = [];
  const orders: string[] = [];
  const refunds: { reference: string; n: number }[] = [];
  const plans: { reference: string; n: number }[] = [];
  let free = 0;
  for (const [index, { what, n, pick }] of steps.entries()) {
    const take = Math.max(0, Math.min(n, free));
    if (what === "bought") {
      orders.push(`order.${index}`);
      movements.push(credit("bought", n, `order.${index}`));
      free += n;
    } else if (what === "promotional" || what === "adjust") {
      movements.push(credit(what === "adjust" ? "adjustment" : "promotional", n, `credit.${index}`));
      free += n;
    } else if (what === "use") {
      const most = pick === 0 ? n : take;
      movements.push(used(most));
      free -= most;
    } else if (what === "back") {
      const refund = refunds.shift();
      if (!refund) continue;
      movements.push(credit("adjustment", refund.n, `${refund.reference}.back`));
      free += refund.n;
    } else if (what === "plan back") {
      const plan = plans.shift();
      if (!plan) continue;
      const part = Math.min(plan.n, n);
      movements.push(credit("plan", part, `refund.${index}`, plan.reference));
      free += part;
    } else if (what === "plan" && take > 0) {
      movements.push(credit("plan", -take, `order.p${index}`));
      plans.push({ reference: `order.p${index}`, n: take });
      free -= take;
    } else if (take > 0) {
      const reference = what === "refund" ? `refund.${index}` : `taken.${index}`;
      const of = what === "refund" ? orders[pick % Math.max(1, orders.length)] : undefined;
      movements.push(credit(what === "refund" ? "refund" : "adjustment", -take, reference, of));
      if (what === "refund" && pick % 2 === 0) refunds.push({ reference, n: take });
      free -= take;
    }
  }
  return movements;
}

test("random histories leave what a model leaves that knows every point", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const movements = historyOf(steps);
      expect(left(movements)).toEqual(naive(movements));
    }),
    { numRuns: 500, seed: 26 },
  );
});
