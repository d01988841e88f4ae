/** What the schedules need, apart from deps.ts: else a gateway would load code of stores that it does not use. */
import { type Aws, awsOptionsFromEnv, createAws } from "#shared/base/platform/aws.ts";
import { required } from "#shared/base/platform/env.ts";
import { log } from "#shared/base/platform/log.ts";
import { wholePrices } from "#shared/books/catalog/models.ts";
import { createWorkflow } from "#shared/calls/tasks/workflow.ts";
import type { PassDeps } from "#shared/edges/jobs/pass.ts";
import type { postPlanFees } from "#shared/edges/jobs/plan-fees.ts";
import type { SealDeps } from "#shared/edges/jobs/seal.ts";
import type { ShowChannelsDeps } from "#shared/edges/jobs/show-channels.ts";
import type { PriceNewsDeps } from "#shared/edges/jobs/tell-prices.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import type { TableNames } from "#shared/edges/store/dynamodb/item-keys.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createSeals } from "#shared/edges/store/ledger/seals.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { createToldPrices } from "#shared/edges/store/news/told-prices.ts";
import { createAutoTopUps } from "#shared/edges/store/orders/auto-top-ups.ts";
import { createFind } from "#shared/edges/store/orders/order-item.ts";
import { createReplays } from "#shared/edges/store/replays.ts";
import { createChannelRecords } from "#shared/edges/store/taken-out.ts";
import { createTasks } from "#shared/edges/store/tasks.ts";
import { createThresholds } from "#shared/edges/store/thresholds.ts";
import { topUpIfLow } from "#shared/people/orders/top-up.ts";
import { bundled, taskLifetime, videoNews } from "./deps.ts";
import { tablesIn } from "./tables.ts";

/** The part of the stores of orders that a pass needs. */
function topUpStores(aws: Aws, tables: Pick<TableNames, "accounts">) {
  return { topUps: createAutoTopUps(aws, tables), orders: { find: createFind(aws, tables) } };
}

/** What the schedules need: to sweep calls, repair tasks, post plan fees, seal, and tell of prices and channels. */
export function sweepDeps(): PassDeps &
  SealDeps &
  PriceNewsDeps &
  ShowChannelsDeps &
  Parameters<typeof postPlanFees>[0] {
  const aws = createAws(awsOptionsFromEnv());
  const tables = tablesIn(["keys", "counters", "ledger", "tasks", "accounts", "board"]);
  const meters = createMeters(aws, tables);
  const topUps = { ...topUpStores(aws, tables), meters, recharge: bundled.recharge, log, now: Date.now };
  return {
    plan: bundled.plan,
    catalog: bundled,
    topUp: (organization, left) => topUpIfLow(organization, left, topUps),
    accounts: createAccounts(aws, tables),
    meters,
    ledger: createLedger(aws, tables, Date.now, wholePrices(bundled)),
    replays: createReplays(aws, tables),
    thresholds: createThresholds(aws, tables),
    records: createChannelRecords(aws, tables),
    seals: createSeals(aws, tables),
    toldPrices: createToldPrices(aws, tables),
    tasks: createTasks(aws, tables, Date.now, wholePrices(bundled), videoNews(aws, tables)),
    workflow: createWorkflow(aws, required("videoWorkflow")),
    log,
    now: Date.now,
    ...taskLifetime(),
  };
}
