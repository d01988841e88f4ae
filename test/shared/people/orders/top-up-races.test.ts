/**
 * Two passes, the reconciler and somebody who turns top-up off, in every order in which their actions can come, and with a
 * death at any action. Whatever happens, no second order is made, the month's most holds, and a card is not charged after
 * the answer to whoever turned it off. Without any of these rules this finds a run in which that is not so.
 */
import { expect, test } from "vitest";
import { reconcile } from "#shared/edges/jobs/reconcile.ts";
import { readText } from "#shared/edges/store/dynamodb/attributes.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { readOrder } from "#shared/edges/store/orders/order-item.ts";
import type { OrderDeps } from "#shared/people/orders/deps.ts";
import { lookAt } from "#shared/people/orders/tend.ts";
import { topUpIfLow } from "#shared/people/orders/top-up.ts";
import { endOpenOrder, turnOff } from "#shared/people/orders/top-up-terms.ts";
import { isBooked } from "#shared/people/payments/states.ts";
import { awsOver, awsOverMemory } from "#test/support/aws-over.ts";
import { type Act, type Agent, everyState, type Found, type Try } from "#test/support/every-state.ts";
import { createMemoryDynamoDb } from "#test/support/memory-dynamodb.ts";
import { catalog, morning, orderDeps } from "#test/support/orders.ts";
import { openTopUp, topUpTerms } from "#test/support/top-ups.ts";
import { platformOver, Trades } from "#test/support/trades.ts";

type Name = "pass" | "charge" | "off";
/** A rule taken away, around the ports. */
type RaceMutant = (deps: OrderDeps) => Partial<OrderDeps>;

/** When the reconciler runs after everybody has gone. */
const laterMs = [1, 2, 16, 18, 32, 34, 48, 95, 160, 1_600].map((minutes) => minutes * 60_000);

/** An organization whose month has room for one order; with `isMade` that order is there, and nobody has charged it. */
async function beginning(isMade: boolean) {
  const db = createMemoryDynamoDb({ now: () => morning });
  const quiet = { aws: awsOverMemory(db), tables: db.tables };
  const desk = await openTopUp(quiet, { ...topUpTerms, month_max: 1_500 });
  const order = isMade ? await desk.pass() : undefined;
  const tables = ["keys", "counters", "ledger", "accounts"] as const;
  const items = tables.flatMap((table) => db.items(table).map((item) => [table, item] as const));
  const { organization, trades } = desk;
  return { items, organization, order, cards: trades.cards };
}

function scene(
  names: Name[],
  {
    isMade = false,
    mortal = false,
    mutant = () => ({}),
  }: { isMade?: boolean; mortal?: boolean; mutant?: RaceMutant } = {},
): () => Promise<Try> {
  const begun = beginning(isMade);
  return async () => {
    const { items, organization, order, cards } = await begun;
    const clock = { now: morning };
    const db = createMemoryDynamoDb({ now: () => clock.now });
    for (const [table, Item] of items) db.act("PutItem", { TableName: table, Item });
    const trades = new Trades(() => clock.now);
    for (const [customer, own] of cards) trades.cards.set(customer, own);
    /** What was charged when the answer to whoever turned it off was written, and whether it named an order. */
    const state: { answered?: { charged: number; order: string | undefined } } = {};
    const charged = () => [...trades.trades.values()].filter(({ state: of }) => of === "paid").length;
    const depsOf = (act: Act) => {
      const aws = awsOver(async (_, action, body) => {
        const { ClientRequestToken: _token, ...input } = JSON.parse(body) as Record<string, unknown>;
        // Nobody writes an organization or a call here, so when they are read makes no difference.
        if (action === "GetItem" && input.TableName === "keys") return db.act(action, input);
        return act(action, () => db.act(action, input));
      });
      const ports = orderDeps({ aws, tables: db.tables }, { stripe: trades }, clock);
      const platform = platformOver(trades, "stripe", act);
      const own = {
        ...ports,
        platforms: { channels: async () => ["stripe"] as const, platform: async () => platform },
      };
      return { ...own, ...mutant(own), recharge: catalog.recharge };
    };
    const by = { organization: organization.id, user: { id: "usr_1", name: "Li" }, ip: null };
    const runs: Record<Name, (act: Act) => Promise<unknown>> = {
      pass: (act) => topUpIfLow(organization, 0n, depsOf(act)),
      charge: async (act) => order && (await lookAt(order, "reconciler", depsOf(act))),
      off: async (act) => {
        const deps = depsOf(act);
        const off = await endOpenOrder(await turnOff(by, {}, deps), deps);
        await act("answers", () => (state.answered = { charged: charged(), order: off.order }));
      },
    };
    // The ids of lines are made by chance, and nobody here reads one.
    const kept = () => db.items("accounts").filter(({ pk }) => !readText(pk).startsWith("G#"));
    const digest = () => JSON.stringify([kept(), db.items("ledger"), [...trades.trades], state]);
    return {
      agents: names.map((name): Agent => ({ name, run: runs[name], ...(mortal && { mortal }) })),
      digest,
      async check() {
        const alone: Act = async (_, run) => run();
        for (const wait of laterMs) {
          clock.now = morning + wait;
          await reconcile(depsOf(alone));
        }
        const orders = db
          .items("accounts")
          .filter(({ pk, sk }) => readText(pk).startsWith("R#") && readText(sk) === "-")
          .map(readOrder);
        const booked = orders.filter(isBooked).length;
        if (orders.length > 1) throw new Error(`${orders.length} orders`);
        if (charged() !== booked) throw new Error(`${charged()} were charged, and ${booked} are booked`);
        const { answered } = state;
        if (answered && answered.order === undefined && charged() > answered.charged)
          throw new Error("charged after it was turned off");
        const { topUps } = depsOf(alone);
        const used = await topUps.used(organization.id, "2026-11", "USD");
        if (used !== 1_000 * booked) throw new Error(`the month counts ${used} of ${booked} orders`);
        const left = await createMeters(awsOverMemory(db), db.tables).balance(
          organization.wallet?.meter ?? "",
        );
        if (left !== BigInt(booked) * 70n * 10n ** 18n) throw new Error(`the wallet has ${left}`);
        if ((await topUps.of(organization.id)).order !== undefined) throw new Error("the place is not free");
      },
    };
  };
}

const told = ({ failure }: Found) => failure && [...failure.steps, String(failure.error)].join("\n");

test.each<[Name[], boolean]>([
  [["pass", "pass"], false],
  [["pass", "off"], false],
  [["pass", "pass", "off"], false],
  [["charge", "charge"], true],
  [["charge", "off"], true],
])("%s do no harm, with an order that is there: %s", async (names, isMade) => {
  const found = await everyState(scene(names, { isMade }));
  expect(told(found)).toBeUndefined();
  expect(found.states).toBeGreaterThan(15);
});

test.each<[Name[], boolean]>([
  [["pass", "pass"], false],
  [["charge", "off"], true],
])("one of %s dies at any action", async (names, isMade) => {
  const found = await everyState(scene(names, { isMade, mortal: true }));
  expect(told(found)).toBeUndefined();
  expect(found.states).toBeGreaterThan(15);
});

const mutants: Record<string, RaceMutant> = {
  "closes without its platform": ({ platforms }) => ({
    platforms: {
      ...platforms,
      platform: async (channel) => ({ ...(await platforms.platform(channel)), close: async () => "closed" }),
    },
  }),
  "makes orders by settings that were changed": ({ topUps }) => ({
    topUps: {
      ...topUps,
      async order({ organization, terms }, ...made) {
        const { order: _open, ...now } = await topUps.of(organization);
        const free = { ...now, terms: { ...terms, month_max: 1e6 }, card: now.card };
        await topUps.change(await topUps.of(organization), now, { lines: [] });
        return await topUps.order({ ...free, revision: now.revision + 1 } as never, ...made);
      },
    },
  }),
  "forgets to give back what closed": ({ topUps }) => ({
    topUps: { ...topUps, change: (before, after, { lines }) => topUps.change(before, after, { lines }) },
  }),
};

test.each(Object.keys(mutants))("a product that %s is found out", async (name) => {
  const mutant = mutants[name];
  if (!mutant) throw new Error("no mutant");
  const results = [
    await everyState(scene(["pass", "pass"], { mutant })),
    await everyState(scene(["charge", "off"], { isMade: true, mutant })),
  ];
  expect(results.some(({ failure }) => failure)).toBe(true);
});
