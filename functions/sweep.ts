/**
 * The scheduled work: closes the holds of dead calls and repairs tasks, or with `seal` posts plan fees and seals. An
 * execution that failed is an event, and repairs that one task. `older_than_seconds` is for a local start.
 */
import middy from "@middy/core";
import { type RepairResult, repairTask, repairTasks } from "#shared/calls/tasks/repair.ts";
import { type FeeResult, postPlanFees } from "#shared/edges/jobs/plan-fees.ts";
import { type SealResult, seal } from "#shared/edges/jobs/seal.ts";
import { type SweepResult, sweep } from "#shared/edges/jobs/sweep.ts";
import { sweepDeps } from "./sweep-deps.ts";

const deps = sweepDeps();

interface SweepEvent {
  seal?: boolean;
  older_than_seconds?: number;
  /** The detail of a Step Functions Execution Status Change. */
  detail?: { name?: string; status?: string; input?: string };
}

type Sealed = SealResult & { fees: FeeResult };
type Swept = SweepResult & { tasks: RepairResult };

export const handler = middy<SweepEvent, Swept | Sealed | null>().handler(
  async ({ seal: sealing, older_than_seconds: seconds, detail }: SweepEvent) => {
    if (typeof detail?.input === "string") {
      const { task, organization } = JSON.parse(detail.input) as { task: string; organization: string };
      await repairTask(organization, task, deps);
      return null;
    }
    if (sealing === true) {
      const fees = await postPlanFees(deps);
      const result = await seal(deps);
      deps.log("info", "sealed", { count: result.sealed });
      return { ...result, fees };
    }
    const options = typeof seconds === "number" ? { older_than_seconds: seconds } : {};
    const result = await sweep(options, deps);
    const tasks = await repairTasks(options, deps);
    deps.log("info", "swept", { count: result.seized, holds: result.holds });
    return { ...result, tasks };
  },
);
