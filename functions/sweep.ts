/**
 * The scheduled work: closes the holds of dead calls and repairs tasks, or with `seal` posts plan fees, seals, and tells
 * of prices that will change. A pass also shows the boards which channels are taken out. An execution that failed is an
 * event, and repairs that one task. `older_than_seconds` is for a local start.
 */
import middy from "@middy/core";
import { repairTask } from "#shared/calls/tasks/repair.ts";
import { type PassResult, pass } from "#shared/edges/jobs/pass.ts";
import { type FeeResult, postPlanFees } from "#shared/edges/jobs/plan-fees.ts";
import { type SealResult, seal } from "#shared/edges/jobs/seal.ts";
import { showChannels } from "#shared/edges/jobs/show-channels.ts";
import { type PriceNewsResult, tellPrices } from "#shared/edges/jobs/tell-prices.ts";
import { sweepDeps } from "./sweep-deps.ts";

const deps = sweepDeps();

interface SweepEvent {
  seal?: boolean;
  older_than_seconds?: number;
  /** The detail of a Step Functions Execution Status Change. */
  detail?: { name?: string; status?: string; input?: string };
}

/** What is left of a run when its pass reads no more: time to repair tasks and tend wallets that it has met. */
const closingMs = 60_000;

type Sealed = SealResult & { fees: FeeResult; prices: PriceNewsResult };

export const handler = middy<SweepEvent, PassResult | Sealed | null>().handler(
  async ({ seal: sealing, older_than_seconds: seconds, detail }: SweepEvent, context) => {
    if (typeof detail?.input === "string") {
      const { task, organization } = JSON.parse(detail.input) as { task: string; organization: string };
      await repairTask(organization, task, deps);
      return null;
    }
    if (sealing === true) {
      const fees = await postPlanFees(deps);
      const result = await seal(deps);
      deps.log("info", "sealed", { count: result.sealed });
      const prices = await tellPrices(deps);
      return { ...result, fees, prices };
    }
    const options = typeof seconds === "number" ? { older_than_seconds: seconds } : {};
    const until = deps.now() + context.getRemainingTimeInMillis() - closingMs;
    const result = await pass({ ...options, until }, deps);
    deps.log("info", "swept", { count: result.seized, holds: result.holds });
    await showChannels(deps);
    return result;
  },
);
