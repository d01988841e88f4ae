/** What was used and what is left, as the console's routes show it (books/reports/console.md). */

import { consoleLimits } from "../../../base/console-limits.ts";
import { readQuery } from "../../../base/http/query.ts";
import { limits } from "../../../base/limits.ts";
import type { ModelCatalog } from "../../../books/catalog/models.ts";
import {
  type CallsDeps,
  callReaders,
  rangeOf,
  readKeyId,
  showCalls,
  type WantedCalls,
} from "../../api/calls.ts";
import { rangeReaders } from "../../api/list-reply.ts";
import type { BoardDeps } from "../../api/model-routes.ts";
import { type ReceiptDeps, showReceipt } from "../../api/receipts.ts";
import { readProject } from "../../api/report-parameters.ts";
import type { AnswersTo } from "../../openapi/route-types.ts";
import { type ConsoleCall, callerOf } from "../call.ts";
import type { usageRoutes } from "../routes/usage.ts";
import { createModelList, listRoutes } from "./models.ts";
import { type MeterDeps, showLimits } from "./usage-limits.ts";
import { RecentUses } from "./usage-recent.ts";
import { isInScope, type ScopeDeps, scopeOf } from "./usage-scope.ts";
import { exportSeries, type SeriesDeps, showSeries } from "./usage-series.ts";
import { showSummary } from "./usage-summary.ts";

export interface UsageAnswerDeps extends BoardDeps {
  accounts: ScopeDeps["accounts"];
  ledger: SeriesDeps["ledger"] & CallsDeps["ledger"] & ReceiptDeps["ledger"];
  meters: MeterDeps["meters"] & ReceiptDeps["meters"];
  counted: MeterDeps["counted"];
  replays: ReceiptDeps["replays"];
  refusedCalls: ReceiptDeps["refusedCalls"];
  catalog: ModelCatalog;
}

/** The operations of `edges/console/routes/usage.ts`. */
export function usageAnswers(deps: UsageAnswerDeps): AnswersTo<typeof usageRoutes> {
  const recent = new RecentUses(deps.ledger);
  const listModels = createModelList(deps);
  return {
    show_usage_series: (call) => showSeries(call, deps),
    export_usage_series: (call) => exportSeries(call, deps),
    show_usage_summary: (call) => showSummary(call, { ...deps, recent }),
    list_calls: (call) => listCalls(call, deps),
    retrieve_receipt: async (call) => {
      const scope = await scopeOf(callerOf(call), deps);
      const { id = "" } = call.parameters;
      return await showReceipt(id, scope.organization, (own) => isInScope(scope, own), deps);
    },
    show_limits: (call) => showLimits(call, deps),
    list_models: async (call) => listModels(call),
    list_routes: (call) => listRoutes(call, deps),
  };
}

type ListQuery = Omit<WantedCalls, "key_id" | "isSeen"> & Record<"project" | "key", string | undefined>;

/**
 * `GET /api/v1/calls`, the newest first. `project=` asks for calls of keys without a project. Throws `invalid_request`.
 */
async function listCalls(call: ConsoleCall, deps: CallsDeps & ScopeDeps) {
  const { project, key, ...wanted } = readQuery<ListQuery>(call.request.query, {
    ...rangeReaders(call.request.query, { json: consoleLimits.callPageMax, csv: limits.callCsvMax }),
    ...callReaders,
    project: readProject,
    key: readKeyId,
  });
  const range = rangeOf(wanted, call.request.received_at);
  const scope = await scopeOf(callerOf(call), deps);
  const place = { organization: scope.organization, project: project ?? "" };
  const isSeen: WantedCalls["isSeen"] = (event) =>
    isInScope(scope, event) && (project !== "" || event.project === "");
  return await showCalls(call.request.query, place, { ...wanted, ...range, key_id: key, isSeen }, deps);
}
