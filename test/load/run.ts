/**
 * `npm run load-model [-- --only TEXT] [--transaction-ms N] [--write]` plays the loads of `scenarios.ts`, and prints what
 * became of them. `--only` plays those whose group or name has the text. `--write` keeps the results for the page.
 */
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { assumed } from "./facts.ts";
import { bindingOf, inputsOf, keepResults, type Row, rowOf } from "./results.ts";
import { type Scenario, scenarios } from "./scenarios.ts";
import { play } from "./world.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    "transaction-ms": { type: "string" },
    write: { type: "boolean", default: false },
  },
});
if (values["transaction-ms"]) assumed.transactionSeconds = Number(values["transaction-ms"]) / 1000;

const chosen = scenarios.filter(({ group, name }) => `${group}: ${name}`.includes(values.only));

if (isMainThread) await main();
else parentPort?.postMessage(await rowOfScenario(chosen[workerData as number] as Scenario));

async function rowOfScenario(scenario: Scenario): Promise<Row> {
  return rowOf(scenario, await play(scenario));
}

/** Plays the loads on all cores, the longest first, and prints each row when it is there. */
async function main(): Promise<void> {
  if (values.write && (values.only !== "" || values["transaction-ms"])) {
    throw new RangeError("only a run of every load, as assumed, is kept");
  }
  const rows: Row[] = [];
  const size = ({ populations }: Scenario) =>
    populations.reduce((sum, { callsPerSecond }) => sum + callsPerSecond, 0);
  const order = chosen
    .map((scenario, at) => ({ at, size: size(scenario) }))
    .toSorted((a, b) => b.size - a.size);
  const next = async () => {
    for (let job = order.shift(); job; job = order.shift()) {
      const row = await playedElsewhere(job.at);
      rows[job.at] = row;
      console.log(lineOf(row));
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, next));
  if (values.write) {
    keepResults({ day: new Date().toISOString().slice(0, 10), inputs: await inputsOf(), rows });
    console.log("kept: now `npm run pages`");
  }
}

function playedElsewhere(at: number): Promise<Row> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: at, argv: process.argv.slice(2) });
    worker.once("message", resolve);
    worker.once("error", reject);
  });
}

function lineOf(row: Row): string {
  const shares = [...row.unstarted, ...row.refused].map((share) => `${(100 * share).toFixed(2)} %`);
  const lag = row.lag.map(({ p99, max }) => `${p99} s, ${max} s`);
  return [
    `${row.group}: ${row.name}`,
    ...shares,
    ...lag,
    row.sandboxes,
    row.shards,
    bindingOf(row).join("; "),
  ].join(" | ");
}
