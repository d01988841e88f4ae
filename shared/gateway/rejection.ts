/** Errors as replies, in the style of the route or of the path's family. */
import { GatewayError } from "../errors.ts";
import { errorReply } from "../http/error-styles.ts";
import type { HttpReply, HttpRequest } from "../http/message.ts";
import type { Match } from "../http/router.ts";
import type { ErrorStyle } from "../http/routes.ts";
import { describeError } from "../platform/log.ts";
import type { CallTrace } from "../telemetry/trace.ts";
import type { Deps } from "./deps.ts";

/**
 * A thrown value as a reply. Anything but a rejection of ours is our own fault: it is logged, and the client gets
 * 50000.
 */
export function rejection(
  error: unknown,
  { id: request_id, trace }: Pick<HttpRequest, "id"> & { trace?: CallTrace | undefined },
  style: ErrorStyle,
  deps: Pick<Deps, "log">,
): HttpReply {
  trace?.note({ error: error instanceof GatewayError ? error.key : "internal" });
  if (error instanceof GatewayError) return errorReply(style, error.key, { ...error.detail, request_id });
  deps.log("error", "internal", { request: request_id, error: describeError(error) });
  return errorReply(style, "internal", { request_id });
}

/** The reply for a path or a method that is no route. */
export function noRouteReply(
  { id: request_id }: Pick<HttpRequest, "id">,
  { style, error, allow, message }: Extract<Match, { found: false }>,
): HttpReply {
  const detail = message ? { message } : {};
  const headers = allow ? { allow } : {};
  return errorReply(style, error, { ...detail, headers, request_id });
}
