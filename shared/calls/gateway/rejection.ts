/** Errors as replies, in the style of the route or of the path's family. */
import { errorCodes, GatewayError, keyOf } from "../../base/errors.ts";
import { errorReply } from "../../base/http/error-styles.ts";
import type { HttpReply, HttpRequest } from "../../base/http/message.ts";
import type { Match } from "../../base/http/router.ts";
import type { Route } from "../../base/http/routes.ts";
import { type CallNames, describeError } from "../../base/platform/log.ts";
import type { CallTrace } from "../telemetry/trace.ts";
import type { Deps } from "./deps.ts";

/** A request that is refused, whose it is, and its trace where the call is traced. */
interface Rejected extends Pick<HttpRequest, "id"> {
  names?: CallNames;
  trace?: CallTrace | undefined;
}

/** The route of a request, as far as its errors need it. */
type ErrorRoute = Pick<Route, "path" | "style">;

/**
 * A thrown value as a reply. Anything but a rejection of ours is our own fault, and the client gets 50000. Either is
 * logged, so that the dashboard can count errors by route and code (infra/monitoring/dashboard.md). The line is all
 * that an operator finds of a refused call, so it says whose call it was and for which model.
 */
export function rejection(
  error: unknown,
  request: Rejected,
  route: ErrorRoute,
  deps: Pick<Deps, "log">,
): HttpReply {
  const key = keyOf(error);
  const failed = { request: request.id, ...request.names, route: route.path, code: errorCodes[key].code };
  if (error instanceof GatewayError) {
    deps.log("info", "refused", failed);
    return refusal(error, request, route);
  }
  request.trace?.note({ error: key });
  deps.log("error", "internal", { ...failed, error: describeError(error) });
  return errorReply(route.style, key, { request_id: request.id });
}

/** A rejection of ours as a reply. It is for whoever has logged it in another way. */
export function refusal(
  { key, detail }: GatewayError,
  { id: request_id, trace }: Rejected,
  { style }: Pick<ErrorRoute, "style">,
): HttpReply {
  trace?.note({ error: key });
  return errorReply(style, key, { ...detail, request_id });
}

/** The reply for a path or a method that is no route. */
export function noRouteReply(
  { id: request_id }: Pick<HttpRequest, "id">,
  { style, error, allow, message }: Extract<Match, { found: false }>,
): HttpReply {
  const detail = message ? { message } : {};
  const headers = {
    ...(allow && { allow }),
    ...(error === "no_websocket" && { connection: "close", upgrade: "HTTP/1.1" }),
  };
  return errorReply(style, error, { ...detail, headers, request_id });
}
