/** The answer of an admitted call that no provider answered. */

import { errorCodes, GatewayError, keyOf } from "../../base/errors.ts";
import type { HttpReply } from "../../base/http/message.ts";
import type { CallNames } from "../../base/platform/log.ts";
import { costHeader } from "../access/cost-header.ts";
import type { Admitted } from "./admit.ts";
import type { Deps } from "./deps.ts";
import { ForwardFailed } from "./failures.ts";
import { providerHeaders } from "./headers.ts";
import { failed, publish } from "./meter.ts";
import { refusal, rejection } from "./rejection.ts";
import { noRouteTaken, type RouteTaken } from "./route-taken.ts";

/**
 * Ends an admitted call that has failed, and gives its error as a reply. Whatever went wrong, also with us, the call
 * ends with an event, and gives back its hold and its idempotency key.
 */
export async function answerFailure(admitted: Admitted, error: unknown, deps: Deps): Promise<HttpReply> {
  const { request, route, recorder, trace } = admitted;
  const { asked, rejection: reason } =
    error instanceof ForwardFailed ? error : { asked: noRouteTaken, rejection: error };
  const { event, settle } = await publish(admitted, failed(asked, keyOf(reason)), deps);
  await recorder?.release();
  const reply = isUnanswered(reason)
    ? answerUnanswered(reason, asked, admitted, deps)
    : rejection(reason, { id: request.id, trace, names: namesOf(admitted) }, route, deps);
  const headers = { ...reply.headers, ...providerHeaders(asked), ...costHeader(event.cost_points) };
  return { ...reply, headers, ...(settle ? { after: settle } : {}) };
}

function namesOf({ principal, model }: Admitted): CallNames {
  return { organization: principal.organization.id, key: principal.key.id, model: model.id };
}

/** Whether a call has failed because no channel answered it. */
function isUnanswered(reason: unknown): reason is GatewayError {
  return reason instanceof GatewayError && (reason.key === "upstream_error" || reason.key === "no_channel");
}

/** The reply of a call that no channel answered. An alarm counts the lines that this logs. */
function answerUnanswered(
  reason: GatewayError,
  { provider, attempts }: RouteTaken,
  admitted: Admitted,
  deps: Pick<Deps, "log">,
): HttpReply {
  const { request, route, trace } = admitted;
  deps.log("warn", "call_failed", {
    request: request.id,
    ...namesOf(admitted),
    route: route.path,
    code: errorCodes[reason.key].code,
    provider: provider ?? "",
    attempts,
  });
  return refusal(reason, { id: request.id, trace }, route);
}
