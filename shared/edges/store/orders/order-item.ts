/** The item of an order: its record, and the attributes of the index of what is due. */
import type { Aws } from "../../../base/platform/aws.ts";
import { isId } from "../../../base/platform/id.ts";
import { type Order, orderedFacts } from "../../../people/payments/order.ts";
import type { DueKind, OrderFacts, Orders } from "../../../people/payments/orders.ts";
import { isAwaited, isBooked, isOpen, stateAfter, type Trigger } from "../../../people/payments/states.ts";
import { dueKinds, openOrdersKey, orderKey, orderPlaceKey } from "../dynamodb/account-keys.ts";
import { type Item, toAttribute, toItem } from "../dynamodb/attributes.ts";
import { dueText } from "../dynamodb/due.ts";
import { type Change, type Condition, equals } from "../dynamodb/expressions.ts";
import { hashOf } from "../dynamodb/item-hash.ts";
import { readRecord, type TableNames } from "../dynamodb/item-keys.ts";
import { getItem } from "../dynamodb/items.ts";

/** The tables that an order's transactions write. */
export type OrderTables = Pick<TableNames, "accounts" | "ledger" | "counters" | "keys">;

/** Reads an order without the attributes of the index. */
export function readOrder(item: Item): Order {
  const { due_kind: _kind, due_at: _at, ...record } = item;
  return readRecord<Order>(record);
}

/** What finds an order by its id. */
export function createFind(aws: Aws, { accounts }: Pick<TableNames, "accounts">): Orders["find"] {
  return async (id) => {
    // What is no id of an order, as anybody may give it, need not be looked for.
    const item = isId(id, "order") ? await getItem(aws, accounts, orderKey(id)) : undefined;
    return item && readOrder(item);
  };
}

/** The place of an order among those of its organization. It has the hash of what the order says (audit/README.md "Hashes"). */
export function orderPlace(order: Order): Item {
  const { organization, id, paid } = order;
  return {
    ...orderPlaceKey(organization, id),
    ...toItem({ h: hashOf(orderedFacts(order)), ...(paid && isBooked(order) && { p: hashOf(paid) }) }),
  };
}

/** The place of an order that is booked gets the hash of what was paid. */
export function paidPlace(table: string, { organization, id, paid }: Order): Change {
  return { table, key: orderPlaceKey(organization, id), set: toItem({ p: hashOf(paid ?? {}) }) };
}

/** The attributes by which the index finds an order. Instants have a fixed width, so that they sort as text. */
export function dueItem(due_at: number, state: Order["state"]): Item {
  const kind: DueKind = isAwaited(state) ? "awaited" : "rechecked";
  return { due_kind: { S: dueKindOf(kind) }, due_at: { S: dueText(due_at) } };
}

/** How the index calls a kind. */
export function dueKindOf(kind: DueKind) {
  return kind === "awaited" ? dueKinds.order : dueKinds.recheck;
}

/** A change of an order that is still in the state it was read in. */
export function changeOf(
  table: string,
  { id, state }: Pick<Order, "id" | "state">,
  facts: OrderFacts & { state?: Order["state"] },
  due_at: number | null,
  when: Condition[] = [equals("state", toAttribute(state))],
): Change {
  const names = Object.keys(facts) as (keyof OrderFacts)[];
  const gone = names.filter((name) => facts[name] === null);
  const kept = names.filter((name) => facts[name] !== null);
  const set = toItem(Object.fromEntries(kept.map((name) => [name, facts[name]])));
  return {
    table,
    key: orderKey(id),
    set: { ...set, ...(due_at !== null && dueItem(due_at, facts.state ?? state)) },
    remove: [...gone, ...(due_at === null ? ["due_kind", "due_at"] : [])],
    when,
  };
}

/** What a move changes on the order. Throws where the state may not be left so. */
export function movedBy(
  order: Order,
  trigger: Trigger,
  facts: OrderFacts,
): OrderFacts & { state: Order["state"] } {
  const state = stateAfter(order.state, trigger);
  if (!state) throw new Error(`an order that is ${order.state} cannot be moved by ${trigger}`);
  return { ...facts, tries: null, state };
}

/** An order no longer waits for its customer: the change of its organization's count. None where it did not before. */
export function noLongerOpen(table: string, before: Order, after: Pick<Order, "state">): Change[] {
  if (!isOpen(before.state) || isOpen(after.state)) return [];
  return [{ table, key: openOrdersKey(before.organization), add: { open: -1 } }];
}

/** An order with facts set and removed, as the item has them then. */
export function withFacts(order: Order, facts: OrderFacts & { state?: Order["state"] }): Order {
  const all = Object.entries({ ...order, ...facts }).filter(
    ([, value]) => value !== null && value !== undefined,
  );
  return Object.fromEntries(all) as unknown as Order;
}
