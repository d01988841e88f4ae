/**
 * `npm run bench -- --cache`: what the cache adds to the CPU of a call that misses. Calls that wish for it and calls that
 * wish for none take turns in the pipeline alone: the look-up and the recording are real, everything else is played.
 */
import { startLocal } from "#test/support/local.ts";
import type { PipelineRound } from "./pipelines.ts";
import { startPipelines } from "./shares.ts";
import { printSpread, spreadOf } from "./spread.ts";

const turns = 8;
const seconds = 1.5;
const inFlights = [1, 16, 64];

/** Measures, and prints both parts of the difference. */
export async function showCacheMiss(
  parts: AsyncDisposableStack,
  tell: (text: string) => void,
): Promise<void> {
  tell("starting `npm start`");
  const base = await startLocal();
  parts.defer(async () => void (await base.stop()));
  const pipelines = await startPipelines(base, base.endpoints.sqs, parts);
  const asked = { key: base.keys.subscription, request: "whole", seconds } as const;
  console.log("CPU that a miss of the cache adds to a call, µs: median (least – most)");
  for (const inFlight of inFlights) {
    const play = (pipeline: PipelineRound["pipeline"], cache: "exact" | "off") =>
      pipelines.play({ ...asked, pipeline, cache, inFlight });
    // The first turn compiles.
    const lookUps: number[] = [];
    const recordings: number[] = [];
    for (let turn = 0; turn <= turns; turn++) {
      tell(`${inFlight} in flight, turn ${turn} of ${turns}`);
      const off = await play("without AWS and provider", "off");
      const unrecorded = await play("also without recording", "exact");
      const recorded = await play("without AWS and provider", "exact");
      if (turn === 0) continue;
      lookUps.push(unrecorded - off);
      recordings.push(recorded - unrecorded);
    }
    const at = `${inFlight} in flight`.padEnd(14);
    console.log(`  ${at} the look-up ${printSpread(spreadOf(lookUps))}`);
    console.log(`  ${at} the write after the last byte ${printSpread(spreadOf(recordings))}`);
  }
}
