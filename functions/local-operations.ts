import type { Principal } from "#shared/accounts/account.ts";
import { GatewayError } from "#shared/errors.ts";
import type { Deps } from "#shared/gateway/deps.ts";
import type { LocalAnswers, LocalCall } from "#shared/gateway/local-answers.ts";
import { checkBody } from "#shared/http/message.ts";
import { emptyCache, takeFeedback } from "#shared/operations/api/cache.ts";
import { showCacheMonth } from "#shared/operations/api/cache-month.ts";
import { listCalls } from "#shared/operations/api/calls.ts";
import { createKey, listKeys, revokeKey } from "#shared/operations/api/keys.ts";
import { listRoutes } from "#shared/operations/api/model-routes.ts";
import {
  listModels,
  listPublicModels,
  type ModelQuery,
  retrieveModel,
  retrievePublicModel,
} from "#shared/operations/api/models.ts";
import { retrieveReceipt } from "#shared/operations/api/receipts.ts";
import { reportBalance, reportPeriod, reportUsage } from "#shared/operations/api/reports.ts";
import { cancelTask } from "#shared/tasks/cancel.ts";
import { createTaskOnce } from "#shared/tasks/create-once.ts";
import type { TaskDeps } from "#shared/tasks/deps.ts";
import { listTasks, showTask } from "#shared/tasks/show.ts";

/** The operations that the gateway answers by itself, over these dependencies. */
export function localOperations(deps: Deps & TaskDeps): LocalAnswers {
  const keys = {
    accounts: deps.accounts,
    meters: deps.meters,
    peppers: deps.secrets.peppers,
    plan: deps.catalog.plan,
    log: deps.log,
    now: deps.now,
  };
  const askerOf = (call: LocalCall) => ({
    catalog: deps.catalog,
    caller: callerOf(call),
    now: call.request.received_at,
  });
  return {
    list_models: async (call) => listModels(askerOf(call), askedOf(call)),
    retrieve_model: async (call) => retrieveModel(askerOf(call), call.route, call.parameter),
    list_public_models: async (call) => listPublicModels(deps.catalog, askedOf(call)),
    retrieve_public_model: async ({ route, parameter }) =>
      retrievePublicModel(deps.catalog, route, parameter),
    list_routes: async (call) => await listRoutes(call.parameter, askerOf(call), deps),
    create_key: async (call) => {
      checkBody(call.request);
      return await createKey(call.request, callerOf(call), keys);
    },
    list_keys: async (call) => await listKeys(call.request, callerOf(call), keys),
    revoke_key: async (call) => await revokeKey(call.parameter, callerOf(call).key, keys),
    show_cache: async (call) => await showCacheMonth(call.request, callerOf(call), deps),
    empty_cache: async (call) => await emptyCache(callerOf(call), deps),
    take_feedback: async (call) => {
      checkBody(call.request);
      return await takeFeedback(call.request, callerOf(call), deps);
    },
    report_usage: async (call) => await reportUsage(call.request, callerOf(call), deps),
    report_period: async (call) => await reportPeriod(call.request, callerOf(call), deps),
    retrieve_receipt: async (call) => await retrieveReceipt(call.parameter, callerOf(call), deps),
    list_calls: async (call) => await listCalls(call.request, callerOf(call), deps),
    report_balance: async (call) => await reportBalance(call.request, callerOf(call), deps),
    create_task: async (call) => await createTaskOnce(call, callerOf(call), deps),
    list_tasks: async (call) => await listTasks(call.request.query, callerOf(call), deps),
    show_task: async (call) => await showTask(call.parameter, callerOf(call), deps),
    cancel_task: async (call) => await cancelTask(call.parameter, callerOf(call), deps),
  };
}

function askedOf({ request, route }: LocalCall): ModelQuery {
  return { query: request.query, style: route.style };
}

function callerOf({ principal }: LocalCall): Principal {
  if (!principal) throw new GatewayError("not_authenticated");
  return principal;
}
