/** Plays all scenarios on all sides, round after round, and compares what was measured within each turn. */
import type { Load } from "./load-client.ts";
import { peerNames } from "./peers.ts";
import { type EliminatedName, pipelineNames } from "./pipeline-names.ts";
import {
  playRound,
  roundsOfABench,
  type Sample,
  type ScenarioName,
  type Side,
  scenarioNames,
  scenarios,
  wholeCpu,
} from "./rounds.ts";
import type { Pipelines } from "./shares.ts";
import { percentile } from "./spread.ts";

/** `direct` is the provider without anything between. */
export const sideNames = ["direct", "proxy", "gateway", ...peerNames] as const;
export type SideName = (typeof sideNames)[number];

export interface Comparison {
  /** A sample of each turn. */
  sides: Partial<Record<SideName, Sample[]>>;
  /** Microseconds of a call in each turn, by what the pipeline had of real parts. */
  eliminated: Record<EliminatedName, number[]>;
}

export interface Comparisons {
  scenarios: Record<ScenarioName, Comparison>;
  /** Milliseconds of an admission's round trip to the store, of each turn. */
  roundTripMs: number[];
}

interface Compared {
  load: Load;
  sides: Partial<Record<SideName, Side>>;
  pipelines: Pipelines;
  /** Of the gateway. */
  key: string;
  roundTrip: () => Promise<number>;
  tell: (text: string) => void;
}

/** Of a round of the pipeline without its front. */
const pipelineSeconds = 0.3;

export async function compare(compared: Compared): Promise<Comparisons> {
  const { load, sides, roundTrip, tell } = compared;
  const names = Object.keys(sides) as SideName[];
  const measured: Comparisons = {
    scenarios: keyed(scenarioNames, () => ({
      sides: keyed(names, () => []),
      eliminated: keyed(pipelineNames, () => []),
    })),
    roundTripMs: [],
  };
  tell("warming up");
  for (const name of scenarioNames) {
    const { warmUpSeconds } = scenarios[name];
    for (const side of Object.values(sides)) await playRound(load, side, scenarios[name], warmUpSeconds);
    await playPipelines(compared, name, warmUpSeconds / 2);
  }
  for (let turn = 1; turn <= roundsOfABench; turn++) {
    tell(`round ${turn} of ${roundsOfABench}`);
    for (const name of scenarioNames) {
      const comparison = measured.scenarios[name];
      for (const [side, called] of Object.entries(sides) as [SideName, Side][]) {
        comparison.sides[side]?.push(await playRound(load, called, scenarios[name]));
      }
      const eliminated = await playPipelines(compared, name, pipelineSeconds);
      for (const [pipeline, cpu] of eliminated) comparison.eliminated[pipeline].push(cpu);
    }
    measured.roundTripMs.push(await roundTrip());
  }
  return measured;
}

function keyed<Name extends string, Value>(names: readonly Name[], make: () => Value): Record<Name, Value> {
  return Object.fromEntries(names.map((name) => [name, make()])) as Record<Name, Value>;
}

/** A steady rhythm is left out: its CPU is that of few calls, and of waits between them. */
async function playPipelines(
  { pipelines, key }: Compared,
  name: ScenarioName,
  seconds: number,
): Promise<[EliminatedName, number][]> {
  const { request, rhythm } = scenarios[name];
  if (!("inFlight" in rhythm) || rhythm.inFlight === 1) return [];
  const played: [EliminatedName, number][] = [];
  for (const pipeline of pipelineNames) {
    const round = { pipeline, key, request, inFlight: rhythm.inFlight, seconds };
    played.push([pipeline, await pipelines.play(round)]);
  }
  return played;
}

/** A figure of each turn. */
export const perTurn = {
  rate: (samples: Sample[]) => samples.map(({ callsPerSecond }) => callsPerSecond),
  cpu: (samples: Sample[]) => samples.flatMap((sample) => wholeCpu(sample) ?? []),
  peak: (samples: Sample[]) => samples.flatMap(({ peakMegabytes }) => peakMegabytes ?? []),
  firstByte: (share: number) => (samples: Sample[]) =>
    samples.flatMap(({ firstByteMs }) => percentile(firstByteMs, share) ?? []),
};

/** What `combine` makes of the two figures of each turn. */
export function paired(
  left: readonly number[],
  right: readonly number[],
  combine: (left: number, right: number) => number,
): number[] {
  return left.flatMap((value, turn) => {
    const other = right[turn];
    return other === undefined ? [] : [combine(value, other)];
  });
}
