/**
 * The schedule's pass over the meters: closes calls that died, repairs tasks, tends wallets, and tells of thresholds. It
 * reads the meters that may have calls in flight, and once an hour all (shared/edges/store/README.md "Marks").
 */
import { limits } from "../../base/limits.ts";
import type { Meter, Meters } from "../../books/meters/meter.ts";
import { type RepairDeps, type RepairResult, repairTasks } from "../../calls/tasks/repair.ts";
import { type SweepDeps, type SweepResult, sweep } from "./sweep.ts";
import { type ThresholdDeps, ThresholdLooks } from "./tell-thresholds.ts";

export interface PassDeps extends SweepDeps, RepairDeps, ThresholdDeps {
  accounts: SweepDeps["accounts"] & ThresholdDeps["accounts"];
  meters: SweepDeps["meters"] &
    RepairDeps["meters"] &
    ThresholdDeps["meters"] &
    Pick<Meters, "meterPages" | "unmark" | "passState" | "keepPassState">;
}

interface PassOptions {
  /** Leaves holds and tasks alone that are younger. By default no call of that age can be alive. */
  older_than_seconds?: number;
  /** No page is read from this instant on (Unix ms). The next pass goes on there. */
  until?: number;
}

export interface PassResult extends SweepResult {
  tasks: RepairResult;
  /** How many meter items were read. */
  meters: number;
}

/** One pass, or as much of it as there is time for. */
export async function pass(
  { until = Infinity, ...options }: PassOptions,
  deps: PassDeps,
): Promise<PassResult> {
  const state = await deps.meters.passState();
  const isEveryDue = state.every_at + limits.everyMeterSeconds * 1000 <= deps.now();
  const from = state.next ?? (isEveryDue ? "meters" : "marked");
  const withTasks: Meter[] = [];
  const looks = new ThresholdLooks(deps);
  let read = 0;
  let every_at = state.every_at;
  let next: string | undefined;

  async function* listed() {
    for await (const page of deps.meters.meterPages(from)) {
      yield* page.meters;
      read += page.meters.length;
      withTasks.push(...page.meters.filter(({ tasks }) => tasks.size > 0));
      await looks.lookAt(page.meters, page.listed === "meters");
      await Promise.all(page.meters.filter(isIdle).map((meter) => deps.meters.unmark(meter, deps.now())));
      next = page.next;
      if (next === undefined && page.listed === "meters") every_at = deps.now();
      if (deps.now() >= until) return;
    }
  }
  const swept = await sweep(options, { ...deps, meters: { ...deps.meters, everyMeter: listed } });
  const own = { ...deps.meters, everyMeter: () => each(withTasks) };
  const tasks = await repairTasks(options, { ...deps, meters: own });
  if (next !== state.next || every_at !== state.every_at) await deps.meters.keepPassState({ every_at, next });
  return { ...swept, tasks, meters: read };
}

/** Whether a pass has nothing to do on this item, also if it comes back later. Its next call marks it again. */
function isIdle({ holds, seized, tasks, opened }: Meter): boolean {
  return holds.size + seized.size + tasks.size === 0 && opened === 1;
}

async function* each<Value>(values: readonly Value[]): AsyncGenerator<Value> {
  yield* values;
}
