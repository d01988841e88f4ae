/** Writes as values: what an update sets, adds and removes, and under which conditions, as DynamoDB wants it told. */
import type {
  AttributeValue,
  BatchStatementRequest,
  Delete,
  Put,
  ScanCommandInput,
  Update,
} from "@aws-sdk/client-dynamodb";
import { type Item, toAttribute } from "./attributes.ts";

/** Hands out placeholders, one for each name and value. */
interface Slots {
  name(attribute: string): string;
  value(attribute: AttributeValue): string;
}

/** A condition on an item. All must hold for a write to happen, or for a scan to give the item. */
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

/** The record is as it was read: of this revision, which each write raises. 0: it has none, because nothing was kept. */
export const hasRevision = (revision: number): Condition =>
  revision === 0 ? absent("revision") : equals("revision", toAttribute(revision));

/** The attribute has one of these values. */
export const isAmong =
  (name: string, values: AttributeValue[]): Condition =>
  (slots) =>
    `${slots.name(name)} IN (${values.map((value) => slots.value(value)).join(", ")})`;

/** The text begins so. */
export const begins =
  (name: string, start: string): Condition =>
  (slots) =>
    `begins_with(${slots.name(name)}, ${slots.value({ S: start })})`;

/** The condition does not hold. So `not(equals(…))` holds where the attribute is not there. */
export const not =
  (condition: Condition): Condition =>
  (slots) =>
    `NOT (${condition(slots)})`;

/** One of the two holds. */
export const either =
  (one: Condition, other: Condition): Condition =>
  (slots) =>
    `(${one(slots)} OR ${other(slots)})`;

function compared(operator: ">=" | ">" | "<=" | "<") {
  return (name: string, bound: bigint | number): Condition =>
    (slots) =>
      `${slots.name(name)} ${operator} ${slots.value(toAttribute(bound))}`;
}

/** How a number compares with a bound. Where the number is not there, none of them holds. */
export const atLeast = compared(">=");
export const above = compared(">");
export const atMost = compared("<=");
export const below = compared("<");

/** The number is below the bound; one that is not there yet is 0. */
export const absentOrBelow = (name: string, bound: number): Condition =>
  bound > 0 ? either(absent(name), below(name, bound)) : below(name, bound);

/** The number is not above the bound; one that is not there yet is 0. */
export const absentOrAtMost = (name: string, bound: bigint): Condition =>
  bound >= 0n ? either(absent(name), atMost(name, bound)) : atMost(name, bound);

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
  const slots = new Placeholders();
  let [sets, adds, removes] = ["", "", ""];
  for (const name in change.set) {
    sets += `${sets === "" ? "SET " : ", "}${slots.name(name)} = ${slots.value(change.set[name] as AttributeValue)}`;
  }
  for (const name in change.add) {
    adds += `${adds === "" ? "ADD " : ", "}${slots.name(name)} ${slots.value(toAttribute(change.add[name]))}`;
  }
  for (const name of change.remove ?? [])
    removes += `${removes === "" ? "REMOVE " : ", "}${slots.name(name)}`;
  if (change.rename) {
    const [to, from] = [slots.name(change.rename.to), slots.name(change.rename.from)];
    sets += `${sets === "" ? "SET " : ", "}${to} = ${from}`;
    removes += `${removes === "" ? "REMOVE " : ", "}${from}`;
  }
  const UpdateExpression = [sets, adds, removes].filter((clause) => clause !== "").join(" ");
  const input = { TableName: change.table, Key: change.key, UpdateExpression };
  return slots.complete(input, change.when);
}

/** The input of `PutItem`, and of a `Put` in a transaction. */
export function putInput(table: string, item: Item, when: Condition[]): Put {
  return new Placeholders().complete({ TableName: table, Item: item }, when);
}

/** The statement that puts an item where none has its key yet. */
export function insertStatement(table: string, item: Item): BatchStatementRequest {
  const names = Object.keys(item).map((name) => `'${name}': ?`);
  return {
    Statement: `INSERT INTO "${table}" VALUE {${names.join(", ")}}`,
    Parameters: Object.values(item),
  };
}

/** The input of a `Delete` or of a `ConditionCheck` in a transaction. */
export function deleteInput(table: string, key: Item, when: Condition[]): Delete {
  return new Placeholders().complete({ TableName: table, Key: key }, when);
}

/** The input of a strongly consistent `Scan` that gives the items for which the conditions hold. */
export function scanInput(table: string, when: Condition[]): ScanCommandInput {
  const { ConditionExpression: FilterExpression, ...input } = new Placeholders().complete(
    { TableName: table, ConsistentRead: true },
    when,
  );
  return { ...input, FilterExpression };
}

/** The first placeholders. Most writes need no more, and to make them anew for each write takes time. */
const nameSlots = Array.from({ length: 32 }, (_, at) => `#${at}`);
const valueSlots = Array.from({ length: 32 }, (_, at) => `:${at}`);

/** The placeholders of one write. A name has one, however often it is named. */
class Placeholders implements Slots {
  readonly #slots = new Map<string, string>();
  readonly #names: Record<string, string> = {};
  readonly #values: Item = {};
  #valueCount = 0;

  name(attribute: string): string {
    const known = this.#slots.get(attribute);
    if (known !== undefined) return known;
    const slot = nameSlots[this.#slots.size] ?? `#${this.#slots.size}`;
    this.#slots.set(attribute, slot);
    this.#names[slot] = attribute;
    return slot;
  }

  value(attribute: AttributeValue): string {
    const slot = valueSlots[this.#valueCount] ?? `:${this.#valueCount}`;
    this.#valueCount += 1;
    this.#values[slot] = attribute;
    return slot;
  }

  /** The write with its conditions and with all placeholders. */
  complete<Input extends object>(input: Input, when: Condition[] = []): Input & Expressions {
    const completed: Input & Expressions = input;
    let condition = "";
    for (const each of when) condition += condition === "" ? each(this) : ` AND ${each(this)}`;
    if (condition !== "") completed.ConditionExpression = condition;
    if (this.#slots.size > 0) completed.ExpressionAttributeNames = this.#names;
    if (this.#valueCount > 0) completed.ExpressionAttributeValues = this.#values;
    return completed;
  }
}

type Expressions = Pick<
  Put,
  "ConditionExpression" | "ExpressionAttributeNames" | "ExpressionAttributeValues"
>;
