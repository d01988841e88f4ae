/** The scheduled sweep: closes the holds of calls that died. `older_than_seconds` is for a local start. */
import middy from "@middy/core";
import { type SweepResult, sweep } from "#shared/operations/sweep.ts";
import { sweepDeps } from "./deps.ts";

const deps = sweepDeps();

interface SweepEvent {
  older_than_seconds?: number;
}

export const handler = middy<SweepEvent, SweepResult>().handler(async (event: SweepEvent) => {
  const seconds = event.older_than_seconds;
  const result = await sweep(deps, typeof seconds === "number" ? { older_than_seconds: seconds } : {});
  deps.log("info", "swept", { count: result.seized });
  return result;
});
