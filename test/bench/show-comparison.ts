/** The rounds as a table: a block for each scenario, a column for each side. */
import { type Comparison, type Comparisons, perTurn, type SideName, sideNames } from "./comparison.ts";
import { peerNames, peers } from "./peers.ts";
import { type Sample, scenarioNames, scenarios } from "./rounds.ts";
import { sharesOf } from "./shares.ts";
import { printNumber, printSpread, spreadOf } from "./spread.ts";
import { addedFirstByte, cpuRatios } from "./targets.ts";

export const titles: Record<SideName, string> = {
  direct: "provider alone",
  proxy: "bare proxy",
  gateway: "gateway",
  portkey: peers.portkey.title,
  litellm: peers.litellm.title,
};

/** Threads by their name in Linux, which has at most 15 letters. */
const threads: [title: string, names: RegExp][] = [
  ["main", /^(?:MainThread|node)$/],
  ["workers", /^WorkerThread/],
  ["V8", /^V8Worker$/],
];

const labelWidth = 40;
const cellWidth = 26;

/** Prints every figure as the median of the rounds, with the least and the most of them. */
export function showComparisons(comparisons: Comparisons): void {
  const sides = sideNames.filter((side) => comparisons.scenarios.json.sides[side]);
  console.log(row("", (side) => titles[side], sides));
  for (const name of scenarioNames) {
    console.log(scenarios[name].name);
    const inTurns = (label: string, of: (side: SideName) => number[], decimals = 0) => {
      const line = row(`  ${label}`, (side) => printSpread(spreadOf(of(side)), decimals), sides);
      if (line.trimEnd() !== `  ${label}`) console.log(line);
    };
    const samplesOf = (side: SideName) => comparisons.scenarios[name].sides[side] ?? [];
    const { rhythm } = scenarios[name];
    if ("inFlight" in rhythm && rhythm.inFlight > 1) {
      inTurns("calls a second", (side) => perTurn.rate(samplesOf(side)));
    } else {
      inTurns("first byte p50, ms", (side) => perTurn.firstByte(0.5)(samplesOf(side)), 2);
      inTurns("first byte p99, ms", (side) => perTurn.firstByte(0.99)(samplesOf(side)), 2);
      const added = (side: SideName) => (side === "direct" ? [] : addedFirstByte(comparisons, name, side));
      inTurns("added to the first byte p50, ms", added, 2);
    }
    inTurns("CPU a call, µs", (side) => perTurn.cpu(samplesOf(side)));
    console.log(row(`  of it ${threadTitles}, %`, (side) => printThreads(samplesOf(side)), sides));
    const by = (other: SideName) => (side: SideName) =>
      side === other ? [] : cpuRatios(comparisons, name, other, side);
    inTurns("CPU by the bare proxy's", by("proxy"), 2);
    for (const peer of peerNames) inTurns(`CPU by ${titles[peer]}'s`, by(peer), 2);
    inTurns("most that was resident, MB", (side) => perTurn.peak(samplesOf(side)));
  }
  console.log(
    `An admission's round trip to the store, ms: ${printSpread(spreadOf(comparisons.roundTripMs), 2)}`,
  );
  showShares(comparisons);
}

const threadTitles = [...threads.map(([title]) => title), "others"].join(" · ");

/** How much of the CPU each kind of thread takes, over all rounds. */
function printThreads(samples: Sample[]): string {
  const seconds = new Map<string, number>();
  for (const [thread, each] of samples.flatMap(({ cpu }) => [...(cpu ?? [])])) {
    const title = threads.find(([, names]) => names.test(thread))?.[0] ?? "others";
    seconds.set(title, (seconds.get(title) ?? 0) + each);
  }
  const whole = [...seconds.values()].reduce((sum, each) => sum + each, 0);
  if (whole === 0) return "";
  return [...threads.map(([title]) => title), "others"]
    .map((title) => printNumber(((seconds.get(title) ?? 0) / whole) * 100))
    .join(" · ");
}

/** Which part of the gateway takes how much. A small share may come out below nothing: it is a difference. */
function showShares(comparisons: Comparisons): void {
  const names = scenarioNames.filter((name) => comparisons.scenarios[name].eliminated.composed.length > 0);
  console.log(
    "\nParts of the gateway's CPU a call, µs: what is saved when a stand-in takes the part's place",
  );
  console.log("".padEnd(labelWidth) + names.map((name) => scenarios[name].name.padStart(42)).join(""));
  const columns = names.map((name) => sharesPerTurn(comparisons.scenarios[name]));
  for (const part of Object.keys(columns[0] ?? {})) {
    const cells = columns.map((column) => printSpread(spreadOf(column[part] ?? [])).padStart(42));
    console.log(`  ${part}`.padEnd(labelWidth) + cells.join(""));
  }
}

function sharesPerTurn({ sides, eliminated }: Comparison): Record<string, number[]> {
  const gateway = perTurn.cpu(sides.gateway ?? []);
  const { composed, "without AWS": noAws, "without AWS and provider": alone } = eliminated;
  const inTurns = gateway.map((whole, turn) =>
    sharesOf(whole, {
      composed: composed[turn] ?? Number.NaN,
      "without AWS": noAws[turn] ?? Number.NaN,
      "without AWS and provider": alone[turn] ?? Number.NaN,
    }),
  );
  const parts = Object.keys(inTurns[0] ?? {});
  return Object.fromEntries(parts.map((part) => [part, inTurns.map((shares) => shares[part] ?? Number.NaN)]));
}

function row(label: string, cell: (side: SideName) => string, sides: readonly SideName[]): string {
  return label.padEnd(labelWidth) + sides.map((side) => cell(side).padStart(cellWidth)).join("");
}
