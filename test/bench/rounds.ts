/**
 * The rounds of the bench: every scenario is played on all sides in turn, round after round, so that a busy machine is
 * busy for each of them. What is compared lies within one turn.
 */

import type { Round } from "./load.ts";
import type { Load } from "./load-client.ts";
import { paceMs, type requests } from "./provider.ts";
import { type CpuByThread, cpuBetween, cpuByThread, forgetPeak, peakMb } from "./resources.ts";
import { chunksPerStream } from "./vendor-answers.ts";

export const roundsOfABench = 4;

export type ScenarioName = "json" | "single" | "singleStream" | "stream" | "paced" | "large";

interface Played extends Pick<Round, "rhythm" | "callsMax"> {
  /** How long calls are started, on a side without a process to measure, and on the others. */
  seconds: [direct: number, measured: number];
}

interface Scenario extends Played {
  name: string;
  request: keyof typeof requests;
  /** How long they are started before the first round: V8 compiles while calls come, for some ten thousand of them. */
  warmUpSeconds: number;
}

export const scenarios: Record<ScenarioName, Scenario> = {
  json: {
    name: "JSON of 1 KB, 64 in flight",
    request: "whole",
    rhythm: { inFlight: 64 },
    seconds: [0.3, 1.5],
    warmUpSeconds: 8,
  },
  single: {
    name: "JSON of 1 KB, one at a time",
    request: "whole",
    rhythm: { inFlight: 1 },
    seconds: [0.3, 0.6],
    warmUpSeconds: 0.5,
  },
  singleStream: {
    name: `SSE of ${chunksPerStream} chunks at once, one at a time`,
    request: "stream",
    rhythm: { inFlight: 1 },
    seconds: [0.3, 0.6],
    warmUpSeconds: 0.5,
  },
  stream: {
    name: `SSE of ${chunksPerStream} chunks at once, 16 in flight`,
    request: "stream",
    rhythm: { inFlight: 16 },
    seconds: [0.3, 1.5],
    warmUpSeconds: 4,
  },
  paced: {
    name: `SSE of ${chunksPerStream} chunks every ${paceMs} ms, 50 started a second`,
    request: "paced",
    rhythm: { perSecond: 50 },
    seconds: [0.3, 0.8],
    warmUpSeconds: 0.5,
  },
  large: {
    name: "Body of 1 MB, 8 in flight",
    request: "large",
    rhythm: { inFlight: 8 },
    seconds: [0.3, 1.5],
    warmUpSeconds: 4,
  },
};

export const scenarioNames = Object.keys(scenarios) as ScenarioName[];

/** Whom the clients call. */
export interface Side {
  url: string;
  key: string;
  headers?: Record<string, string>;
  /** The process that serves it; none where only the answers count. */
  pid?: number;
}

export interface Sample {
  callsPerSecond: number;
  /** Milliseconds of every call until the first byte of its body. */
  firstByteMs: number[];
  /** Milliseconds of every call until its end. */
  wholeMs: number[];
  /** Microseconds a call, by thread; where the machine tells. */
  cpu?: CpuByThread;
  /** The most that was resident during the round. */
  peakMegabytes?: number;
}

/** Plays one round. Rejects when a call fails. */
export async function playRound(
  load: Load,
  { url, key, headers = {}, pid }: Side,
  { request, rhythm, callsMax, seconds: [direct, measured] }: Played & Pick<Round, "request">,
  seconds = pid === undefined ? direct : measured,
): Promise<Sample> {
  const isPeakKnown = pid !== undefined && forgetPeak(pid);
  const before = pid === undefined ? undefined : cpuByThread(pid);
  const result = await load.run({
    url,
    key,
    headers,
    request,
    rhythm,
    seconds,
    ...(callsMax && { callsMax }),
  });
  const after = pid === undefined ? undefined : cpuByThread(pid);
  const peak = isPeakKnown ? peakMb(pid) : undefined;
  return {
    callsPerSecond: result.calls / result.seconds,
    firstByteMs: result.firstByteMs,
    wholeMs: result.wholeMs,
    ...(before && after && { cpu: eachCall(cpuBetween(before, after), result.calls) }),
    ...(peak !== undefined && { peakMegabytes: peak }),
  };
}

function eachCall(seconds: CpuByThread, calls: number): CpuByThread {
  return new Map([...seconds].map(([name, whole]) => [name, (whole / calls) * 1e6]));
}

/** Microseconds of a call on all threads. */
export function wholeCpu({ cpu }: Sample): number | undefined {
  return cpu && [...cpu.values()].reduce((sum, each) => sum + each, 0);
}
