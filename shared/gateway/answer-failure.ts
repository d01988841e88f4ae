/** The answer of an admitted call that no provider answered. */
import { costHeader } from "../access/cost-header.ts";
import { errorCodes } from "../errors.ts";
import type { HttpReply } from "../http/message.ts";
import type { Admitted } from "./admit.ts";
import { nobodyAsked } from "./asked.ts";
import type { Deps } from "./deps.ts";
import { ForwardFailed } from "./failures.ts";
import { providerHeaders } from "./headers.ts";
import { failed, publish } from "./meter.ts";
import { rejection } from "./rejection.ts";

/**
 * Ends an admitted call that has failed, and gives its error as a reply. Whatever went wrong, also with us, the call
 * ends with an event, and gives back its hold and its idempotency key.
 */
export async function answerFailure(admitted: Admitted, error: unknown, deps: Deps): Promise<HttpReply> {
  const { request, route, recorder, trace } = admitted;
  const { asked, rejection: reason } =
    error instanceof ForwardFailed ? error : { asked: nobodyAsked, rejection: error };
  const { event, settle } = await publish(admitted, failed(asked), deps);
  await recorder?.release();
  if (error instanceof ForwardFailed) logUnanswered(error, admitted, deps);
  const reply = rejection(reason, { id: request.id, trace }, route.style, deps);
  const headers = { ...reply.headers, ...providerHeaders(asked), ...costHeader(event.cost_points) };
  return { ...reply, headers, ...(settle ? { after: settle } : {}) };
}

/** Logs that no channel answered. An alarm counts these lines. */
function logUnanswered(
  { rejection: { key }, asked }: ForwardFailed,
  { request, principal, model, route: { path } }: Admitted,
  deps: Pick<Deps, "log">,
): void {
  if (key !== "upstream_error" && key !== "no_channel") return;
  deps.log("warn", "call_failed", {
    request: request.id,
    organization: principal.organization.id,
    model: model.id,
    route: path,
    code: errorCodes[key].code,
    provider: asked.provider ?? "",
    attempts: asked.attempts,
  });
}
