/**
 * `npm run bench -- --cache`: what the cache adds to the CPU of a call that misses. Calls that wish for it and calls that
 * wish for none take turns in the pipeline alone: the look-up and the recording are real, everything else is played.
 * What one request to AWS costs is measured in the same turns, because that differs from machine to machine.
 */
import { startLocal } from "#test/support/local.ts";
import type { PipelineName } from "./pipeline-names.ts";
import { type Pipelines, startPipelines } from "./shares.ts";
import { printSpread, spreadOf } from "./spread.ts";

const turns = 8;
const seconds = 1;
const inFlights = [1, 16, 64];

/** What is played in each turn: the pipeline, and the wish of its calls. */
const plays = {
  off: ["without AWS and provider, answers cut short", "off"],
  looked: ["without AWS and provider, answers cut short", "exact"],
  unread: ["also without the cache's requests, answers cut short", "exact"],
  recorded: ["without AWS and provider", "exact"],
  intended: ["beside an intent, answers cut short", "off"],
  lookedBeside: ["beside an intent, answers cut short", "exact"],
  read: ["a read alone", "off"],
} as const satisfies Record<string, [PipelineName, "exact" | "off"]>;

type Turn = Record<keyof typeof plays, number>;

/** What is printed, as a difference within one turn. */
const figures: Record<string, (turn: Turn) => number> = {
  "control: one read of AWS and no call": ({ read }) => read,
  "control: an intent, one write of a call": ({ intended, off }) => intended - off,
  "the look-up": ({ looked, off }) => looked - off,
  "the look-up, its request not sent": ({ unread, off }) => unread - off,
  "the look-up beside an intent": ({ lookedBeside, intended }) => lookedBeside - intended,
  "the write after the last byte": ({ recorded, looked }) => recorded - looked,
};

/** Measures, and prints the parts of the difference. */
export async function showCacheMiss(
  parts: AsyncDisposableStack,
  tell: (text: string) => void,
): Promise<void> {
  tell("starting `npm start`");
  const base = await startLocal();
  parts.defer(async () => void (await base.stop()));
  const pipelines = await startPipelines(base, base.endpoints.sqs, parts);
  console.log("CPU that a miss of the cache adds to a call, µs: median (least – most)");
  for (const inFlight of inFlights) {
    const measured: Turn[] = [];
    for (let turn = 0; turn <= turns; turn++) {
      tell(`${inFlight} in flight, turn ${turn} of ${turns}`);
      const played = await playAll(pipelines, base.keys.subscription, inFlight);
      // The first turn compiles.
      if (turn > 0) measured.push(played);
    }
    for (const [name, of] of Object.entries(figures))
      console.log(`  ${`${inFlight} in flight`.padEnd(14)} ${name.padEnd(40)} ${print(measured.map(of))}`);
  }
}

async function playAll(pipelines: Pipelines, key: string, inFlight: number): Promise<Turn> {
  const turn: Partial<Turn> = {};
  for (const [name, [pipeline, cache]] of Object.entries(plays))
    turn[name as keyof Turn] = await pipelines.play({
      key,
      request: "whole",
      seconds,
      inFlight,
      pipeline,
      cache,
    });
  return turn as Turn;
}

function print(microseconds: number[]): string {
  return printSpread(spreadOf(microseconds));
}
