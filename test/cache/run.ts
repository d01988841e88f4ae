/**
 * `npm run cache-eval [-- [--rule NAME] [--held-out]]`: what a rule of the cache does with labelled pairs of
 * questions. It prints how much of `same` the rule serves and how many traps, by language and family, with
 * Wilson's bounds, and the totals of all rules. With `--held-out` it opens the pairs that are held out and reports on
 * them, and then on all pairs together. Exits 1 when a rule that must be exact serves a trap, 2 for a rule that is
 * unknown or for pairs that are malformed.
 */
import { parseArgs } from "node:util";
import { faultsOf, type Pair, readPairs } from "./pairs.ts";
import { lineOf, linesOf, servedTraps, tallyOf } from "./report.ts";
import { type Rule, rules } from "./rules.ts";

const { values } = parseArgs({
  options: {
    rule: { type: "string", default: "canonical" },
    "held-out": { type: "boolean", default: false },
  },
});

function showTotals(title: string, pairs: readonly Pair[]): void {
  console.log(`\n${title}`);
  for (const [name, rule] of Object.entries(rules)) {
    console.log(lineOf(`  ${name}, same`, tallyOf(rule, pairs, "same")));
    console.log(lineOf(`  ${name}, trap`, tallyOf(rule, pairs, "trap")));
  }
}

function main(name: string, heldOut: boolean): number {
  const rule: Rule | undefined = Object.hasOwn(rules, name) ? rules[name] : undefined;
  if (!rule) {
    console.error(`There is no rule ${name}. The rules are ${Object.keys(rules).join(", ")}.`);
    return 2;
  }
  const open = readPairs("open");
  const hidden = heldOut ? readPairs("held-out") : [];
  const faults = [...faultsOf(open, false), ...faultsOf(hidden, true)];
  if (faults.length > 0) {
    console.error(faults.join("\n"));
    return 2;
  }
  const judged = heldOut ? hidden : open;
  console.log(`${name} on the pairs that are ${heldOut ? "" : "not "}held out`);
  console.log(linesOf(rule, judged).join("\n"));
  showTotals(`All rules on the pairs that are ${heldOut ? "" : "not "}held out`, judged);
  if (heldOut) showTotals("All rules on all pairs", [...open, ...hidden]);

  const traps = servedTraps(rule, [...open, ...hidden]);
  if (!rule.isExact || traps.length === 0) return 0;
  console.log(`\n${name} must serve no trap, and serves ${traps.length}:`);
  for (const { id, a, b } of traps)
    console.log(`  ${id}\n    ${JSON.stringify(a)}\n    ${JSON.stringify(b)}`);
  return 1;
}

process.exitCode = main(values.rule, values["held-out"]);
