/** Orders on DynamoDB. Each move is one write, or one transaction with what follows from it. */
import { invalidRequest } from "../../../base/errors.ts";
import type { Aws } from "../../../base/platform/aws.ts";
import { isId } from "../../../base/platform/id.ts";
import type { Order } from "../../../people/payments/order.ts";
import type { ListPart, Orders } from "../../../people/payments/orders.ts";
import type { Trigger } from "../../../people/payments/states.ts";
import {
  accountPrefixes,
  orderKey,
  orderPlaceRange,
  organizationAccountKey,
  readOrderKey,
} from "../dynamodb/account-keys.ts";
import { readText, toAttribute } from "../dynamodb/attributes.ts";
import { dueItems } from "../dynamodb/due.ts";
import { absent, absentOrAtMost, begins, type Condition, equals } from "../dynamodb/expressions.ts";
import { single } from "../dynamodb/item-keys.ts";
import { changeItem, eachWhere, getAllItems, lastBetween } from "../dynamodb/items.ts";
import { transact, update } from "../dynamodb/transaction.ts";
import { createBookings } from "./bookings.ts";
import { createCreation } from "./creation.ts";
import {
  changeOf,
  createFind,
  dueKindOf,
  movedBy,
  noLongerOpen,
  type OrderTables,
  readOrder,
  withFacts,
} from "./order-item.ts";
import { createRefunds } from "./refunds.ts";

/** The orders of a table, and the ledger and wallets that they are booked in. */
export function createOrders(aws: Aws, tables: OrderTables): Orders {
  const table = tables.accounts;
  const find = createFind(aws, tables);

  return {
    find,
    ...createBookings(aws, tables, find),
    ...createRefunds(aws, tables),
    ...createCreation(aws, tables),

    list: (organization, page) => listOrders(aws, table, organization, page),

    async *every(state) {
      const when = [begins("pk", accountPrefixes.order), equals("sk", { S: single })];
      if (state) when.push(equals("state", { S: state }));
      for await (const item of eachWhere(aws, table, when)) yield readOrder(item);
    },

    async due({ kind, now, limit, newestFirst = false }) {
      const items = await dueItems(aws, table, { kind: dueKindOf(kind), now, limit, newestFirst });
      return items.map(({ pk }) => readOrderKey(readText(pk)));
    },

    async visit(order, { now, tries, due_at, gapMs }) {
      const facts = { asked_at: now, tries };
      const free = absentOrAtMost("asked_at", BigInt(now - gapMs));
      const when = [equals("state", toAttribute(order.state)), free];
      const done = await changeItem(aws, changeOf(table, order, facts, due_at, when));
      return done ? withFacts(order, facts) : undefined;
    },

    async move(order, trigger, facts, due_at) {
      const change = movedBy(order, trigger, facts);
      const own = changeOf(table, order, change, due_at, asRead(order, trigger));
      const others = noLongerOpen(table, order, change);
      const done =
        others.length === 0
          ? await changeItem(aws, own)
          : (await transact(aws, [own, ...others].map(update))) === null;
      return done ? withFacts(order, change) : undefined;
    },

    rest: (order, due_at) => changeItem(aws, changeOf(table, order, { tries: null }, due_at)),
  };
}

/**
 * What must be so that a move counts. What went back of a booked order was compared with its refunds, so these must be the
 * same too. A refund of ours may have come and gone since. The doubt must be the one that was read: more may have gone back.
 */
function asRead({ state, refunded, doubt }: Order, trigger: Trigger): Condition[] {
  const same = equals("state", toAttribute(state));
  if (!aboutReturned.has(trigger)) return [same];
  const asBefore = (name: string, value: unknown) =>
    value === undefined ? absent(name) : equals(name, toAttribute(value));
  return [same, asBefore("refunded", refunded), asBefore("doubt", doubt)];
}

/** The moves that go by what went back without us. */
const aboutReturned: ReadonlySet<Trigger> = new Set<Trigger>(["returned", "seen", "seen_in_part"]);

async function listOrders(
  aws: Aws,
  table: string,
  organization: string,
  { limit, ...part }: ListPart,
): Promise<{ orders: Order[]; more: boolean }> {
  const { after } = part;
  if (after !== undefined && !isId(after, "order"))
    throw invalidRequest("`after` must be the id of an order.");
  // Both ends of a range belong to it, so the order before the page is asked for too, and left out.
  const range = orderPlaceRange(part);
  const partition = readText(organizationAccountKey(organization).pk);
  const places = await lastBetween(aws, table, partition, range, limit + 2);
  const ids = places.map(({ sk }) => readOrderKey(readText(sk))).filter((id) => id !== after);
  const items = await getAllItems(
    aws,
    ids.slice(0, limit).map((id) => ({ table, key: orderKey(id) })),
  );
  return { orders: items.flatMap((item) => (item ? [readOrder(item)] : [])), more: ids.length > limit };
}
