/**
 * What a key's calls wish where they say nothing themselves, and their tags. Each default stands for a header of a call
 * (calls/gateway/headers.md), which wins. A program whose headers are hard to change gets them by its key. This table
 * is their only declaration: reading, schemas, the operator's flags and the console's form follow it.
 */

import { readTags, tagsPattern, tagsRule } from "../billing/tags.ts";

/** What a key's calls wish of the cache where they say nothing themselves (shared/calls/cache/README.md "Wishes"). */
export const keyCaches = ["off", "exact", "semantic"] as const;
export type CacheUse = (typeof keyCaches)[number];

/** What every default has: the header that it stands for. */
interface DefaultOfHeader {
  header: string;
  /** What it does, for the schema and the operator's help. */
  what: string;
}

/** A default that is chosen: the values of its own and of the header. A list has any number of them, or `none`. */
export interface ChosenDefault extends DefaultOfHeader {
  values: readonly [string, ...string[]];
  isList: boolean;
}

/** A default that is written: a text, in the form that the header has too. */
interface WrittenDefault extends DefaultOfHeader {
  /** The one form of a text; undefined where it breaks the rule. */
  read: (text: string) => string | undefined;
  /** The rule, as it follows "must be", and for the schema. */
  rule: string;
  pattern: string;
  example: string;
}

export type KeyDefault = ChosenDefault | WrittenDefault;

export const keyDefaults = {
  allow_drop: {
    header: "x-gateway-allow-drop",
    values: ["tools"],
    isList: true,
    what: "what may be left out where a model's provider cannot run it",
  },
  cache_points: {
    header: "x-gateway-cache-points",
    values: ["auto", "off"],
    isList: false,
    what: "whether a Claude model keeps the conversation for its next turn",
  },
  on_disconnect: {
    header: "x-gateway-on-disconnect",
    values: ["drain", "abort"],
    isList: false,
    what: "what becomes of a stream whose client hangs up, where the gateway notices it",
  },
  tags: {
    header: "x-gateway-tags",
    read: readTags,
    rule: tagsRule,
    pattern: tagsPattern,
    example: "team=search,feature=rag",
    what: "tags that its calls have beside those of their header, which win by name",
  },
} as const satisfies Readonly<Record<string, KeyDefault>>;

type Rows = typeof keyDefaults;
export type KeyDefaultName = keyof Rows;
/** The defaults that are chosen. */
export type ChosenName = {
  [Name in KeyDefaultName]: Rows[Name] extends ChosenDefault ? Name : never;
}[KeyDefaultName];
type ValueOf<Name extends ChosenName> = Rows[Name]["values"][number];

/** The defaults of a key. What is absent is left to the gateway. */
export type KeyDefaults = {
  [Name in KeyDefaultName]?: Name extends ChosenName
    ? Rows[Name]["isList"] extends true
      ? ValueOf<Name>[]
      : ValueOf<Name>
    : string;
};

/** The rows of the table. */
export const keyDefaultRows = Object.entries(keyDefaults) as [KeyDefaultName, KeyDefault][];

/** Whether a default is one of several values. */
export function isChosen(row: KeyDefault): row is ChosenDefault {
  return "values" in row;
}

/** What a header says in place of an empty list. */
export const noneOfList = "none";

/** The values that a header of the table may have, where they are chosen. */
export function headerValues({ values, isList }: ChosenDefault): readonly [string, ...string[]] {
  return isList ? [...values, noneOfList] : values;
}

/** The values that a key's default says; undefined where it says nothing. */
export function defaultValues<Name extends ChosenName>(
  defaults: KeyDefaults | undefined,
  name: Name,
): ValueOf<Name>[] | undefined {
  const value = defaults?.[name] as ValueOf<Name> | ValueOf<Name>[] | undefined;
  return value === undefined || Array.isArray(value) ? value : [value];
}

/** Defaults as one line of text, such as `allow_drop=tools cache_points=auto`; "" where there are none. */
export function defaultsText(defaults: KeyDefaults | undefined): string {
  return keyDefaultRows
    .flatMap(([name]) => {
      const value = defaults?.[name];
      return value === undefined ? [] : [`${name}=${[value].flat().join(",")}`];
    })
    .join(" ");
}
