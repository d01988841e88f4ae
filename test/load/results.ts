/** What the last run saw: `results.json`, and the page that is made of it. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { functionSizes } from "#infra/stage/function-sizes.ts";
import { settleConcurrency, usageBatchMax, usageWindowSeconds } from "#infra/stage/queue-settings.ts";
import { limits } from "#shared/base/limits.ts";
import { contentionTries } from "#shared/edges/store/dynamodb/transaction.ts";
import { postingTries } from "#shared/edges/store/ledger/late-postings.ts";
import { pageOf, tableOf } from "#test/house/pages/page.ts";
import { Random } from "#test/simulation/random.ts";
import { Batches } from "./batches.ts";
import { assumed, lambda } from "./facts.ts";
import type { Spans } from "./figures.ts";
import { countersOf, meterUnits } from "./meters.ts";
import type { Outcome } from "./world.ts";

/** A row of the table. Shares are of the calls of the first ten minutes, and of the rest. */
export interface Row {
  group: string;
  name: string;
  unstarted: Spans;
  refused: Spans;
  lag: [first: Lag, then: Lag];
  waiting: number;
  /** Refusals of a million calls, by what refused. */
  refusals: Record<string, number>;
  sandboxes: number;
  shards: number;
  /** The share of their time that settling functions worked. */
  busy: number;
}

/** How long events waited until they were recorded, in seconds. */
interface Lag {
  p99: number;
  max: number;
}

export interface Results {
  /** The day of the run. */
  day: string;
  /** What of the product the figures depend on. */
  inputs: Record<string, number>;
  rows: Row[];
}

const file = join(import.meta.dirname, "results.json");

export function readResults(): Results {
  return JSON.parse(readFileSync(file, "utf8")) as Results;
}

export function keepResults(results: Results): void {
  writeFileSync(file, `${JSON.stringify(results, undefined, 2)}\n`);
}

/** The constants and counts of the product that a run takes. Where one of them changes, the run must be made again. */
export async function inputsOf(): Promise<Record<string, number>> {
  const units = meterUnits("org_1", 100);
  const inputs: Record<string, number> = {
    usageBatchMax,
    usageWindowSeconds,
    settleConcurrency,
    contentionTries,
    postingTries,
    settleMemoryMb: functionSizes.settle.memoryMb,
    shardsMax: limits.shardsMax,
    shardHolds: limits.shardHolds,
    spreadHolds: limits.spreadHolds,
    shardTriesMax: limits.shardTriesMax,
    throttledShardsMax: limits.throttledShardsMax,
    keyCacheSeconds: limits.keyCacheSeconds,
    holdExpirySeconds: limits.holdExpirySeconds,
    unitsOf1Hold: units(1),
    unitsOf64Holds: units(64),
    countersOfFiveLevels: countersOf("org_1", 100, "levels").size,
    unitsOf1HoldOfFiveLevels: meterUnits("org_1", 100, "levels")(1),
  };
  for (const keys of [1, 100]) {
    for (const isSpread of [false, true]) {
      const batches = new Batches({ organizations: 1, keys, isSpread });
      const turns = await batches.of(usageBatchMax, new Random(1));
      const name = `ofFullBatch${keys}Keys${isSpread ? "Spread" : ""}`;
      const writes = turns.flat().flatMap((each) => each.writes);
      inputs[`turns${name}`] = turns.length;
      inputs[`units${name}`] = writes.reduce((sum, each) => sum + each.units, 0);
      inputs[`partitions${name}`] = new Set(writes.map(({ pk }) => pk)).size;
    }
  }
  return inputs;
}

/** A scenario's row. */
export function rowOf({ group, name }: Pick<Row, "group" | "name">, { figures, waiting }: Outcome): Row {
  const share = (spans: Spans): Spans => [
    spans[0] / Math.max(1, figures.calls[0]),
    spans[1] / Math.max(1, figures.calls[1]),
  ];
  const million = (figures.calls[0] + figures.calls[1]) / 1e6;
  const met = [...figures.refusals].filter(([, count]) => count > 0).toSorted((a, b) => b[1] - a[1]);
  return {
    group,
    name,
    unstarted: share(figures.unstarted),
    refused: share(figures.refused),
    lag: [figures.lagOf(0), figures.lagOf(1)],
    waiting,
    refusals: Object.fromEntries(met.map(([limit, count]) => [limit, Math.round(count / million)])),
    sandboxes: figures.sandboxes,
    shards: figures.shards,
    busy: figures.busy / figures.present,
  };
}

/** The lag that the ledger may have, seconds. */
const lagMax = 60;
/** A smaller share of refused calls is none. */
const shareMin = 0.0005;

const ofStarts = ["concurrency", "starts of sandboxes"];
const ofLedger = ["entries of an hour", "rollups of an hour", "ledger table", "transactions on one rollup"];
const isOfCalls = (limit: string) => !ofStarts.includes(limit) && !ofLedger.includes(limit);

/** What refuses calls or makes the ledger lag; of each kind the limit that refused most. */
export function bindingOf({ unstarted, refused, lag, refusals, busy }: Row): string[] {
  const most = (isOne: (limit: string) => boolean) => Object.keys(refusals).find(isOne) ?? "";
  const isBusy = busy > 0.95 && !ofLedger.some((limit) => limit in refusals);
  const when = ([first, then]: Spans, limit: string) =>
    then >= shareMin ? [limit] : first >= shareMin ? [`${limit}, at first`] : [];
  return [
    ...when(
      unstarted,
      most((limit) => ofStarts.includes(limit)),
    ),
    ...when(refused, most(isOfCalls)),
    ...when(
      lag.map(({ max }) => (max > lagMax ? 1 : 0)) as Spans,
      isBusy ? "settling functions" : most((limit) => ofLedger.includes(limit)),
    ),
  ];
}

const percent = (share: number) => {
  if (share === 0) return "0";
  return share < 0.001 ? "under 0.1 %" : `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;
};
const shares = ([first, then]: Spans) =>
  first === 0 && then === 0 ? "none" : `${percent(first)} · ${percent(then)}`;
const seconds = (value: number) =>
  value < 10 ? `${value.toFixed(1)} s` : `${Math.round(value).toLocaleString("en")} s`;

/** The table of the rows of a group. */
function tableOfGroup(rows: readonly Row[]): string {
  return tableOf(
    [
      "Calls a second",
      "Lambda's 429",
      "42900",
      "Ledger's lag: p99, most",
      "Sandboxes",
      "Shards",
      "Refusals of a million calls",
      "What ends it",
    ],
    rows.map((row) => [
      row.name,
      shares(row.unstarted),
      shares(row.refused),
      row.lag.map(({ p99, max }) => `${seconds(p99)}, ${seconds(max)}`).join(" · "),
      row.sandboxes.toLocaleString("en"),
      row.shards.toLocaleString("en"),
      Object.entries(row.refusals)
        .filter(([, count]) => count > 0)
        .slice(0, 3)
        .map(([limit, count]) => `${limit} ${count.toLocaleString("en")}`)
        .join("; "),
      bindingOf(row).join("; ") || "nothing",
    ]),
  );
}

const intro = `\`npm run load-model\` plays each load for an hour of simulated time. [What it plays, and what it leaves out](test/load/README.md).
**None of it ran on AWS.** [What follows from it](infra/cost/scale.md).

A cell with two parts has that of the first ten minutes, and that of the rest of the hour. Refusals are requests that a
limit refused, whether or not the call or the transaction came through later.`;

/** The page of results. */
export function loadPage({ day, rows }: Results): string {
  const groups = Map.groupBy(rows, ({ group }) => group);
  const assumptions = `Played on ${day}. Assumed: the items of a transaction are closed for ${1000 * assumed.transactionSeconds} ms; a partition that refuses
for ${assumed.splitSeconds / 60} minutes is split; an event takes ${Math.round(1e6 * assumed.settleCpuSeconds)} µs of a core, and a settling function has ${(functionSizes.settle.memoryMb / lambda.megabytesOfCore).toFixed(3)} of one.`;
  const parts = [...groups].map(([group, own]) => `## ${group}\n\n${tableOfGroup(own)}`);
  return pageOf({
    title: "Loads, and the limits that they meet",
    from: "test/load/results.json",
    text: [intro, assumptions, ...parts].join("\n\n"),
  });
}
