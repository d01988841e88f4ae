/** How fast and how small the gateway shall be, and whether it was so in this run. */
import { type Comparisons, paired, perTurn, type SideName } from "./comparison.ts";
import type { Sample, ScenarioName } from "./rounds.ts";
import { printNumber, printSpread, type Spread, spreadOf } from "./spread.ts";

interface Outcome extends Comparisons {
  /** Kilobytes of the gateway's bundle. */
  bundleKilobytes: number | undefined;
  /** The most that all of `npm start` had resident under load, without the embedded database. */
  wholePeakMegabytes: number | undefined;
}

interface Target {
  name: string;
  decimals: number;
  /** Undefined where this run has not measured it. */
  measured: (outcome: Outcome) => Spread | undefined;
  /** A figure without it is printed beside the others, and is no target. */
  most?: (outcome: Outcome) => number | undefined;
}

const samplesOf = ({ scenarios }: Comparisons, scenario: ScenarioName, side: SideName): Sample[] =>
  scenarios[scenario].sides[side] ?? [];

/** The gateway's CPU of a call by that of another side, in each turn. */
export function cpuRatios(comparisons: Comparisons, scenario: ScenarioName, by: SideName, of: SideName) {
  const cpu = (side: SideName) => perTurn.cpu(samplesOf(comparisons, scenario, side));
  return paired(cpu(of), cpu(by), (one, other) => one / other);
}

/** What a side adds to the provider's own median first byte, milliseconds in each turn. */
export function addedFirstByte(comparisons: Comparisons, scenario: ScenarioName, side: SideName): number[] {
  const median = perTurn.firstByte(0.5);
  const direct = median(samplesOf(comparisons, scenario, "direct"));
  return paired(median(samplesOf(comparisons, scenario, side)), direct, (with_, without) => with_ - without);
}

const byPortkey = (name: string, scenario: ScenarioName, most: number): Target => ({
  name: `${name}: CPU by Portkey's`,
  decimals: 2,
  measured: (outcome) => spreadOf(cpuRatios(outcome, scenario, "portkey", "gateway")),
  most: () => most,
});

const resident = (name: string, scenarios: ScenarioName[], most: number): Target => ({
  name: `resident in the gateway's process, ${name}, MB`,
  decimals: 0,
  measured: (outcome) =>
    spreadOf(scenarios.flatMap((scenario) => perTurn.peak(samplesOf(outcome, scenario, "gateway")))),
  most: () => most,
});

const one = (value: number | undefined) => spreadOf(value === undefined ? [] : [value]);

const targets: Target[] = [
  byPortkey("JSON of 1 KB, 64 in flight", "json", 0.6),
  byPortkey("SSE at once, 16 in flight", "stream", 0.7),
  byPortkey("body of 1 MB, 8 in flight", "large", 0.2),
  {
    name: "one stream at a time: added first byte p50, ms (1.5 × bare proxy's + a round trip)",
    decimals: 2,
    measured: (outcome) => spreadOf(addedFirstByte(outcome, "singleStream", "gateway")),
    most: (outcome) => {
      const proxy = spreadOf(addedFirstByte(outcome, "singleStream", "proxy"));
      const roundTrip = spreadOf(outcome.roundTripMs);
      return proxy && roundTrip && 1.5 * proxy.median + roundTrip.median;
    },
  },
  {
    // A whole answer waits until its usage is durable (design §3), so this is no measure of the way in.
    name: "one whole answer at a time: added first byte p50, ms",
    decimals: 2,
    measured: (outcome) => spreadOf(addedFirstByte(outcome, "single", "gateway")),
  },
  resident("bodies of 1 KB", ["json", "single", "singleStream", "stream", "paced"], 150),
  resident("bodies of 1 MB", ["large"], 220),
  {
    name: "resident in the process of `npm start` under load, MB",
    decimals: 0,
    measured: ({ wholePeakMegabytes }) => one(wholePeakMegabytes),
    most: () => 350,
  },
  {
    name: "bundle of the gateway, KB",
    decimals: 1,
    measured: ({ bundleKilobytes }) => one(bundleKilobytes),
    most: () => 300,
  },
];

const nameWidth = 84;

/** Prints each target that this run can tell of, and whether it was met. Of residence the most that was seen counts, else the median. */
export function showTargets(outcome: Outcome): void {
  console.log("\nTargets");
  for (const { name, decimals, measured, most } of targets) {
    const spread = measured(outcome);
    const limit = most?.(outcome);
    if (!spread || (most && limit === undefined)) continue;
    const cell = printSpread(spread, decimals).padStart(24);
    if (limit === undefined) {
      console.log(`  ${name.padEnd(nameWidth)}${cell}`);
      continue;
    }
    const counts = name.startsWith("resident") ? spread.most : spread.median;
    const verdict = counts <= limit ? "met" : "not met";
    const bound = `at most ${printNumber(limit, decimals)}`.padStart(16);
    console.log(`  ${name.padEnd(nameWidth)}${cell}${bound}  ${verdict}`);
  }
}
