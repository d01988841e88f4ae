/**
 * `npm run expressions`: recheck looks at each regular expression that a stranger's bytes can reach. It proves that the
 * time grows no faster than the text, or shows a text that refutes this. The command ends with 1 where one is refuted, and
 * lists what recheck cannot decide in its time. The timed test of `test/house` looks at those too. The first run installs
 * recheck into `.local/recheck`, since nothing else needs its 60 MB.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { reachedExpressions } from "./literals.ts";

const version = "4.5.0";
const folder = join(import.meta.dirname, "../../.local/recheck");
const checkMs = 5_000;

/** What recheck says of one expression, as far as it is read here. */
interface Verdict {
  status: "safe" | "vulnerable" | "unknown";
  complexity?: { summary: string };
  attack?: { string: string };
}

type Check = (source: string, flags: string, params: { timeout: number }) => Promise<Verdict>;

function install(): Check {
  const installed = join(folder, "node_modules/recheck/package.json");
  if (!existsSync(installed)) {
    console.error(`installing recheck ${version}`);
    mkdirSync(folder, { recursive: true });
    const wanted = { private: true, dependencies: { recheck: version } };
    writeFileSync(join(folder, "package.json"), JSON.stringify(wanted));
    const words = ["install", "--no-audit", "--no-fund", "--ignore-scripts"];
    execFileSync("npm", words, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  }
  return (createRequire(join(folder, "package.json"))("recheck") as { check: Check }).check;
}

const check = install();
const expressions = reachedExpressions();
const counts = { safe: 0, vulnerable: 0, unknown: 0 };
for (const [at, { source, flags, place }] of expressions.entries()) {
  const { status, complexity, attack } = await check(source, flags, { timeout: checkMs });
  counts[status] += 1;
  if (status === "vulnerable") {
    console.log(
      `${place} /${source}/${flags}: ${complexity?.summary}, for example ${attack?.string.slice(0, 200)}`,
    );
  } else if (status === "unknown") console.log(`${place} /${source}/${flags}: not decided`);
  if (process.stderr.isTTY) process.stderr.write(`\r${at + 1} of ${expressions.length}`);
}
console.log(
  `${expressions.length} expressions: ${counts.safe} linear, ${counts.unknown} not decided, ${counts.vulnerable} refuted`,
);
process.exitCode = counts.vulnerable > 0 ? 1 : 0;
