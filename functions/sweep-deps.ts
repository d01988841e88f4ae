/** What the schedules need, apart from deps.ts: else a gateway would load code of stores that it does not use. */
import { awsOptionsFromEnv, createAws } from "#shared/base/platform/aws.ts";
import { required } from "#shared/base/platform/env.ts";
import { log } from "#shared/base/platform/log.ts";
import { wholePrices } from "#shared/books/catalog/models.ts";
import { createWorkflow } from "#shared/calls/tasks/workflow.ts";
import type { PassDeps } from "#shared/edges/jobs/pass.ts";
import type { postPlanFees } from "#shared/edges/jobs/plan-fees.ts";
import type { SealDeps } from "#shared/edges/jobs/seal.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createSeals } from "#shared/edges/store/ledger/seals.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { createReplays } from "#shared/edges/store/replays.ts";
import { createTasks } from "#shared/edges/store/tasks.ts";
import { createThresholds } from "#shared/edges/store/thresholds.ts";
import { bundled, taskLifetime } from "./deps.ts";
import { tablesIn } from "./tables.ts";

/** What the schedules need: to sweep calls, repair tasks, post plan fees and seal. */
export function sweepDeps(): PassDeps & SealDeps & Parameters<typeof postPlanFees>[0] {
  const aws = createAws(awsOptionsFromEnv());
  const tables = tablesIn(["keys", "counters", "ledger", "tasks", "accounts"]);
  return {
    plan: bundled.plan,
    accounts: createAccounts(aws, tables),
    meters: createMeters(aws, tables),
    ledger: createLedger(aws, tables, Date.now, wholePrices(bundled)),
    replays: createReplays(aws, tables),
    thresholds: createThresholds(aws, tables),
    seals: createSeals(aws, tables),
    tasks: createTasks(aws, tables, Date.now, wholePrices(bundled)),
    workflow: createWorkflow(aws, required("videoWorkflow")),
    log,
    now: Date.now,
    ...taskLifetime(),
  };
}
