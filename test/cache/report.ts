/** How a rule does on pairs: how much of `same` it serves, and how many traps. */
import type { Pair, Verdict } from "./pairs.ts";
import type { Rule } from "./rules.ts";
import { wilsonBounds } from "./wilson.ts";

/** How many of some pairs a rule serves. */
interface Tally {
  pairs: number;
  served: number;
}

/** What a rule does with the pairs of one language and family. */
interface Row extends Tally {
  language: string;
  family: string;
}

/** The tally of the pairs with this verdict. */
export function tallyOf(rule: Rule, pairs: readonly Pair[], verdict: Verdict): Tally {
  const judged = pairs.filter((pair) => pair.verdict === verdict);
  return { pairs: judged.length, served: judged.filter(({ a, b }) => rule.serves(a, b)).length };
}

/** The traps that the rule serves: each of them is a wrong answer to somebody. */
export function servedTraps(rule: Rule, pairs: readonly Pair[]): Pair[] {
  return pairs.filter(({ verdict, a, b }) => verdict === "trap" && rule.serves(a, b));
}

/** The tallies of each family, by language. */
export function rowsOf(rule: Rule, pairs: readonly Pair[], verdict: Verdict): Row[] {
  const groups = Map.groupBy(
    pairs.filter((pair) => pair.verdict === verdict),
    ({ language, family }) => `${language} ${family}`,
  );
  return [...groups]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, group]) => {
      const [language = "", family = ""] = name.split(" ");
      return { language, family, ...tallyOf(rule, group, verdict) };
    });
}

/** The lines of a rule's report on pairs: by language and family, by language, and in all. */
export function linesOf(rule: Rule, pairs: readonly Pair[]): string[] {
  return [
    ...["", "served of `same`", heading],
    ...linesOfVerdict(rule, pairs, "same"),
    ...["", "false of `trap`", heading],
    ...linesOfVerdict(rule, pairs, "trap"),
  ];
}

function linesOfVerdict(rule: Rule, pairs: readonly Pair[], verdict: Verdict): string[] {
  const languages = [...new Set(pairs.map(({ language }) => language))].sort();
  const ofLanguage = (language: string) => pairs.filter((pair) => pair.language === language);
  return [
    ...rowsOf(rule, pairs, verdict).map((row) => lineOf(`  ${row.language} ${row.family}`, row)),
    ...languages.map((language) =>
      lineOf(`  ${language}, all`, tallyOf(rule, ofLanguage(language), verdict)),
    ),
    lineOf("  all", tallyOf(rule, pairs, verdict)),
  ];
}

const heading = `${"".padEnd(24)}${"pairs".padStart(7)}${"served".padStart(8)}${"share".padStart(9)}   95 % bounds`;

/** One line: the name, the pairs, how many are served, their share, and what the share may be. */
export function lineOf(name: string, { pairs, served }: Tally): string {
  const { low, high } = wilsonBounds(served, pairs);
  const share = pairs === 0 ? "–" : percent(served / pairs);
  const cells = [String(pairs).padStart(7), String(served).padStart(8), share.padStart(9)];
  return `${name.padEnd(24)}${cells.join("")}   ${percent(low)} to ${percent(high)}`;
}

const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
