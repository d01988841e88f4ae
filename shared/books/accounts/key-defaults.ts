/**
 * What a key's calls wish where they say nothing themselves. Each default stands for a header of a call
 * (calls/gateway/headers.md), which wins. A program whose headers are hard to change gets them by its key. This table
 * is their only declaration: reading, schemas, the operator's flags and the console's form follow it.
 */

/** A default: the header that it stands for, and the values of both. A list has any number of them, or `none`. */
export interface KeyDefault {
  header: string;
  values: readonly [string, ...string[]];
  isList: boolean;
  /** What it does, for the schema and the operator's help. */
  what: string;
}

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
} as const satisfies Readonly<Record<string, KeyDefault>>;

export type KeyDefaultName = keyof typeof keyDefaults;
type ValueOf<Name extends KeyDefaultName> = (typeof keyDefaults)[Name]["values"][number];

/** The defaults of a key. What is absent is left to the gateway. */
export type KeyDefaults = {
  [Name in KeyDefaultName]?: (typeof keyDefaults)[Name]["isList"] extends true
    ? ValueOf<Name>[]
    : ValueOf<Name>;
};

/** The rows of the table. */
export const keyDefaultRows = Object.entries(keyDefaults) as [KeyDefaultName, KeyDefault][];

/** What a header says in place of an empty list. */
export const noneOfList = "none";

/** The values that a header of the table may have. */
export function headerValues({ values, isList }: KeyDefault): readonly [string, ...string[]] {
  return isList ? [...values, noneOfList] : values;
}

/** The values that a key's default says; undefined where it says nothing. */
export function defaultValues<Name extends KeyDefaultName>(
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
      const values = defaultValues(defaults, name);
      return values ? [`${name}=${values.join(",")}`] : [];
    })
    .join(" ");
}
