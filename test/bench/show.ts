/** The bench's figures as a table. */
import { dollars, dollarsOfTasks, type Metering } from "./cost.ts";
import type { RoundResult } from "./load.ts";

/** A round, and for one through the gateway the CPU it spent on each call, where the machine tells. */
export type Sample = RoundResult & { cpuMicroseconds?: number };

/** The rounds of both sides in one scenario, and what is told of them. */
export interface Comparison {
  name: string;
  figures: readonly (keyof typeof kinds)[];
  control: Sample[];
  gateway: Sample[];
}

export interface Figures {
  comparisons: Comparison[];
  residentMegabytes: number | undefined;
  /** The function's process alone, and all of `npm start`. */
  startMs: number;
  wholeStartMs: number;
  metering: { single: Metering; batched: Metering };
}

/** A rate and the CPU are the median of the rounds; times are of all calls together. */
const kinds = {
  rate: {
    label: "calls a second",
    of: (samples: Sample[]) =>
      percentile(
        samples.map(({ calls, seconds }) => calls / seconds),
        0.5,
      ),
  },
  cpu: {
    label: "CPU of the gateway a call, µs",
    of: (samples: Sample[]) =>
      percentile(
        samples.flatMap(({ cpuMicroseconds }) => cpuMicroseconds ?? []),
        0.5,
      ),
  },
  median: { label: "first byte p50, ms", of: (samples: Sample[]) => firstByte(samples, 0.5) },
  slowest: { label: "first byte p99, ms", of: (samples: Sample[]) => firstByte(samples, 0.99) },
};

const firstByte = (samples: Sample[], share: number) =>
  percentile(
    samples.flatMap(({ firstByteMs }) => firstByteMs),
    share,
  );

/** Prints everything to standard output. What this machine does not tell is left out. */
export function show(figures: Figures): void {
  console.log(line("", "control", "gateway", "added"));
  for (const { name, figures: names, control, gateway } of figures.comparisons) {
    console.log(name);
    for (const kind of names) {
      const { label, of } = kinds[kind];
      const values = [of(control), of(gateway)] as const;
      if (Number.isNaN(values[1])) continue;
      const isTime = kind === "median" || kind === "slowest";
      const cells = isTime ? [...values, values[1] - values[0]] : values;
      console.log(line(`  ${label}`, ...cells.map((value) => print(value, isTime ? 2 : 0))));
    }
  }
  console.log("\nGateway process");
  if (figures.residentMegabytes !== undefined)
    console.log(line("  resident after the load, MB", figures.residentMegabytes.toFixed(0)));
  console.log(line("  start until it serves, ms", figures.startMs.toFixed(0)));
  console.log(line("  all of `npm start`, ms", figures.wholeStartMs.toFixed(0)));
  showMetering(figures.metering);
  showTasks();
}

function showMetering({ single, batched }: Figures["metering"]): void {
  const row = (label: string, of: (metering: Metering) => number) =>
    console.log(line(label, of(single).toFixed(2), of(batched).toFixed(2)));
  console.log(line("\nAWS metering of a call, settled", "alone", "by ten"));
  row("  DynamoDB writes of the gateway, units", ({ gatewayWrites }) => gatewayWrites);
  row("  DynamoDB reads of the gateway, units", ({ gatewayReads }) => gatewayReads);
  row("  DynamoDB writes of the ledger, units", ({ ledgerWrites }) => ledgerWrites);
  row("  SQS requests", ({ queueRequests }) => queueRequests);
  row("  dollars a million calls", dollars);
}

/** A video of three minutes is looked at eight times (the worker's waits: 2, 5, 10 s, then ever longer up to 60 s). */
const pollsOfThreeMinutes = 8;

function showTasks(): void {
  const { transitions, invocations, dollars: whole } = dollarsOfTasks(pollsOfThreeMinutes);
  console.log("\nWorkflow of a video task of three minutes, by the price list");
  console.log(line("  state transitions", String(transitions)));
  console.log(line("  invocations of the worker", String(invocations)));
  console.log(line("  dollars a million tasks", whole.toFixed(0)));
}

function line(label: string, ...cells: string[]): string {
  return label.padEnd(44) + cells.map((cell) => cell.padStart(10)).join("");
}

function print(value: number, decimals: number): string {
  return Number.isNaN(value) ? "" : value.toFixed(decimals);
}

/** The smallest value that at least this share of all is not above; NaN of none. */
function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}
