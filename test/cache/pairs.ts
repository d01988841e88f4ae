/**
 * Pairs of questions, each with its author's verdict: whether one answer is right for both. The author had read no rule
 * of the cache before, so that the pairs can judge the rules (test/cache/README.md).
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";

/** Pairs of `same` get the very same answer from a careful expert. A `trap` looks alike and needs two answers. */
export type Verdict = "same" | "trap";
type Language = "en" | "zh" | "mixed";

export interface Pair {
  /** Language, verdict, family and a number: `en-trap-unit-03`. */
  id: string;
  language: Language;
  /** What the two texts differ in: one of `families`. */
  family: string;
  verdict: Verdict;
  a: string;
  b: string;
}

/** What texts may differ in, by verdict. */
export const families: Readonly<Record<Verdict, readonly string[]>> = {
  same: [
    ..."case contraction greeting numeral order paraphrase politeness punctuation spelling".split(" "),
    ..."synonym typing white-space width".split(" "),
  ],
  trap: [
    ..."audience case condition connective currency direction entity format identifier language".split(" "),
    ..."measure-word near-word number order polarity punctuation quote scope time unit verbatim".split(" "),
  ],
};

const languages: readonly Language[] = ["en", "zh", "mixed"];
const verdicts: readonly Verdict[] = ["same", "trap"];
const folder = new URL("pairs/", import.meta.url);

/** So many pairs may begin with the same words, because pairs from one mould say one thing many times. */
const alikeMax = 4;

/** Whether the id's pair is held out. A hash decides it, for a third of them, and not the author. */
export function isHeldOut(id: string): boolean {
  const digest = createHash("sha256").update(`question-pairs-1:${id}`).digest();
  return digest.readUInt32BE(0) % 3 === 0;
}

/** The pairs that are not held out, or those that are. Only `npm run cache-eval -- --held-out` reads the latter. */
export function readPairs(which: "open" | "held-out"): Pair[] {
  const place = which === "open" ? folder : new URL("held-out/", folder);
  return readdirSync(place)
    .filter((name) => name.endsWith(".jsonl"))
    .sort()
    .flatMap((name) => readFileSync(new URL(name, place), "utf8").trimEnd().split("\n"))
    .map((line) => JSON.parse(line) as Pair);
}

/** What is wrong with the form of pairs, a sentence each. `heldOut` says whether they must be held out or must not. */
export function faultsOf(pairs: readonly Pair[], heldOut: boolean): string[] {
  return [
    ...pairs.flatMap((pair) => faultsOfOne(pair, heldOut).map((fault) => `${pair.id}: ${fault}`)),
    ...repeated(pairs.map(({ id }) => id)).map((id) => `${id}: another pair has this id`),
    ...repeated(pairs.flatMap(({ a, b }) => [a, b])).map((text) => `a text stands twice: ${text}`),
    ...repeated(pairs.map(beginningOf), alikeMax).map((words) => `too many pairs begin with: ${words}`),
  ];
}

function faultsOfOne({ id, language, family, verdict, a, b }: Pair, heldOut: boolean): string[] {
  const faults: [boolean, string][] = [
    [!languages.includes(language), `unknown language ${language}`],
    [!verdicts.includes(verdict), `unknown verdict ${verdict}`],
    [!families[verdict]?.includes(family), `unknown family ${family}`],
    [!new RegExp(`^${language}-${verdict}-${family}-\\d\\d$`).test(id), "the id says something else"],
    [a.trim() === "" || b.trim() === "", "a text is empty"],
    [a === b, "both texts are equal"],
    [isHeldOut(id) !== heldOut, heldOut ? "is not held out" : "is held out"],
  ];
  return faults.filter(([isWrong]) => isWrong).map(([, fault]) => fault);
}

/** The first four words of an English text, or the first five characters of another. */
function beginningOf({ language, a }: Pair): string {
  const text = a.trim().toLowerCase();
  return language === "en" ? text.split(/\s+/u).slice(0, 4).join(" ") : [...text].slice(0, 5).join("");
}

/** Each value that stands in the list more than `most` times. */
function repeated(values: readonly string[], most = 1): string[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].filter(([, count]) => count > most).map(([value]) => value);
}
