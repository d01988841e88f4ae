import type { Deps } from "#shared/calls/gateway/deps.ts";
import type { LocalCall } from "#shared/calls/gateway/local-answers.ts";
import { cancelTask } from "#shared/calls/tasks/cancel.ts";
import { createTaskOnce } from "#shared/calls/tasks/create-once.ts";
import type { TaskDeps } from "#shared/calls/tasks/deps.ts";
import { listTasks, showTask } from "#shared/calls/tasks/show.ts";
import { showCacheMonth } from "#shared/edges/api/cache-month.ts";
import { listCalls } from "#shared/edges/api/calls.ts";
import { listRoutes } from "#shared/edges/api/model-routes.ts";
import {
  listModels,
  listPublicModels,
  type ModelQuery,
  retrieveModel,
  retrievePublicModel,
} from "#shared/edges/api/models.ts";
import { retrieveReceipt, showReceipt } from "#shared/edges/api/receipts.ts";
import type { ReportCaller } from "#shared/edges/api/report-parameters.ts";
import { reportBalance, reportPeriod, reportUsage } from "#shared/edges/api/reports.ts";
import { isInScope, scopeOf } from "#shared/edges/console/operations/usage-scope.ts";
import type { GatewayAnswers } from "#shared/edges/openapi/route-types.ts";
import type { Caller } from "#shared/people/identity/caller.ts";
import { callerOf, keyOperations } from "./key-operations.ts";

/** The operations that the gateway answers by itself, over these dependencies. */
export function localOperations(deps: Deps & TaskDeps): GatewayAnswers {
  const askerOf = (call: LocalCall) => ({
    catalog: deps.catalog,
    caller: callerOf(call),
    now: call.request.received_at,
  });
  return {
    ...keyOperations(deps),
    list_models: async (call) => listModels(askerOf(call), askedOf(call)),
    retrieve_model: async (call) => retrieveModel(askerOf(call), askedOf(call), call.parameter),
    list_public_models: async (call) => listPublicModels(deps.catalog, askedOf(call)),
    retrieve_public_model: async (call) => retrievePublicModel(deps.catalog, askedOf(call), call.parameter),
    list_routes: async (call) => await listRoutes(call.parameter, askerOf(call), deps),
    show_cache: async (call) => await showCacheMonth(call.request, callerOf(call), deps),
    report_usage: async (call) => await reportUsage(call.request, callerOf(call), deps),
    report_period: async (call) => await reportPeriod(call.request, reporterOf(call), deps),
    retrieve_receipt: async (call) =>
      call.member
        ? await showMembersReceipt(call.parameter, call.member, deps)
        : await retrieveReceipt(call.parameter, callerOf(call), deps),
    list_calls: async (call) => {
      const isSeen = call.member && (await seenBy(call.member, deps));
      return await listCalls(call.request, { ...reporterOf(call), ...(isSeen && { isSeen }) }, deps);
    },
    report_balance: async (call) => await reportBalance(call.request, callerOf(call), deps),
    create_task: async (call) => await createTaskOnce(call, callerOf(call), deps),
    list_tasks: async (call) => await listTasks(call.request.query, callerOf(call), deps),
    show_task: async (call) => await showTask(call.parameter, callerOf(call), deps),
    cancel_task: async (call) => await cancelTask(call.parameter, callerOf(call), deps),
  };
}

function askedOf({ request, route }: LocalCall): ModelQuery {
  return { query: request.query, style: route.style, at: request.received_at };
}

/** Whose usage a report is about. No project confines a member. */
function reporterOf(call: LocalCall): ReportCaller {
  const { member } = call;
  return member ? { organization: member.organization, key: { project: "" } } : callerOf(call);
}

/** Which calls a member may see: all of the organization's, or those of the keys that the member made. */
async function seenBy(
  member: Caller,
  deps: Deps,
): Promise<(call: { key: string | null; project: string }) => boolean> {
  const scope = await scopeOf(member, deps);
  return (call) => isInScope(scope, call);
}

async function showMembersReceipt(id: string, member: Caller, deps: Deps) {
  return await showReceipt(id, member.organization.id, await seenBy(member, deps), deps);
}
