/** Writes as values: what an update sets, adds and removes, and under which conditions, as DynamoDB wants it told. */
import type { AttributeValue, Put, Update } from "@aws-sdk/client-dynamodb";
import { type Item, toAttribute } from "./attributes.ts";

/** Hands out placeholders, one for each name and value. */
interface Slots {
  name(attribute: string): string;
  value(attribute: AttributeValue): string;
}

/** A condition on an item, which must all hold for a write to happen. */
export type Condition = (slots: Slots) => string;

/** The attribute is there. */
export const exists =
  (name: string): Condition =>
  (slots) =>
    `attribute_exists(${slots.name(name)})`;

/** The attribute is not there. */
export const absent =
  (name: string): Condition =>
  (slots) =>
    `attribute_not_exists(${slots.name(name)})`;

/** The attribute has this value. */
export const equals =
  (name: string, value: AttributeValue): Condition =>
  (slots) =>
    `${slots.name(name)} = ${slots.value(value)}`;

/** One of the two holds. */
export const either =
  (one: Condition, other: Condition): Condition =>
  (slots) =>
    `(${one(slots)} OR ${other(slots)})`;

/** The number is not below the bound. */
export const atLeast =
  (name: string, bound: bigint): Condition =>
  (slots) =>
    `${slots.name(name)} >= ${slots.value(toAttribute(bound))}`;

/** The number is there, and not above the bound. */
export const atMost =
  (name: string, bound: number): Condition =>
  (slots) =>
    `${slots.name(name)} <= ${slots.value(toAttribute(bound))}`;

/** The number is below the bound; one that is not there yet is 0. */
export const absentOrBelow =
  (name: string, bound: number): Condition =>
  (slots) => {
    const below = `${slots.name(name)} < ${slots.value(toAttribute(bound))}`;
    return bound > 0 ? `(attribute_not_exists(${slots.name(name)}) OR ${below})` : below;
  };

/** The number is not above the bound; one that is not there yet is 0. */
export const absentOrAtMost =
  (name: string, bound: bigint): Condition =>
  (slots) => {
    const within = `${slots.name(name)} <= ${slots.value(toAttribute(bound))}`;
    return bound >= 0n ? `(attribute_not_exists(${slots.name(name)}) OR ${within})` : within;
  };

/** What a write does to one item. A name may be in only one of set, rename, add and remove. */
export interface Change {
  table: string;
  key: Item;
  set?: Item;
  /** An attribute takes another's value and place. */
  rename?: { from: string; to: string };
  add?: Record<string, bigint | number>;
  remove?: string[];
  when?: Condition[];
}

/** The input of `UpdateItem`, and of an `Update` in a transaction. */
export function updateInput(change: Change): Update {
  const { slots, placeholders } = newSlots();
  const sets = Object.entries(change.set ?? {}).map(
    ([name, value]) => `${slots.name(name)} = ${slots.value(value)}`,
  );
  const adds = Object.entries(change.add ?? {}).map(
    ([name, amount]) => `${slots.name(name)} ${slots.value(toAttribute(amount))}`,
  );
  const removes = (change.remove ?? []).map(slots.name);
  if (change.rename) {
    sets.push(`${slots.name(change.rename.to)} = ${slots.name(change.rename.from)}`);
    removes.push(slots.name(change.rename.from));
  }
  const clauses = [clause("SET", sets), clause("ADD", adds), clause("REMOVE", removes)];
  return {
    TableName: change.table,
    Key: change.key,
    UpdateExpression: clauses.filter((text) => text !== "").join(" "),
    ...condition(change.when ?? [], slots),
    ...placeholders(),
  };
}

/** The input of `PutItem`, and of a `Put` in a transaction. */
export function putInput(table: string, item: Item, when: Condition[]): Put {
  const { slots, placeholders } = newSlots();
  return { TableName: table, Item: item, ...condition(when, slots), ...placeholders() };
}

function clause(verb: string, parts: string[]): string {
  return parts.length === 0 ? "" : `${verb} ${parts.join(", ")}`;
}

function condition(when: Condition[], slots: Slots): Pick<Put, "ConditionExpression"> {
  return when.length === 0 ? {} : { ConditionExpression: when.map((each) => each(slots)).join(" AND ") };
}

type Placeholders = Pick<Put, "ExpressionAttributeNames" | "ExpressionAttributeValues">;

function newSlots(): { slots: Slots; placeholders: () => Placeholders } {
  const names = new Map<string, string>();
  const values: Item = {};
  const slots: Slots = {
    name(attribute) {
      const slot = names.get(attribute) ?? `#${names.size}`;
      names.set(attribute, slot);
      return slot;
    },
    value(attribute) {
      const slot = `:${Object.keys(values).length}`;
      values[slot] = attribute;
      return slot;
    },
  };
  const placeholders = () => ({
    ...(names.size > 0 && {
      ExpressionAttributeNames: Object.fromEntries([...names].map(([name, slot]) => [slot, name])),
    }),
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  });
  return { slots, placeholders };
}
