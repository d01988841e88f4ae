/** Rules against the answer to another question (README.md "Rules"). What they do not know must be the same in both. */
import { isLiteral } from "../canonical.ts";
import { bounds } from "./bounds.ts";
import {
  articles,
  connectives,
  directions,
  fillers,
  mildWords,
  negations,
  scopes,
  times,
  units,
} from "./rules/english.ts";
import { read } from "./rules/reading.ts";

/** What a rule found. */
export type RuleName =
  | "size"
  | "literal"
  | "script"
  | "signs"
  | "numbers"
  | "polarity"
  | "units"
  | "connectives"
  | "scope"
  | "direction"
  | "time"
  | "question"
  | "names"
  | "one_slot"
  | "words"
  | "order";

/** Why the answer to `kept` does not serve `asked`, or undefined where no rule refuses. Which is which says nothing. */
export function refusalOf(asked: string, kept: string): RuleName | undefined {
  if (Math.max(asked.length, kept.length) > bounds.comparedCharsMax) return "size";
  if (isLiteral(asked) || isLiteral(kept)) return "literal";
  const one = read(asked);
  const other = read(kept);
  if (!one || !other) return "script";
  if (!isEqual(one.signs, other.signs)) return "signs";
  const [mine, yours] = compared(one.sentences, other.sentences);
  if (isEqual(mine.keys, yours.keys)) return haveOthers(mine.mild, yours.mild) ? "one_slot" : undefined;
  return refusalOfWords(mine.keys, yours.keys, new Set([...one.names, ...other.names]));
}

interface Compared {
  /** The words that count, in their order, with the marks between them. */
  keys: string[];
  /** Words that change little. */
  mild: string[];
}

function compared(one: string[][], other: string[][]): [Compared, Compared] {
  const all = [one, other].map((sentences) => sentences.flatMap((each) => [...each, "."]));
  // "to" says whither where the other end is named too.
  const isDirected = all.some((keys) => keys.includes("from") || keys.includes("into"));
  // At the end such a word counts: `What is it for?`, `What does she do?`.
  const isMild = (key: string, at: number, keys: readonly string[]) =>
    mildWords.has(key) && !isMark(keys[at + 1] ?? "") && !(key === "to" && isDirected);
  const isIdle = (key: string, at: number, keys: readonly string[]) =>
    fillers.has(key) || isMild(key, at, keys);
  // `What is time?` and `What is the time?` differ.
  const contents = all.map((keys) => keys.filter((key, at) => !articles.has(key) && !isIdle(key, at, keys)));
  const isShort = contents.some(({ length }) => length < 4);
  const [first, second] = all.map((keys) => ({
    keys: keys.filter((key, at) => !isIdle(key, at, keys) && (isShort || !articles.has(key))),
    mild: keys.filter(isMild).map((key) => mildWords.get(key) ?? key),
  }));
  const nothing = { keys: [], mild: [] };
  return [first ?? nothing, second ?? nothing];
}

/** Whether each of two lists has something that the other has not. */
function haveOthers(one: readonly string[], other: readonly string[]): boolean {
  return without(one, other).length > 0 && without(other, one).length > 0;
}

const isMark = (key: string) => key === "," || key === ".";

/** Rules by the words that differ, the first that finds one. */
const classes: readonly (readonly [RuleName, (key: string) => boolean])[] = [
  ["numbers", (key) => /\p{N}/u.test(key)],
  ["polarity", (key) => negations.has(key)],
  ["units", (key) => units.has(key)],
  ["connectives", (key) => connectives.has(key)],
  ["scope", (key) => scopes.has(key)],
  ["direction", (key) => directions.has(key)],
  ["time", (key) => times.has(key)],
  ["question", (key) => key.startsWith("?")],
];

function refusalOfWords(mine: string[], yours: string[], names: ReadonlySet<string>): RuleName {
  const here = without(mine, yours);
  const there = without(yours, mine);
  const differing = [...here, ...there].filter((key) => !isMark(key));
  if (differing.length === 0) return here.length + there.length > 0 ? "words" : "order";
  for (const [name, isOne] of classes) if (differing.some(isOne)) return name;
  if (differing.some((key) => names.has(key) || /\p{Lu}/u.test(key))) return "names";
  return here.length === 1 && there.length === 1 ? "one_slot" : "words";
}

/** Those of the one list that the other has not, each as often as it is missing. */
function without(one: readonly string[], other: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const key of other) counts.set(key, (counts.get(key) ?? 0) + 1);
  return one.filter((key) => {
    const left = counts.get(key) ?? 0;
    counts.set(key, left - 1);
    return left <= 0;
  });
}

function isEqual(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((each, at) => each === other[at]);
}
