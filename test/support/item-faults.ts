/** Faults in single items: each attribute of an item changed in some way, and the item lost. */
import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { budgetCounters, ownName } from "#shared/books/meters/budget.ts";
import { dayPointsCounter } from "#shared/books/meters/window.ts";
import type { InvariantName } from "#shared/edges/audit/invariants.ts";
import { type ItemKind, isTie, type Tie } from "#shared/edges/audit/ties/tie.ts";
import { kindOf, rowOf, tieOf } from "#shared/edges/audit/ties/ties.ts";
import { type Item, readText } from "#shared/edges/store/dynamodb/attributes.ts";
import type { KeptTable } from "#shared/edges/store/dynamodb/table-schema.ts";
import type { MemoryDynamoDb } from "./memory-dynamodb.ts";

export interface Fault {
  table: KeptTable;
  kind: string;
  /** The item, by its keys. */
  key: string;
  /** The attribute's path; "" for the whole item. */
  field: string;
  /** What was done to it, such as `one more`. */
  what: string;
  way: Way;
  before: Item;
  /** Undefined where the item is gone. */
  after: Item | undefined;
  tie: Tie | undefined;
}

/** How an attribute is changed: it has another value, a value of another type, or it is gone. */
type Way = "value" | "type" | "loss";

const dayMs = 86_400_000;

type Changed = [way: Way, what: string, value: AttributeValue | undefined];

/** An attribute changed in each way that its type has. */
function changed(value: AttributeValue): Changed[] {
  const text: Changed = ["type", "a text", { S: "many" }];
  if (value.N !== undefined) {
    const number = BigInt(Math.trunc(Number(value.N)));
    const isInstant = number > 1_600_000_000_000n && number < 10_000_000_000_000n;
    const later: Changed = ["value", "a day later", { N: String(Number(value.N) + dayMs) }];
    const more: Changed = ["value", "one more", { N: String(BigInt(value.N.replace(/\..*/, "")) + 1n) }];
    return [isInstant ? later : more, text];
  }
  if (value.S !== undefined) {
    const other = /^\d+(\.\d+)?$/.test(value.S) ? `1${value.S}` : `${value.S}x`;
    return [
      ["value", "another text", { S: other }],
      ["type", "a number", { N: "7" }],
    ];
  }
  if (value.BOOL !== undefined) return [["value", "the opposite", { BOOL: !value.BOOL }], text];
  if (value.NULL) return [["value", "a text", { S: "x" }]];
  if (value.L)
    return [
      ["value", "one more", { L: [...value.L, value.L[0] ?? { S: "x" }] }],
      ["type", "a map", { M: {} }],
    ];
  if (value.M) return [["type", "a list", { L: [{ S: "x" }] }], text];
  if (value.B) {
    const flipped = Uint8Array.from(value.B, (byte, at) => (at === 0 ? byte ^ 1 : byte));
    return [["value", "another byte", { B: flipped }], text];
  }
  return [];
}

/** The item with another value at a path, or without one. */
function withValue(
  item: Item,
  [name = "", ...rest]: readonly string[],
  value: AttributeValue | undefined,
): Item {
  const own = item[name];
  const next = rest.length === 0 ? value : { M: withValue(own?.M ?? {}, rest, value) };
  const { [name]: _, ...others } = item;
  return next === undefined ? others : { ...others, [name]: next };
}

/** The paths of an item's attributes with their values, as far down as rows go. */
function paths(kind: ItemKind, item: Item, path: string[] = []): [string[], AttributeValue][] {
  return Object.entries(item).flatMap(([name, value]): [string[], AttributeValue][] => {
    const here = [...path, name];
    if (value.M && !isTie(rowOf(kind, here))) return paths(kind, value.M, here);
    return [[here, value]];
  });
}

/** Every fault of an item. */
export function faultsOf(table: KeptTable, item: Item): Fault[] {
  const [pk, sk] = [readText(item.pk), readText(item.sk)];
  const [name, kind] = kindOf(table, pk, sk) ?? [];
  if (!name || !kind) return [];
  const { pk: _, sk: __, ...fields } = item;
  const common = { table, kind: name, key: `${pk} ${sk}`, before: item };
  const faults = paths(kind, fields).flatMap(([path, value]): Fault[] => {
    const ways: Changed[] = [...changedDeep(value), ["loss", "gone", undefined]];
    return ways.map(([way, what, other]) => ({
      ...{ ...common, way, what },
      ...{ field: path.join("."), after: withValue(item, path, other), tie: tieOf(kind, path) },
    }));
  });
  const gone = { way: "loss", what: "gone", field: "", after: undefined, tie: undefined } as const;
  return [...faults, { ...common, ...gone }];
}

/** A map that has one row is changed in its first member too. */
function changedDeep(value: AttributeValue): Changed[] {
  const [first] = Object.entries(value.M ?? {});
  const inner = first ? changed(first[1]).filter(([way]) => way === "value") : [];
  return [
    ...inner.map(
      ([way, what, other]): Changed => [
        way,
        what,
        { M: { ...value.M, [first?.[0] ?? ""]: other as AttributeValue } },
      ],
    ),
    ...changed(value),
  ];
}

/** Does something while a fault is in the books, and mends it. */
export async function during<Result>(
  db: MemoryDynamoDb,
  fault: Fault,
  act: () => Promise<Result>,
): Promise<Result> {
  const { table, before, after } = fault;
  const Key = { pk: before.pk, ...(before.sk && { sk: before.sk }) };
  if (after) db.act("PutItem", { TableName: table, Item: after });
  else db.act("DeleteItem", { TableName: table, Key });
  try {
    return await act();
  } finally {
    db.act("PutItem", { TableName: table, Item: before });
  }
}

type When = (item: Item, now: number, field: string) => boolean;

/** A call of the entry that a task will have says so; until then nothing does. */
const isUnsettled: When = ({ settled }) => settled?.BOOL !== true;
const isRefused: When = ({ state }) => state?.S === "refused";
/** What stays of a wallet that died while it got more shards: no account has the item, and there is nothing on it. */
const isEmpty: When = ({ granted, used }) => granted?.N === "0" && used?.N === "0";

/** Faults that pass, which the page of the audit tells ("What it cannot see"), and in which items. */
const passing: readonly (readonly [name: RegExp, when?: When])[] = [
  [/^keys: organization: subscription\.paid\.first_ends_at: gone$/],
  [/^keys: organization: subscription\.next\./, ({ subscription }, now) => isAhead(subscription, now)],
  [
    /^keys: organization: wallet\.opened: gone$/,
    ({ wallet }) => wallet?.M?.shards?.N === wallet?.M?.opened?.N,
  ],
  [
    /^keys: organization: wallet\.shards: one more$/,
    ({ wallet }) => Number(wallet?.M?.opened?.N) > Number(wallet?.M?.shards?.N),
  ],
  [/^accounts: (place of an order|place of an invoice|audit log): [hip]: gone$/],
  [/^counters: meter: fz: (?:the opposite|a text)$/],
  [/^counters: meter: (kind|mode): /, isEmpty],
  [/^counters: meter: l\d+: gone$/],
  [/^counters: meter: l\d+: one more$/, (_, now, day) => day !== dayPointsCounter(now)],
  [/^counters: meter: k\w+:b\w+: /, (_, now, budget) => !budgetCounters(now).includes(ownName(budget))],
  [/^accounts: refund: amount: /, isRefused],
  [
    /^tasks: task: (project|key|user|tags|model|price\.version|resolution|duration|call_points|hold\.\w+): /,
    isUnsettled,
  ],
  [/^tasks: task: error: another text$/, ({ status }) => status?.S === "failed"],
  // An entry keeps it where its call counts as several.
  [/^tasks: task: call_points: /],
  [/^tasks: task: (resolution|duration): /, ({ status }) => status?.S !== "succeed"],
];

function isAhead(subscription: AttributeValue | undefined, now: number): boolean {
  return Number(subscription?.M?.next?.M?.from?.N) > now;
}

/** Whether the audit is known to pass over a fault at `now`, Unix milliseconds. */
export function isUnseen(fault: Fault, now: number): boolean {
  const name = nameOfFault(fault);
  return passing.some(([form, when]) => form.test(name) && (!when || when(fault.before, now, fault.field)));
}

/** What a fault is called, whatever item it is in. */
export function nameOfFault({ table, kind, field, what }: Fault): string {
  return `${table}: ${kind}: ${field}: ${what}`;
}

/** Whether the table of ties names an invariant for a fault, and the item says something else with it. */
export function isTied(fault: Fault): boolean {
  return Array.isArray(fault.tie) && (fault.what !== "gone" || !saysNothing(fault));
}

/** Whether an attribute says the same as none: it is null, 0 or false. */
function saysNothing({ before, field }: Fault): boolean {
  const value = field
    .split(".")
    .reduce((at, name) => at?.M?.[name], { M: before } as AttributeValue | undefined);
  return value?.NULL === true || value?.N === "0" || value?.BOOL === false;
}

/** What the invariants of a fault's row say of it; of a loss or another type, what any of them says. */
export function toldOf(
  { tie, way }: Fault,
  findings: readonly { name: InvariantName; gaps: string[] }[],
): string[] {
  const isAsked = (name: InvariantName) => way !== "value" || (Array.isArray(tie) && tie.includes(name));
  return findings.flatMap(({ name, gaps }) => (isAsked(name) ? gaps : []));
}
