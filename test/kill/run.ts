/**
 * `npm run kill-test -- --runs N [--seed S]`: kill −9 of the local gateway under load, until N runs count. Exits
 * 1 on a violation.
 */
import { parseArgs } from "node:util";
import { endedMin, killRounds } from "./rounds.ts";

const { values } = parseArgs({ options: { runs: { type: "string" }, seed: { type: "string" } } });
const runs = Number(values.runs ?? 20);
const seed = Number(values.seed ?? Date.now() % 1_000_000);
if (!Number.isSafeInteger(runs) || runs < 1 || !Number.isSafeInteger(seed)) {
  throw new Error("--runs and --seed take whole numbers");
}

const startedAt = performance.now();
console.log(`${runs} runs that count, with at least ${endedMin} calls ended before the kill; seed ${seed}`);
const { violations, ...figures } = await killRounds({ runs, seed, say: console.log });
for (const violation of violations) console.error(violation);
console.log(JSON.stringify({ ...figures, seconds: Math.round((performance.now() - startedAt) / 1000) }));
console.log(violations.length === 0 ? "0 lost, 0 double" : `${violations.length} violations`);
process.exitCode = violations.length === 0 ? 0 : 1;
