/** What the tables of this folder are made of (edges/audit/README.md "Which invariant covers which field"). */
import type { InvariantName } from "../invariants.ts";

/** The invariants that a change of the field breaks, or why there is none. */
export type Tie = readonly InvariantName[] | { readonly untied: string };

/** A tie for each field of a record. A field that is a record itself may have one for each of its own fields. */
export type Ties<Fields> = {
  readonly [Field in keyof Required<Fields>]: Tie | TiesOf<NonNullable<Fields[Field]>>;
};
type TiesOf<Value> = Value extends readonly unknown[] | string | number | boolean | bigint
  ? never
  : Ties<Value>;

type Words<Text extends string> = Text extends `${infer Word} ${infer Rest}` ? Word | Words<Rest> : Text;

/** What makes the rows of those fields of a record that have one tie. Their names are given with spaces between. */
export function rowsOf<Fields>() {
  return <const Names extends string>(
    tie: Tie,
    names: Words<Names> extends keyof Fields ? Names : never,
  ): Readonly<Record<Words<Names>, Tie>> => {
    const rows = names.split(" ").map((name) => [name, tie] as const);
    return Object.fromEntries(rows) as Record<Words<Names>, Tie>;
  };
}

/** One kind of item: the form of its two keys with a space between, and a tie for each attribute. */
export interface ItemKind {
  readonly at: RegExp;
  readonly ties: Readonly<Record<string, unknown>>;
  /** Why nothing tells that an item of this kind is gone as a whole. Absent: the audit does. */
  readonly lost?: string;
  /** Attributes whose names contain an id or a time, by the form of the name. */
  readonly named?: readonly (readonly [form: RegExp, tie: Tie])[];
}

/** Each kind of item of a table, by what the page of upgrades calls it. */
export type TableKinds = Readonly<Record<string, ItemKind>>;

/** Whether it is the tie of a field, and not a table of further fields. */
export function isTie(value: unknown): value is Tie {
  return Array.isArray(value) || (typeof value === "object" && value !== null && "untied" in value);
}

/** A field that no invariant compares, and why. */
export function untied(why: string): Tie {
  return { untied: why };
}

/** Fields that nothing else in the tables says again. */
export const saidOnce = untied("nothing else that is stored says it");
/** Fields that decide nothing about money, and that no report, statement, invoice or export shows. */
export const shownNowhere = untied("no report, statement, invoice, export or decision about money reads it");
/** Items that last for minutes or days, and may be lost. */
export const passing = untied("it is gone within days, and nothing is charged by it afterwards");
/** The rows of such an item, whatever its attributes are. */
export const allPassing = { ties: {}, named: [[/./, passing]] } as const;
