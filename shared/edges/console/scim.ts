/** The routes of SCIM as one function of a request: a token of their own, and answers in SCIM's form (people/scim/README.md). */
import { errorCodes, GatewayError, isRetryUseless, statusOf } from "../../base/errors.ts";
import type { HttpReply } from "../../base/http/message.ts";
import { describeError, type Log } from "../../base/platform/log.ts";
import { scimLimits } from "../../people/scim/bounds.ts";
import { ScimError } from "../../people/scim/scim-error.ts";
import { checkForm } from "./body.ts";
import type { ConsoleRequest } from "./call.ts";
import { withStandardHeaders } from "./pipeline.ts";

/** Where the routes of SCIM are. */
export const scimPath = "/scim/v2";

/** Whether a request is for SCIM, also where there is no such route. */
export function isScim({ path }: Pick<ConsoleRequest, "path">): boolean {
  return path === scimPath || path.startsWith(`${scimPath}/`);
}

type ScimMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** What answers the methods of a path. `id` is the segment behind its collection, decoded. */
export type ScimAnswers = Readonly<
  Record<string, Partial<Record<ScimMethod, (request: ConsoleRequest, id: string) => Promise<HttpReply>>>>
>;

/**
 * Answers requests by a table of paths, in which `{id}` stands for the second segment. Never rejects: every error becomes
 * SCIM's own (RFC 7644 §3.12).
 */
export function createScim(
  answers: ScimAnswers,
  deps: { log: Log },
): (request: ConsoleRequest) => Promise<HttpReply> {
  return async (request) => {
    const answer = async () => {
      const [, , , collection = "", id, ...others] = request.path.split("/");
      const path = others.length > 0 ? "" : `/${collection}${id === undefined ? "" : "/{id}"}`;
      const methods = Object.hasOwn(answers, path) ? answers[path] : undefined;
      if (!methods) throw new GatewayError("not_found", { message: "SCIM has no such path here." });
      const answered = methods[request.method as ScimMethod];
      if (!answered) {
        const headers = { allow: Object.keys(methods).join(", ") };
        throw new GatewayError("method_not_allowed", { headers });
      }
      if (request.body.length > scimLimits.bodyBytesMax) {
        const message = `The body is over ${scimLimits.bodyBytesMax} bytes.`;
        throw new GatewayError("too_large", { message });
      }
      checkForm(request);
      return await answered(request, decoded(id ?? ""));
    };
    const reply = await answer().catch((error: unknown) => refusal(error, request, deps));
    return withStandardHeaders(reply, request);
  };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // It names nothing that there is.
    return "";
  }
}

/** An answer of SCIM. */
export function scimReply(body: object, status = 200): HttpReply {
  return { status, headers: { "content-type": "application/scim+json" }, body: JSON.stringify(body) };
}

function refusal(error: unknown, { id: request }: ConsoleRequest, { log }: { log: Log }): HttpReply {
  const key = error instanceof GatewayError ? error.key : "internal";
  const { detail, message } = error instanceof GatewayError ? error : new GatewayError("internal");
  const failed = { request, route: scimPath, code: errorCodes[key].code };
  if (key === "internal") log("error", "internal", { ...failed, error: describeError(error) });
  else log("info", "refused", failed);
  const body = {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
    status: String(statusOf(key)),
    ...(error instanceof ScimError && { scimType: error.scimType }),
    detail: message,
  };
  const { wait_ms, headers } = detail;
  const reply = scimReply(body, statusOf(key));
  return {
    ...reply,
    headers: {
      ...reply.headers,
      ...headers,
      ...(statusOf(key) === 401 && { "www-authenticate": "Bearer" }),
      ...(wait_ms !== undefined && { "retry-after": String(Math.ceil(wait_ms / 1000)) }),
      ...(isRetryUseless(key, wait_ms !== undefined) && { "x-should-retry": "false" }),
    },
  };
}
