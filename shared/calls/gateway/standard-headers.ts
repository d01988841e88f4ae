/** The headers that every answer has. */
import { readableHeaders } from "../../base/http/cors.ts";
import type { HttpReply, HttpRequest } from "../../base/http/message.ts";
import type { Match } from "../../base/http/router.ts";

/**
 * A reply with the headers of every answer. They tell the request id, by which finance can look the call up, and forbid
 * caching (billing.md S18). They also let a page in a browser read the answer. The reply's own headers win.
 */
export function withStandardHeaders(reply: HttpReply, request: HttpRequest, found: Match): HttpReply {
  const style = found.found ? found.route.style : found.style;
  const anthropic = style === "anthropic" || style === "anthropic_superset";
  const ark = style === "volcengine" || style === "video";
  const headers = {
    "cache-control": "no-store",
    vary: "authorization, x-api-key",
    "x-content-type-options": "nosniff",
    "x-request-id": request.id,
    ...(anthropic ? { "request-id": request.id } : {}),
    ...(style === "aws" ? { "x-amzn-requestid": request.id } : {}),
    ...(ark ? { "x-client-request-id": request.id } : {}),
    ...reply.headers,
  };
  return { ...reply, headers: readableHeaders(headers, request, found) };
}
