/** The console's function as one function of a request: route, caller, right, answer. */

import { consoleLimits } from "../../base/console-limits.ts";
import { errorCodes, GatewayError } from "../../base/errors.ts";
import { errorReply } from "../../base/http/error-styles.ts";
import type { HttpReply } from "../../base/http/message.ts";
import { describeError, type Log } from "../../base/platform/log.ts";
import type { Caller } from "../../people/identity/caller.ts";
import { mayDo } from "../../people/identity/roles.ts";
import { checkForm } from "./body.ts";
import type { ConsoleAnswers, ConsoleRequest } from "./call.ts";
import { matchConsole } from "./match.ts";
import type { ConsoleRoute, RouteAccess } from "./route.ts";

export interface PipelineDeps {
  log: Log;
  /** Who sends this request. Throws `not_authenticated`, `session_expired` or `login_frozen`. */
  identify: (request: ConsoleRequest) => Promise<Caller>;
  /** A file of the console for the browser, or undefined. */
  asset: (request: ConsoleRequest) => Promise<HttpReply | undefined>;
}

/** What every answer of an operation says beside its own headers. Nothing of it may be kept by anybody. */
const standardHeaders = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "strict-transport-security": "max-age=31536000",
};

/** Never rejects: every error becomes a reply in the style `standard` (contract §7.1). */
export function createConsole(
  answers: ConsoleAnswers,
  deps: PipelineDeps,
): (request: ConsoleRequest) => Promise<HttpReply> {
  return async (request) => {
    const found = matchConsole(request.method, request.path);
    if (!found.found) {
      const asset = await deps.asset(request);
      if (asset) return asset;
      const headers = found.allow ? { allow: found.allow } : {};
      return withStandardHeaders(
        errorReply("standard", found.error, { headers, request_id: request.id }),
        request,
      );
    }
    const { route, parameters } = found;
    const answer = async (): Promise<HttpReply> => {
      if (request.body.length > consoleLimits.bodyBytesMax) {
        const message = `The body is over ${consoleLimits.bodyBytesMax} bytes.`;
        throw new GatewayError("too_large", { message });
      }
      const caller = await callerFor(route.access, request, deps);
      if (!route.anyForm) checkForm(request);
      return await answers[route.operation as keyof ConsoleAnswers]({ request, route, parameters, caller });
    };
    const reply = await answer().catch((error: unknown) => rejection(error, request, route, deps));
    return withStandardHeaders(reply, request);
  };
}

/** The caller that a route wants, with the right that it wants; null where it wants none. */
async function callerFor(
  access: RouteAccess,
  request: ConsoleRequest,
  deps: PipelineDeps,
): Promise<Caller | null> {
  if (access === "public" || access === "cookie") return null;
  const caller = await deps.identify(request);
  if (access !== "member" && !mayDo(caller.role, access)) {
    const message = `The role ${caller.role} may not do this.`;
    throw new GatewayError("permission_denied", { message });
  }
  return caller;
}

/** The reply to what an answer has thrown, and its line in the log. */
export function rejection(
  error: unknown,
  { id: request_id }: Pick<ConsoleRequest, "id">,
  { path }: Pick<ConsoleRoute, "path">,
  { log }: Pick<PipelineDeps, "log">,
): HttpReply {
  const key = error instanceof GatewayError ? error.key : "internal";
  const failed = { request: request_id, route: path, code: errorCodes[key].code };
  if (error instanceof GatewayError) {
    log("info", "refused", failed);
    const { detail } = error;
    const told_reason = detail.reason ?? detail.param;
    return errorReply("standard", key, { ...detail, request_id, ...(told_reason && { told_reason }) });
  }
  log("error", "internal", { ...failed, error: describeError(error) });
  return errorReply("standard", key, { request_id });
}

/** A reply with what every answer of the console says. */
export function withStandardHeaders(reply: HttpReply, { id }: ConsoleRequest): HttpReply {
  return { ...reply, headers: { "x-request-id": id, ...standardHeaders, ...reply.headers } };
}
