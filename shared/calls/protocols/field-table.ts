/** The fields of a protocol's requests, checked in order. One without a row passes; a crossing drops it by name. */

import type { GatewayError } from "../../base/errors.ts";
import { membersOf, type OutlinedBody, refuseDuplicates } from "../../base/json/body.ts";
import {
  entryOf,
  type Fields,
  isAbsent,
  isObject,
  optionalInteger,
  optionalNumber,
  requiredItems,
} from "../../base/json/fields.ts";
import type { ChatRequest } from "../chat/request.ts";
import { type CarriedMembers, nameAt, nameUncarried } from "./dropped.ts";

/** Reads one field of an object. Throws `invalid_request` for a value that it does not take. */
export type Read<Value = unknown> = (fields: Fields, name: string) => Value;

/** What a carried field becomes: a part of the neutral chat request, or a field of another protocol. */
type Concept = keyof ChatRequest | "model" | "image" | "sequential_image_generation";

/** What becomes of one field. Without `carried`, `refused` and `hosted` a crossing drops it by name. */
export interface Field {
  /** Checks the field of every request. */
  check?: Read;
  /** Checks the field only where the request crosses. Otherwise the provider checks it. */
  read?: Read;
  /** The gateway acts on the field, or on these members. None may stand twice: the provider could act on the other. */
  acts?: true | ReadonlySet<string>;
  /** A crossing carries the field, as this. True: under its own name, or by its own rules. */
  carried?: true | Concept | readonly Concept[];
  /** The members of the field that are carried. Absent: all of them. */
  members?: CarriedMembers;
  /** A crossing is refused with this error, because without the field the request would mean something else. */
  refused?: (name: string) => GatewayError;
  /** The field switches on a tool that the provider runs (native-tools.ts). */
  hosted?: true;
  /** Values that ask for nothing, as a list or a test. A crossing leaves them out without a word. */
  unless?: readonly unknown[] | ((value: unknown) => boolean);
}

type Rows = Readonly<Record<string, Field>>;
type ValueOf<Reader> = Reader extends Read<infer Value> ? Value : never;
type Names<Of extends Rows, Key extends keyof Field> = {
  [Name in keyof Of]: Of[Name] extends Record<Key, unknown> ? Name : never;
}[keyof Of];

/** The checked fields of a request, with the values that their checks return. */
type Checked<Of extends Rows> = {
  [Name in Names<Of, "check">]: Of[Name] extends { check: infer Reader } ? ValueOf<Reader> : never;
};

interface FieldTable<Of extends Rows> {
  rows: Of;
  /** Names of the fields the gateway acts on. */
  acted: ReadonlySet<string>;
  /** Names of the fields that switch on hosted tools. */
  hosted: readonly string[];
  /** Names of the fields that are carried under their own name. */
  kept: ReadonlySet<string>;
  /** Checks in the order of the rows, and gives the values. `body` is `fields` as bytes. Throws `invalid_request`. */
  check(fields: Fields, body?: Pick<OutlinedBody, "bytes" | "members">): Checked<Of>;
  /** Reads a field of a request that crosses. Throws `invalid_request`. */
  read<Name extends Names<Of, "read"> | Names<Of, "check">>(
    fields: Fields,
    name: Name,
  ): Of[Name] extends { read: infer Reader }
    ? ValueOf<Reader>
    : Of[Name] extends { check: infer Reader }
      ? ValueOf<Reader>
      : never;
  /** Throws `invalid_request` for the first of `names` that cannot cross. Absent: in the order of the rows. */
  refuse(fields: Fields, names?: readonly string[]): void;
  dropped(fields: Fields): string[];
  /** Names the fields that do not cross. `isDeep`: also the members, of fields that cross, that do not. */
  drop(fields: Fields, dropped: Set<string>, isDeep?: boolean): void;
}

interface Options {
  /** The path of the object that the fields stand in; "" for the body. */
  at?: string;
  /** The spelling of the table for a key of the body, where a protocol has several. */
  spelled?: (key: string) => string;
}

/** Makes a table of these rows. Call it once, when the module is loaded. */
export function fieldTable<const Of extends Rows>(
  rows: Of,
  { at = "", spelled = (key) => key }: Options = {},
): FieldTable<Of> {
  const all: [name: string, field: Field][] = Object.entries(rows);
  const names = (has: (field: Field) => unknown): string[] =>
    all.filter(([, field]) => has(field)).map(([name]) => name);
  const checks = all.flatMap(([name, { check, acts }]) => (check ? [{ name, check, acts }] : []));
  const unread = Object.fromEntries(checks.map(({ name }) => [name, undefined]));
  const refusing = names(({ refused }) => refused);
  const drop: FieldTable<Of>["drop"] = (fields, dropped, isDeep = false) => {
    for (const [name, value] of Object.entries(fields)) {
      if (isAbsent(value)) continue;
      const row = entryOf<Field>(rows, name);
      const crosses = row?.carried ?? row?.refused;
      if (!crosses && !(row && asksNothing(row, value))) dropped.add(nameAt(at, name));
      else if (isDeep && row?.members) nameUncarried(value, row.members, nameAt(at, name), dropped);
    }
  };
  return {
    rows,
    acted: new Set(names(({ acts }) => acts)),
    hosted: names(({ hosted }) => hosted),
    kept: new Set(names(({ carried }) => carried === true)),
    check(fields, body) {
      // A copy already has every name, so that no request pays for adding them.
      const values: Record<string, unknown> = { ...unread };
      for (const { name, check, acts } of checks) {
        if (body && typeof acts === "object" && isObject(fields[name]))
          refuseRepeated(body, name, acts, spelled);
        values[name] = check(fields, name);
      }
      return values as Checked<Of>;
    },
    read(fields, name) {
      const { read, check } = rows[name] as Field;
      return (read ?? check)?.(fields, name as string) as never;
    },
    refuse(fields, within = refusing) {
      for (const name of within) {
        const row = entryOf<Field>(rows, name);
        const value = fields[name];
        if (row?.refused && !isAbsent(value) && !asksNothing(row, value)) throw row.refused(nameAt(at, name));
      }
    },
    drop,
    dropped(fields) {
      const names = new Set<string>();
      drop(fields, names);
      return [...names];
    },
  };
}

function asksNothing({ unless = [] }: Field, value: unknown): boolean {
  return typeof unless === "function" ? unless(value) : unless.includes(value);
}

function refuseRepeated(
  { bytes, members }: Pick<OutlinedBody, "bytes" | "members">,
  name: string,
  acts: ReadonlySet<string>,
  spelled: (key: string) => string,
): void {
  const at = members.find(({ key }) => spelled(key) === name);
  if (!at) return;
  const within = membersOf(bytes.subarray(at.value_start, at.value_end));
  refuseDuplicates(
    within.map(({ key }) => ({ key: spelled(key) })),
    acts,
  );
}

/** Reads a number in [min, max], or none. */
export function number(min: number, max: number): Read<number | undefined> {
  return (fields, name) => optionalNumber(fields, name, min, max);
}

/** Reads a non-empty array. `check` gets each item and its place. */
export function items(check: (item: unknown, at: string) => void): Read<unknown[]> {
  return (fields, name) => requiredItems(fields, name, check);
}

/** Reads an integer in [min, max], or none. */
export function integer(min: number, max?: number): Read<number | undefined> {
  return (fields, name) => optionalInteger(fields, name, min, max);
}
