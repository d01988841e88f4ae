/**
 * What a command of the operator is: its words, its flags, its examples, and the function that runs it. The parser, the
 * help and the manual are all made from these definitions, so they always have the same commands and flags.
 */
import { isMonth } from "#shared/books/billing/period.ts";
import { operatorBounds } from "./bounds.ts";
import type { StackConnection } from "./connection.ts";
import type { Paint } from "./output.ts";

/** A flag of a command. `Value` is the type that the command gets. */
export interface Flag<Value = unknown> {
  /** The placeholder of the value in the help, such as `N`. A flag without one is on or off. */
  value?: string;
  /** What the flag does, in the help. */
  what: string;
  needed?: true;
  /** Reads what was given, or undefined if nothing was. `name` has its dashes. Throws for a value that is not allowed. */
  read(given: string | boolean | undefined, name: string): Value;
}

export type Flags = Readonly<Record<string, Flag>>;

/** The values of a command's flags, by their names without the dashes. */
export type Values<Own extends Flags> = {
  readonly [Name in keyof Own]: Own[Name] extends Flag<infer Value> ? Value : never;
};

/** A word that a command needs after its name. */
interface Operand {
  name: string;
  what: string;
  /** The message where it is missing. */
  missing: string;
}

/** Shows how far a long command is. */
export interface Progress {
  /** Counts one more of these, such as `entries`. */
  count(what: string): void;
  /** Says what is being done, where there is nothing to count. */
  state(text: string): void;
}

/** Where a command works, as its line says. */
export interface Where {
  local: boolean;
  /** With `local`: the ready file, where the line names one. */
  readyFile: string | undefined;
  /** Otherwise: the stage. */
  stage: string;
}

/** What every command is given. */
export interface CommandCall<Own extends Flags = Flags> {
  flags: Values<Own>;
  operands: string[];
  /** The first of them; "" of a command that takes none. */
  operand: string;
  json: boolean;
  /** The catalog's file, where the command line names one. */
  catalogFile: string | undefined;
  progress: Progress;
  where: Where;
  /** Reads a secret from standard input: all of a pipe, or what a person types after this question, unseen. */
  secretValue(question: string): Promise<string>;
  /** Connects to the gateway's stores. A command that needs no store, such as `catalog check`, does not call it. */
  place(): Promise<StackConnection>;
}

/** What a command returns: one value, or text that is printed piece by piece as it comes. */
export type CommandOutcome =
  | {
      value: unknown;
      /** What is printed without `--json`, where that is not the whole value. A function makes the text itself. */
      shown?: object | ((paint: Paint) => string);
      /** False: the exit code is 1. */
      ok?: boolean;
      /** The exit code is 3: what was compared is not the same. */
      differs?: boolean;
    }
  | { text: AsyncIterable<string>; ok?: boolean };

export interface Command<Own extends Flags = Flags> {
  /** Its name, such as `org create`. */
  words: string;
  /** What it does, in one line. */
  what: string;
  /** What else an operator should know before running it. */
  more?: string;
  operands?: readonly Operand[];
  flags: Own;
  /** One or two: what a command does, by the words after its name. */
  examples: Readonly<Record<string, string>>;
  /** It needs what only a deployed stage has. */
  only?: "stage";
  /** Its outcome is long text. Progress is not shown where that text goes to the same terminal. */
  prints?: "text";
  /**
   * Of a command that cannot be undone: what it will do for good, in one sentence. At a terminal the operator confirms
   * this sentence before the command runs. Undefined where there is nothing to confirm.
   */
  forGood?(call: CommandCall<Own>): string | undefined;
  /**
   * Of a command that calls feel at once, and that can be undone: what it will do, by what is so at the place. It is
   * confirmed likewise.
   */
  foreseen?(call: CommandCall<Own>): Promise<string | undefined>;
  run(call: CommandCall<Own>): Promise<CommandOutcome>;
}

/** Commands that belong together, as the help and the manual show them. */
export interface CommandGroup {
  title: string;
  commands: readonly Command[];
}

/** Defines a command, which may have no flags. It gives `run` the types of the command's own ones. */
export function command<Own extends Flags>(
  definition: Omit<Command<Own>, "flags"> & Partial<Pick<Command<Own>, "flags">>,
): Command {
  return { flags: {}, ...definition };
}

/** A flag that takes any text. `value` is its placeholder in the help. */
export function flag(value: string, what: string): Flag<string | undefined> {
  return flagOf(value, what, (text) => text);
}

/** A flag whose text `read` turns into a value. `read` throws for a text that is not allowed. */
export function flagOf<Value>(
  value: string,
  what: string,
  read: (text: string, name: string) => Value,
): Flag<Value | undefined> {
  return { value, what, read: (given, name) => (typeof given === "string" ? read(given, name) : undefined) };
}

/** The same flag, with what the command gets where nothing is given. */
export function usually<Value>(value: Value, of: Flag<Value | undefined>): Flag<Value> {
  return { ...of, read: (given, name) => of.read(given, name) ?? value };
}

/** The same flag, which the command cannot do without. Reading it throws where it is missing or empty. */
export function needed<Value>(of: Flag<Value | undefined>): Flag<Value> {
  return {
    ...of,
    needed: true,
    read(given, name) {
      const value = given === "" ? undefined : of.read(given, name);
      if (value === undefined) throw new Error(`${name} is needed`);
      return value;
    },
  };
}

/** A flag without a value. */
export function onOff(what: string): Flag<boolean> {
  return { what, read: (given) => given === true };
}

/** A flag that takes one of these words. */
export function choice<Word extends string>(words: readonly Word[], what: string): Flag<Word | undefined> {
  return flagOf(words.join("|"), what, (text, name) => oneOf(text, name, words));
}

/** One of the allowed words. Throws on any other. */
export function oneOf<Word extends string>(value: string, name: string, allowed: readonly Word[]): Word {
  const word = allowed.find((each) => each === value);
  if (word === undefined) throw new Error(`${name} must be one of ${allowed.join(", ")}`);
  return word;
}

/** Reads a month of UTC, `2026-11`. */
export function month(text: string, name: string): string {
  if (!isMonth(text)) throw new Error(`${name} takes a month such as 2026-11`);
  return text;
}

/** Reads why something is done, for whoever sees it later. */
export function reason(text: string, name: string): string {
  const most = operatorBounds.whyCharsMax;
  if (text.trim() === "" || text.length > most || /\p{Cc}/u.test(text))
    throw new Error(`${name} takes 1 to ${most} characters on one line`);
  return text;
}

/** Reads whole seconds. */
export function seconds(text: string, name: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`${name} takes seconds`);
  return Number(text);
}

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads a time such as 30m, 12h or 7d as milliseconds. */
export function duration(text: string, name: string): number {
  const [, number, unit = ""] = /^([1-9]\d{0,3})([mhd])$/.exec(text) ?? [];
  if (number === undefined) throw new Error(`${name} takes a time such as 30m, 12h or 7d`);
  return Number(number) * (unitMs[unit] ?? 0);
}

/** Reads a whole number from 1 to `most`. */
export function count(most: number): (text: string, name: string) => number {
  return (text, name) => {
    const value = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : 0;
    if (value < 1 || value > most) throw new Error(`${name} takes 1 to ${most}`);
    return value;
  };
}

/** How a command is written: its words, its operands, its needed flags, and then the other flags in brackets. */
export function formOf({ words, operands = [], flags }: Command): string {
  const named = Object.entries(flags).map(([name, { value, needed: isNeeded }]) => {
    const written = value === undefined ? `--${name}` : `--${name} ${value}`;
    return isNeeded ? written : `[${written}]`;
  });
  const neededFlags = named.filter((each) => !each.startsWith("["));
  const otherFlags = named.filter((each) => each.startsWith("["));
  return [words, ...operands.map(({ name }) => name), ...neededFlags, ...otherFlags].join(" ");
}
