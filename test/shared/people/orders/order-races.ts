/** One order with everybody who acts on it, as `everyState` runs them. */
import { formatPoints } from "#shared/books/billing/points.ts";
import { reconcile } from "#shared/edges/jobs/reconcile.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import type { OrderDeps } from "#shared/people/orders/deps.ts";
import { takeNotice } from "#shared/people/orders/notice.ts";
import { endUnwanted, lookAt } from "#shared/people/orders/tend.ts";
import type { Orders } from "#shared/people/payments/orders.ts";
import type { PaymentPlatform } from "#shared/people/payments/platform.ts";
import { awsOver, awsOverMemory } from "../../../support/aws-over.ts";
import type { Act, Agent, Try } from "../../../support/every-state.ts";
import { createMemoryDynamoDb } from "../../../support/memory-dynamodb.ts";
import { morning, orderDeps, pendingOrder, signedUp } from "../../../support/orders.ts";
import { platformOver, Trades } from "../../../support/trades.ts";

/** A rule taken away: around the ports, never in the product. */
export interface Mutant {
  platform?(inner: PaymentPlatform): Partial<PaymentPlatform>;
  orders?(inner: Orders): Partial<Orders>;
}

const minute = 60_000;
/** When the reconciler runs after everybody has gone. */
export const later = [1, 2, 4, 8, 15, 16, 18, 22, 31, 32, 40, 48, 64, 95, 128, 180, 1_600, 1_640, 1_700].map(
  (minutes) => minutes * minute,
);

export interface Scene {
  /** Whether the platform knows of the order before its code is scanned. */
  scansFirst: boolean;
  agents: ("payer" | "notice" | "page" | "close" | "reconciler")[];
  mortal?: true;
  mutant?: Mutant;
}

/** Everything new for each try. */
export function scene({ scansFirst, agents, mortal, mutant = {} }: Scene): () => Promise<Try> {
  const begun = beginning();
  return async () => {
    const { items, organization, order } = await begun;
    const clock = { now: morning };
    const db = createMemoryDynamoDb({ now: () => clock.now });
    for (const [table, Item] of items) db.act("PutItem", { TableName: table, Item });
    const trades = new Trades(() => clock.now, scansFirst);
    trades.open(order);
    const quiet = { aws: awsOverMemory(db), tables: db.tables };
    const setUp = orderDeps(quiet, { alipay: trades }, clock);
    /** The ports of one agent, whose every action waits for its turn. */
    const depsOf = (act: Act): OrderDeps => {
      const aws = awsOver(async (_, action, body) => {
        const { ClientRequestToken: _token, ...input } = JSON.parse(body) as Record<string, unknown>;
        // Nobody writes an organization here, so when it is read makes no difference.
        if (action === "GetItem" && input.TableName === "keys") return db.act(action, input);
        return act(action, () => db.act(action, input));
      });
      const ports = orderDeps({ aws, tables: db.tables }, { alipay: trades }, clock);
      const platform = platformOver(trades, "alipay", act);
      const mutated = { ...platform, ...mutant.platform?.(platform) };
      return {
        ...ports,
        orders: { ...ports.orders, ...mutant.orders?.(ports.orders) },
        platforms: { channels: async () => ["alipay"], platform: async () => mutated },
      };
    };
    const runs: Record<Scene["agents"][number], (act: Act) => Promise<unknown>> = {
      // A bank takes its time: a payment that has begun arrives although the platform has closed the order meanwhile.
      payer: async (act) => {
        if (await act("begins to pay", () => trades.isPayable(order.id)))
          await act("has paid", () => trades.settle(order.id));
      },
      // Before the payment there is nothing to be told of; that is also the run in which the call is lost.
      notice: async (act) => {
        if (await act("is told", () => trades.isPaid(order.id)))
          await takeNotice(trades.evidence(order.id, "alipay"), depsOf(act));
      },
      page: (act) => lookAt(order, "page", depsOf(act)),
      close: (act) => endUnwanted(order, "page", depsOf(act)),
      reconciler: (act) => lookAt(order, "reconciler", depsOf(act)),
    };
    return {
      agents: agents.map(
        (name): Agent => ({
          name,
          run: runs[name],
          ...(mortal && name !== "payer" && { mortal }),
        }),
      ),
      digest: () => JSON.stringify([db.items("accounts"), db.items("ledger"), [...trades.trades]]),
      async check() {
        const act: Act = async (_, run) => run();
        for (const wait of later) {
          clock.now = morning + wait;
          await reconcile(depsOf(act));
        }
        const after = await setUp.orders.find(order.id);
        const balance = await createMeters(quiet.aws, quiet.tables).balance(organization.wallet?.meter ?? "");
        const found = `${after?.state} ${formatPoints(balance)}`;
        const wanted = trades.isPaid(order.id) ? "credited 100" : "closed 0";
        if (found !== wanted) throw new Error(`${found}, not ${wanted}`);
      },
    };
  };
}

/** A pending order and all items of its database. */
async function beginning() {
  const db = createMemoryDynamoDb({ now: () => morning });
  const trades = new Trades(() => morning);
  const quiet = { aws: awsOverMemory(db), tables: db.tables };
  const organization = await signedUp(quiet, morning - minute);
  const order = await pendingOrder(organization.id, orderDeps(quiet, { alipay: trades }, { now: morning }));
  const tables = ["keys", "counters", "ledger", "accounts"] as const;
  const items = tables.flatMap((table) => db.items(table).map((item) => [table, item] as const));
  return { items, organization, order };
}
