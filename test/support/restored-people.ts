/** People and orders of a stage that is restored, with a payment platform that is played. */

import { newId } from "#shared/base/platform/id.ts";
import type { Organization } from "#shared/books/accounts/account.ts";
import { reconcile } from "#shared/edges/jobs/reconcile.ts";
import { contactKey, openOrdersKey, sessionKey, userKey } from "#shared/edges/store/dynamodb/account-keys.ts";
import { type Item, toItem } from "#shared/edges/store/dynamodb/attributes.ts";
import { transact } from "#shared/edges/store/dynamodb/transaction.ts";
import { membershipWrites } from "#shared/edges/store/identity/membership.ts";
import type { Membership, Role, User } from "#shared/people/identity/user.ts";
import type { Order } from "#shared/people/payments/order.ts";
import { orderDeps, pendingOrder, signedUp } from "./orders.ts";
import { sources } from "./restorable.ts";
import { openStory, restoredTables } from "./restored-story.ts";
import { Trades } from "./trades.ts";

export const minute = 60_000;

/** A stage with people, and an organization that has signed up. */
export async function openPeople() {
  const story = await openStory();
  const { aws } = story.stage;
  const trades = new Trades(story.now);
  const clock = Object.defineProperty({ now: 0 }, "now", { get: story.now });
  const on = (tables: typeof restoredTables) =>
    orderDeps({ aws, tables: { ...sources, ...tables } } as never, { alipay: trades }, clock);
  const put = (Item: Item) => aws("dynamodb", "PutItem", { TableName: sources.accounts, Item });
  const organization = await signedUp({ aws, tables: sources } as never, story.now());

  async function join(role: Role, of: Organization = organization): Promise<Membership> {
    const user: User = {
      ...{ id: newId("user", story.now()), name: role, locale: "en", status: "active" },
      ...{ phone_last_four: "0001", phone_box: "box", phone_version: 1 },
      ...{ organization: of.id, created_at: story.now() },
    };
    const membership = { user: user.id, organization: of.id, role, since: story.now() };
    await put({ ...userKey(user.id), ...toItem(user) });
    await put({ ...contactKey(user.id), ...toItem({ user: user.id }) });
    await transact(aws, membershipWrites(sources, membership));
    return membership;
  }

  async function signIn({ user, organization: of }: Membership): Promise<string> {
    const id = newId("session", story.now());
    const session = { id, user, organization: of, generation: 1, refreshed_at: story.now(), ip: "::1" };
    const fields = { ...session, created_at: story.now(), label: "", ended_at: null };
    await put({ ...sessionKey(user, id), ...toItem(fields) });
    return id;
  }

  const deps = on(sources);
  return {
    ...{ story, aws, trades, organization, deps, restored: on(restoredTables), join, signIn, put },
    /** An order that is paid, or waits. The reconciler looks at it a minute later. */
    async order(change: Partial<Order> & { pays?: boolean } = {}): Promise<Order> {
      const { pays = true, ...facts } = change;
      const order = await pendingOrder(organization.id, deps, facts);
      if (pays) trades.settle(order.id);
      story.step(minute);
      await reconcile(deps);
      return order;
    },
    /** How many orders wait for their customer, as the restored table counts them. */
    async openOrders(): Promise<number> {
      const Key = openOrdersKey(organization.id);
      const { Item } = await aws("dynamodb", "GetItem", { TableName: restoredTables.accounts, Key });
      return Number(Item?.open?.N);
    },
    stateOf: async (id: string, of = deps) => (await of.orders.find(id))?.state,
  };
}

type People = Awaited<ReturnType<typeof openPeople>>;

/** What the organization has, as one set of tables knows it: its orders, its entries and its wallet. */
export async function booksOf(
  { orders, ledger, accounts }: People["deps"],
  { organization }: People,
  meters: People["story"]["stores"]["meters"],
) {
  const { orders: own } = await orders.list(organization.id, { limit: 50 });
  const entries = await Array.fromAsync((ledger as People["story"]["stores"]["ledger"]).everyEntry());
  const { subscription, wallet } = (await accounts.organization(organization.id)) ?? organization;
  return {
    orders: own.map(({ id, state, refunded = 0 }) => `${id} ${state} ${refunded}`),
    entries: entries.map(({ id, debit, credit, points }) => `${id} ${debit} ${credit} ${points}`).sort(),
    plan: subscription?.plan,
    balance: await meters.balance(wallet?.meter ?? ""),
  };
}
