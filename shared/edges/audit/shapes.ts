/** The types of records' members. A record with another type is named, and all other checks leave it out. */
import type { KeptItem, Sorted } from "./kept.ts";

/** What a value must be. */
type Is = (value: unknown) => boolean;
/** What the members of a record must be; a member that is a record itself has its own. */
interface Shape {
  readonly [member: string]: Is | Shape;
}

const text: Is = (value) => typeof value === "string" && value !== "";
const truth: Is = (value) => typeof value === "boolean";
const points: Is = (value) => typeof value === "string" && /^\d{1,40}(\.\d{1,40})?$/.test(value);
const number: Is = (value) => typeof value === "number";
const listOf =
  (is: Is): Is =>
  (value) =>
    Array.isArray(value) && value.every(is);
const optional =
  (is: Is): Is =>
  (value) =>
    value === undefined || is(value);

const choice: Shape = { plan: text, period: text };
const paidTime: Shape = { from: number, unused_points: optional(points), first_ends_at: optional(number) };

/** By kind of item, as the tables of `ties/` call it. Texts that are only shown are not here. */
const shapes: Readonly<Record<string, Shape>> = {
  organization: {
    ...{ permissions: listOf(text), created_at: number, cache_epoch: optional(number) },
    subscription: {
      ...{ ...choice, meter: text, started_at: number, restarts: optional(listOf(number)) },
      ends_at: (value) => value === null || number(value),
      ...{ next: { ...choice, ...paidTime }, paid: paidTime, returned: optional(listOf(number)) },
    },
    wallet: { meter: text, shards: number, opened: optional(number) },
  },
  order: {
    ...{ id: text, organization: text, user: text, kind: text, channel: text },
    ...{ amount: number, currency: text, points, state: text, created_at: number },
    ...{ expires_at: number, closed_at: optional(number), credited_at: optional(number) },
    plan: {
      ...{ ...choice, action: text, from: { ...choice }, starts_at: optional(number) },
      ends_at: optional(number),
    },
    paid: {
      transaction: (value) => typeof value === "string",
      amount: number,
      currency: text,
      at: number,
      via: text,
    },
    doubt: { fields: listOf(text), at: number, via: text },
    ...{ booked_as: optional(text), refund: optional(text) },
    ...{ refunded: optional(number), returned: optional(number) },
  },
  refund: {
    ...{ id: text, order: text, amount: number, points, fee: optional(text) },
    ...{ state: text, created_at: number, ended_at: optional(number) },
  },
  invoice: {
    ...{ id: text, organization: text, user: text, state: text, orders: listOf(text) },
    ...{ amount: number, currency: text, email: text, created_at: number },
    title: { kind: text, name: text, tax_id: optional(text) },
    tax: { name: text, rate: points, net: number, tax: number, reverse_charge: truth },
    ...{ number: optional(text), file: optional(text), issued_at: optional(number) },
    ...{ reason: optional(text), ended_at: optional(number) },
  },
  "last number of a series": {
    last: number,
    skipped: optional(listOf((value) => typeof value === "object" && value !== null)),
  },
};

/** The items of a kind whose values have the right types. */
export function wellShaped(items: Sorted, kind: string): readonly KeptItem[] {
  return items.of(kind).filter(({ fields }) => misshapen(fields, shapes[kind] ?? {}).length === 0);
}

/** What the others have. */
export function allMisshapen(...tables: readonly Sorted[]): string[] {
  return Object.entries(shapes).flatMap(([kind, shape]) =>
    tables
      .flatMap((items) => items.of(kind))
      .flatMap(({ pk, sk, fields }) => misshapen(fields, shape).map((wrong) => `${pk} ${sk} ${wrong}`)),
  );
}

/** The members of a record that are not as they must be. A record that is null or absent has none. */
function misshapen(record: unknown, shape: Shape, path = ""): string[] {
  if (record === null || record === undefined) return [];
  if (typeof record !== "object" || Array.isArray(record))
    return [`has the ${path} ${JSON.stringify(record)}`];
  const own = record as Readonly<Record<string, unknown>>;
  return Object.entries(shape).flatMap(([name, is]) => {
    const here = path === "" ? name : `${path}.${name}`;
    if (typeof is !== "function") return misshapen(own[name], is, here);
    return is(own[name]) ? [] : [`has the ${here} ${JSON.stringify(own[name]) ?? "none"}`];
  });
}
