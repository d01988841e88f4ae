import type { Principal } from "#shared/accounts/account.ts";
import { GatewayError } from "#shared/errors.ts";
import { checkBody } from "#shared/gateway/decode.ts";
import type { Deps } from "#shared/gateway/deps.ts";
import type { LocalAnswers, LocalCall } from "#shared/gateway/local-answers.ts";
import { listCalls } from "#shared/operations/api/calls.ts";
import { createKey, listKeys, revokeKey } from "#shared/operations/api/keys.ts";
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

/** The operations behind the route table's names. */
export function localAnswers(deps: Deps & TaskDeps): LocalAnswers {
  const keys = {
    accounts: deps.accounts,
    meters: deps.meters,
    pepper: deps.secrets.pepper,
    plan: deps.catalog.plan,
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
    create_key: async (call) => {
      checkBody(call.request);
      return await createKey(keys, call.request, callerOf(call));
    },
    list_keys: async (call) => await listKeys(keys, call.request, callerOf(call)),
    revoke_key: async (call) => await revokeKey(keys, call.parameter, callerOf(call).key),
    report_usage: async (call) => await reportUsage(deps, call.request, callerOf(call)),
    report_period: async (call) => await reportPeriod(deps, call.request, callerOf(call)),
    retrieve_receipt: async (call) => await retrieveReceipt(deps, call.parameter, callerOf(call)),
    list_calls: async (call) => await listCalls(deps, call.request, callerOf(call)),
    report_balance: async (call) => await reportBalance(deps, call.request, callerOf(call)),
    create_task: async (call) => await createTaskOnce(deps, call, callerOf(call)),
    list_tasks: async (call) => await listTasks(deps, call.request.query, callerOf(call)),
    show_task: async (call) => await showTask(deps, call.parameter, callerOf(call)),
    cancel_task: async (call) => await cancelTask(deps, call.parameter, callerOf(call)),
  };
}

function askedOf({ request, route }: LocalCall): ModelQuery {
  return { query: request.query, style: route.style };
}

function callerOf({ principal }: LocalCall): Principal {
  if (!principal) throw new GatewayError("not_authenticated");
  return principal;
}
