/**
 * What a command of the operator is: its words, its flags, its examples, and what runs it. The parser, the help and the
 * manual are all made from this one table, so none of them can know a flag that another does not.
 */
import type { Connection } from "./connection.ts";

/** A flag of a command. `Value` is what the command gets. */
interface Flag<Value = unknown> {
  /** What stands for the value in the help, such as `N`. A flag without one is a switch. */
  value?: string;
  what: string;
  needed?: true;
  /** Reads what was given, undefined where nothing was. `name` has its dashes. Throws for what cannot be taken. */
  read(given: string | boolean | undefined, name: string): Value;
}

export type Flags = Readonly<Record<string, Flag>>;

/** What a command reads of its flags, by their names without the dashes. */
export type Values<Own extends Flags> = {
  readonly [Name in keyof Own]: Own[Name] extends Flag<infer Value> ? Value : never;
};

/** A word that a command needs after its name. */
export interface Operand {
  name: string;
  what: string;
  /** What is said where it is missing. */
  missing: string;
}

/** Told how far a long command is. */
export interface Progress {
  /** One more of these, such as `entries`. */
  count(what: string): void;
}

/** What every command is given. */
export interface Call<Own extends Flags = Flags> {
  flags: Values<Own>;
  operands: string[];
  json: boolean;
  /** The catalog's file, where the command line names one. */
  catalogFile: string | undefined;
  progress: Progress;
  /** Connects when a command needs the stores; `catalog check` does not. */
  place(): Promise<Connection>;
}

/** What a command gives: one value, or text that is printed piece by piece as it comes. */
export type Outcome =
  | {
      value: unknown;
      /** What people are shown instead, where that is less. */
      shown?: unknown;
      /** Whether the exit code is 0. */
      ok: boolean;
    }
  | { text: AsyncIterable<string>; ok: boolean };

export interface Command<Own extends Flags = Flags> {
  /** Its name, such as `org create`. */
  words: string;
  /** What it does, in one line. */
  what: string;
  /** What else an operator should know before running it. */
  more?: string;
  operands?: readonly Operand[];
  flags: Own;
  /** One or two: the words after the command's name, and what they do. */
  examples: readonly { words: string; what: string }[];
  /** Its outcome is text that may be long, so that progress is not shown on the same terminal. */
  prints?: "text";
  /**
   * Of a command that cannot be undone: what it will do for good, in one sentence. It is asked at a terminal before the
   * command runs; undefined asks nothing.
   */
  forGood?(call: Call<Own>): string | undefined;
  run(call: Call<Own>): Promise<Outcome>;
}

/** Commands that belong together, as the help and the manual show them. */
export interface Group {
  title: string;
  commands: readonly Command[];
}

/** A command whose `run` knows the types of its own flags. */
export function command<Own extends Flags>(definition: Command<Own>): Command {
  return definition;
}

/** A flag with a text. `value` is what stands for it in the help. */
export function flag(value: string, what: string): Flag<string | undefined> {
  return flagOf(value, what, (text) => text);
}

/** A flag with a text that `read` makes a value of. It throws for a text that it cannot take. */
export function flagOf<Value>(
  value: string,
  what: string,
  read: (text: string, name: string) => Value,
): Flag<Value | undefined> {
  return { value, what, read: (given, name) => (typeof given === "string" ? read(given, name) : undefined) };
}

/** The same flag, without which the command does nothing. */
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

/** A flag that takes one of several words. */
export function choice<Word extends string>(words: readonly Word[], what: string): Flag<Word | undefined> {
  return flagOf(words.join("|"), what, (text, name) => oneOf(text, name, words));
}

/** One of the allowed words. Throws on any other. */
export function oneOf<Word extends string>(value: string, name: string, allowed: readonly Word[]): Word {
  const word = allowed.find((each) => each === value);
  if (word === undefined) throw new Error(`${name} must be one of ${allowed.join(", ")}`);
  return word;
}

/** Reads whole seconds. */
export function seconds(text: string, name: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`${name} takes seconds`);
  return Number(text);
}

/** Reads a whole number from 1 to `most`. */
export function count(most: number): (text: string, name: string) => number {
  return (text, name) => {
    const value = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : 0;
    if (value < 1 || value > most) throw new Error(`${name} takes 1 to ${most}`);
    return value;
  };
}

/** How a command is written: its words, its operands, and its flags, those in brackets that it can do without. */
export function formOf({ words, operands = [], flags }: Command): string {
  const named = Object.entries(flags).map(([name, { value, needed: isNeeded }]) => {
    const written = value === undefined ? `--${name}` : `--${name} ${value}`;
    return isNeeded ? written : `[${written}]`;
  });
  const first = named.filter((each) => !each.startsWith("["));
  const rest = named.filter((each) => each.startsWith("["));
  return [words, ...operands.map(({ name }) => name), ...first, ...rest].join(" ");
}
