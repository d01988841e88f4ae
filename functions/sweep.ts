/**
 * The schedules: closes the holds of calls that died, or with `seal` seals the days and months that are
 * over. `older_than_seconds` is for a local start.
 */
import middy from "@middy/core";
import { type SealResult, seal } from "#shared/operations/seal.ts";
import { type SweepResult, sweep } from "#shared/operations/sweep.ts";
import { sweepDeps } from "./deps.ts";

const deps = sweepDeps();

interface SweepEvent {
  seal?: boolean;
  older_than_seconds?: number;
}

export const handler = middy<SweepEvent, SweepResult | SealResult>().handler(async (event: SweepEvent) => {
  if (event.seal === true) {
    const result = await seal(deps);
    deps.log("info", "sealed", { count: result.sealed });
    return result;
  }
  const seconds = event.older_than_seconds;
  const result = await sweep(deps, typeof seconds === "number" ? { older_than_seconds: seconds } : {});
  deps.log("info", "swept", { count: result.seized });
  return result;
});
