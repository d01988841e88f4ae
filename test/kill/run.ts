/**
 * `npm run kill-test -- --runs N [--seed S] [--only calls|orders]`. It kills the local gateway under load by kill −9, until
 * N runs count. Then it kills a process that has orders in hand, N times. Exits 1 on a violation.
 */
import { parseArgs } from "node:util";
import { killOrders } from "./orders/rounds.ts";
import { endedMin, killRounds } from "./rounds.ts";

const { values } = parseArgs({
  options: { runs: { type: "string" }, seed: { type: "string" }, only: { type: "string" } },
});
const runs = Number(values.runs ?? 20);
const seed = Number(values.seed ?? Date.now() % 1_000_000);
if (!Number.isSafeInteger(runs) || runs < 1 || !Number.isSafeInteger(seed)) {
  throw new Error("--runs and --seed take whole numbers");
}

const rounds = {
  calls: async () => {
    console.log(
      `${runs} runs that count, with at least ${endedMin} calls ended before the kill; seed ${seed}`,
    );
    return await killRounds({ runs, seed, say: console.log });
  },
  orders: async () => {
    console.log(`${runs} kills of a process that has orders in hand; seed ${seed}`);
    return await killOrders({ runs, seed, say: console.log });
  },
};
const names = ["calls", "orders"] as const;
const wanted = names.filter((name) => values.only === undefined || values.only === name);
if (wanted.length === 0) throw new Error("--only takes calls or orders");

process.exitCode = 0;
for (const name of wanted) {
  const startedAt = performance.now();
  const { violations, ...figures } = await rounds[name]();
  for (const violation of violations) console.error(violation);
  console.log(JSON.stringify({ ...figures, seconds: Math.round((performance.now() - startedAt) / 1000) }));
  console.log(violations.length === 0 ? "0 lost, 0 double" : `${violations.length} violations`);
  if (violations.length > 0) process.exitCode = 1;
}
