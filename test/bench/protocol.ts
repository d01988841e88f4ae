/**
 * The protocol of GoModel's published comparison: six workloads, one call at a time and ten at once, 8,000 calls of each.
 * It prints one table. The gateway does all that it does for a call's money.
 */
import { perTurn, type SideName } from "./comparison.ts";
import type { Round } from "./load.ts";
import type { Load } from "./load-client.ts";
import { peerNames, peers } from "./peers.ts";
import { playRound, roundsOfABench, type Sample, type Side } from "./rounds.ts";
import { titles } from "./show-comparison.ts";
import type { Started } from "./sides.ts";
import { percentile, printNumber, spreadOf } from "./spread.ts";
import { type WorkloadName, workloadNames, workloads } from "./workloads.ts";

const concurrencies = [1, 10] as const;

/** A round ends by its number of calls; a side that needs longer has hung. */
const secondsMax = 3_600;

/** Of a row, by side. A side that does not serve the workload has none. */
type Samples = Partial<Record<SideName, Sample[]>>;

/** Plays `calls` calls of each workload on each side that serves it, and prints the table as Markdown. */
export async function playProtocol(
  { load, sides, pinning }: Pick<Started, "load" | "sides" | "pinning">,
  calls: number,
  tell: (text: string) => void,
): Promise<void> {
  const names = Object.keys(sides) as SideName[];
  const rows: string[][] = [];
  for (const workload of workloadNames) {
    const serving = await sidesThatServe(workload, sides, tell);
    for (const inFlight of concurrencies) {
      tell(`${workloads[workload].name}, ${inFlight} in flight`);
      const played = { request: workload, rhythm: { inFlight }, callsMax: Math.ceil(calls / roundsOfABench) };
      const samples = await playRow(load, serving, played);
      const cells = names.map((name) => cellOf(samples[name] ?? []));
      rows.push([workloads[workload].name, String(inFlight), ...cells]);
    }
  }
  printTable(names, rows);
  printNotes(names, calls, pinning.told);
}

/** One workload in all rounds, after one that warms up. */
async function playRow(
  load: Load,
  serving: readonly [SideName, Side][],
  played: Pick<Round, "request" | "rhythm" | "callsMax">,
): Promise<Samples> {
  const samples = Object.fromEntries(serving.map(([name]) => [name, [] as Sample[]]));
  for (let turn = 0; turn <= roundsOfABench; turn++) {
    for (const [name, side] of serving) {
      const sample = await playRound(load, side, { ...played, seconds: [secondsMax, secondsMax] });
      if (turn > 0) samples[name]?.push(sample);
    }
  }
  return samples;
}

/** Asks each side once, and leaves out those whose answer does not end as the provider's does. */
async function sidesThatServe(
  workload: WorkloadName,
  sides: Partial<Record<SideName, Side>>,
  tell: (text: string) => void,
): Promise<[SideName, Side][]> {
  const serving: [SideName, Side][] = [];
  const { name, path, body } = workloads[workload];
  for (const [side, { url, key, headers }] of Object.entries(sides) as [SideName, Side][]) {
    const reply = await fetch(url + path, {
      method: "POST",
      headers: { ...headers, authorization: `Bearer ${key}`, "content-type": "application/json" },
      body,
    });
    const text = await reply.text();
    if (reply.ok && /"(?:stop|end_turn|completed)"/.test(text)) serving.push([side, sides[side] as Side]);
    else tell(`${titles[side]} does not serve ${name}: ${reply.status} ${text.slice(0, 200)}`);
  }
  return serving;
}

/** `989/s · 1.02 / 2.31 ms · 804 µs · 131 MB`; the parts that the machine does not tell are left out. */
function cellOf(samples: Sample[]): string {
  if (samples.length === 0) return "–";
  const median = (values: number[]) => spreadOf(values)?.median;
  const wholeMs = samples.flatMap((sample) => sample.wholeMs);
  const [p50 = 0, p99 = 0] = [0.5, 0.99].map((share) => percentile(wholeMs, share));
  const cpu = median(perTurn.cpu(samples));
  const megabytes = spreadOf(perTurn.peak(samples))?.most;
  return [
    `${printNumber(median(perTurn.rate(samples)) ?? 0)}/s`,
    `${printNumber(p50, 2)} / ${printNumber(p99, 2)} ms`,
    ...(cpu === undefined ? [] : [`${printNumber(cpu)} µs`]),
    ...(megabytes === undefined ? [] : [`${printNumber(megabytes)} MB`]),
  ].join(" · ");
}

function printTable(names: readonly SideName[], rows: readonly string[][]): void {
  const head = ["Workload", "In flight", ...names.map((name) => titles[name])];
  for (const cells of [head, head.map(() => "---"), ...rows]) console.log(`| ${cells.join(" | ")} |`);
}

/** What the table needs beside it to be read. */
function printNotes(names: readonly SideName[], calls: number, told: string): void {
  const meters = peerNames
    .filter((name) => names.includes(name))
    .map((name) => `${peers[name].title} meters ${peers[name].meters}.`);
  const lines = [
    `Node ${process.version}; ${told}.`,
    `${printNumber(calls)} calls of each row and side, in ${roundsOfABench} rounds in turn after a warm-up as long as one.`,
    "A cell: calls a second · p50 / p99 of a whole call · CPU of the side's process a call · most memory resident.",
    "The gateway authenticates each call, holds its price, writes an intent, a usage event, a settlement and a log line.",
    ...meters,
  ];
  console.log(`\n${lines.map((line) => `- ${line}`).join("\n")}`);
}
