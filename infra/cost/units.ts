/** What `npm run bench` counts and measures of one call (test/bench/README.md "What a million calls cost"). */
import type { MeteringUnits, Recording } from "./metering.ts";

/** A call that is settled alone, on an item below 1 KB, whose key was read once in ten calls. */
export const plainCall: MeteringUnits = { writes: 3, reads: 0.2, sends: 1 };

/** Its entry, and the rollup that the events of a batch share, of each key and model. */
export const recording: Recording = { entry: 2, rollup: 2 };

/** Bytes of the line that a call logs: 410 to 450 by the length of its names. A test measures one. */
export const logBytes = 450;

/** Bytes that an entry, its share of a rollup and the intent take at most (shared/edges/store/README.md). */
export const keptBytes = 1024;

/** The key and its organization are read strongly, a unit each, when a process has not read them for this long. */
export const keyReads = 2;

/** CPU of a stream of 100 chunks, 10 ms apart, at 50 a second (test/bench/README.md), seconds. */
export const streamCpuSeconds = 0.007141;

/** What a video task takes besides its call, with so many polls (aws.md §7). */
export function taskUnits(polls: number): { transitions: number; invocations: number } {
  // Submit and Done; of each poll Wait, Poll and IsDone.
  return { transitions: 2 + 3 * polls, invocations: 1 + polls };
}

/** A look at a task waits for the provider; half a second in 256 MB is taken for it. */
export const lookGbSeconds = 0.25 * 0.5;
