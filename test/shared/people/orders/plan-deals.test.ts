/**
 * All pairs and triples of open orders of plans, paid in every order and at every edge of time. What a naive model of paid
 * stretches says was promised is booked so; every other payment becomes points. Among them are deals that a page has shown
 * and that points pay for: what is another deal by then is refused.
 */
import { describe, expect, test } from "vitest";
import type { PlanChoice } from "#shared/books/accounts/account.ts";
import type { Order } from "#shared/people/payments/order.ts";
import {
  type DealState,
  givenAt,
  hourMs,
  moved,
  onFree,
  orderOf,
  owes,
  pay,
  payPoints,
  type Shown,
  shownAt,
  worthOfOrder,
} from "#test/shared/people/orders/plan-deals.ts";

const start = Date.parse("2026-11-10T08:00:00Z");
const dayMs = 24 * hourMs;

const [lite, pro, lites, pros]: PlanChoice[] = [
  { plan: "lite", period: "monthly" },
  { plan: "pro", period: "monthly" },
  { plan: "lite", period: "quarterly" },
  { plan: "pro", period: "quarterly" },
] as const;
const choices = [lite, pro, lites, pros] as PlanChoice[];

/** What the organization had bought before, one after the other. */
const histories: [name: string, bought: (PlanChoice | undefined)[]][] = [
  ["nothing", []],
  ["a month of lite", [lite]],
  ["a quarter of lite and another one", [lites, lites]],
  ["a month of lite, and then pro", [lite, pros]],
  ["a month of pro", [pro]],
];

/** When all orders are made, by the end of what is paid for. */
const instants: [name: string, at: (end: number) => number][] = [
  ["days before the end", () => start + 3 * dayMs],
  ["an hour and a moment before a month's end", () => Date.parse("2026-12-10T00:00:00Z") - hourMs - 1_000],
  ["after the end", (end) => end + 2 * dayMs],
];

/** The edges of time behind an instant: the ends of months, and the hour before them in which no upgrade is sold. */
function edges(from: number, end: number): number[] {
  const month = Date.parse("2026-12-10T00:00:00Z");
  const anew = new Date(from).setUTCHours(0, 0, 0, 0) + 31 * dayMs;
  const around = (at: number) => [at - hourMs, at - hourMs + 1, at - 1, at];
  const all = [from + 1_000, ...around(month), ...around(end), end + 1, anew - 1, anew];
  return [...new Set(all)].filter((at) => at > from).sort((one, other) => one - other);
}

async function afterHistory(bought: (PlanChoice | undefined)[]): Promise<DealState> {
  let state = onFree(start - 5 * dayMs);
  for (const [n, choice] of bought.entries()) {
    const at = start + n * 1_000;
    const order = await orderOf(state, choice ?? lite ?? { plan: "lite", period: "monthly" }, at);
    if (!order) throw new Error("not sold");
    state = (await pay(state, order, at)).state;
  }
  return state;
}

/** What a search has seen. States that are alike are followed once. */
interface Seen {
  payments: number;
  points: number;
  taken: number;
  refused: number;
  states: Set<string>;
}

/** Pays an order, and checks as what it is booked. */
async function payOrder(state: DealState, order: Order, { at, step }: Step, seen: Seen): Promise<DealState> {
  const { state: next, booked, wanted } = await pay(state, order, at);
  seen.payments += 1;
  if (booked === "points") seen.points += 1;
  if (booked !== wanted) throw new Error(`booked as ${booked}, and the model says ${wanted}:${step}`);
  if (moved(next) - moved(state) !== worthOfOrder(order)) throw new Error(`not booked once:${step}`);
  return next;
}

/** Pays a deal with points, and checks whether they are taken. */
async function payDeal(state: DealState, shown: Shown, { at, step }: Step, seen: Seen): Promise<DealState> {
  const { state: next, taken, wanted, points } = await payPoints(state, shown, at);
  if (taken) seen.taken += 1;
  else seen.refused += 1;
  if (taken !== wanted) throw new Error(`points are taken: ${taken}, and the model says ${wanted}:${step}`);
  if (moved(next) - moved(state) !== points) throw new Error(`not taken once:${step}`);
  return next;
}

interface Step {
  at: number;
  step: string;
}

/** Pays each of the orders that are left, at each instant from `times` on, and goes on from there. */
async function search(
  state: DealState,
  orders: readonly (Order | Shown)[],
  { times, depth, path }: { times: readonly number[]; depth: number; path: string },
  seen: Seen,
): Promise<void> {
  const known = `${depth} ${times[0]} ${JSON.stringify(state.subscription)}`;
  if (depth === 0 || seen.states.has(known)) return;
  seen.states.add(known);
  for (const order of orders) {
    for (const [index, at] of times.entries()) {
      const { plan, period, action } = order.plan ?? {};
      const step = `${path}\n${action} ${plan} ${period}, paid at ${new Date(at).toISOString()}`;
      const next =
        "deal" in order
          ? await payDeal(state, order, { at, step }, seen)
          : await payOrder(state, order, { at, step }, seen);
      if (owes(next) !== 0n) throw new Error(`${owes(next)} are owed:${step}`);
      for (const { from, to } of next.stretches) {
        for (const instant of [from, (from + to) / 2, to - 1, to]) {
          const [product, model] = instant < at ? ["", ""] : givenAt(next, instant);
          if (product !== model) throw new Error(`${product} runs at ${instant}, not ${model}:${step}`);
        }
      }
      await search(next, orders, { times: times.slice(index), depth: depth - 1, path: step }, seen);
    }
  }
}

describe.each(histories)("after %s", (_, bought) => {
  test.each(instants)(
    "orders that are made %s keep what they promise or become points",
    async (_, instant) => {
      const state = await afterHistory(bought);
      const end = state.stretches.at(-1)?.to ?? start;
      const now = instant(end);
      const made = await Promise.all(choices.map((choice) => orderOf(state, choice, now)));
      const shown = await Promise.all(
        [lite, pro, pros].map((choice) => choice && shownAt(state, choice, now)),
      );
      const orders = [...made, ...shown].flatMap((order) => order ?? []);
      const seen: Seen = { payments: 0, points: 0, taken: 0, refused: 0, states: new Set() };
      await search(state, orders, { times: edges(now, end), depth: 3, path: "" }, seen);
      expect(seen.payments).toBeGreaterThan(150);
      expect(seen.payments - seen.points).toBeGreaterThan(8);
      expect(seen.points).toBeGreaterThan(50);
      expect(seen.taken).toBeGreaterThan(5);
      expect(seen.refused).toBeGreaterThan(20);
    },
  );
});
