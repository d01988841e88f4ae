/** The operators' API as one function of a request: route, token, scope, answer (README.md). */
import { GatewayError } from "../../base/errors.ts";
import { errorReply } from "../../base/http/error-styles.ts";
import type { HttpReply } from "../../base/http/message.ts";
import type { Log } from "../../base/platform/log.ts";
import { adminLimits } from "../../people/admin/bounds.ts";
import { readAdminToken } from "../../people/admin/token.ts";
import { checkForm } from "../console/body.ts";
import type { ConsoleRequest } from "../console/call.ts";
import { matchIn } from "../console/match.ts";
import { rejection, withStandardHeaders } from "../console/pipeline.ts";
import type { AdminAnswers, AdminCall } from "./call.ts";
import { bearerOf, identifyOperator, type OperatorDeps } from "./identify.ts";
import { readOrganizationId } from "./path.ts";
import type { AdminRoute } from "./route.ts";
import { adminRoutes } from "./routes.ts";

const match = matchIn<AdminRoute>(adminRoutes);

/** Never rejects: every error becomes a reply in the style `standard`. Cookies are never looked at. */
export function createAdmin(
  answers: AdminAnswers,
  deps: OperatorDeps & { log: Log },
): (request: ConsoleRequest) => Promise<HttpReply> {
  return async (request) => {
    const found = match(request.method, request.path);
    if (!found.found) {
      const headers = found.allow ? { allow: found.allow } : {};
      const refused = errorReply("standard", found.error, { headers, request_id: request.id });
      tell(request, refused, undefined, deps);
      return withStandardHeaders(refused, request);
    }
    const { route, parameters } = found;
    const answer = async (): Promise<HttpReply> => {
      if (request.body.length > adminLimits.bodyBytesMax)
        throw new GatewayError("too_large", {
          message: `The body is over ${adminLimits.bodyBytesMax} bytes.`,
        });
      const token = await identifyOperator(request, route, deps);
      checkForm(request);
      return await answers[route.operation as keyof AdminAnswers]({ request, route, parameters, token });
    };
    const reply = await answer().catch((error: unknown) => rejection(error, request, route, deps));
    tell(request, reply, { route, parameters }, deps);
    return withStandardHeaders(reply, request);
  };
}

/** What the path of a request has led to. */
type Matched = Pick<AdminCall, "route" | "parameters">;

/** The one line about a request, whatever became of it. Only what has the form of an id is written. */
function tell(
  request: ConsoleRequest,
  { status }: HttpReply,
  matched: Matched | undefined,
  deps: { log: Log },
) {
  const token = readAdminToken(bearerOf(request));
  const { route, parameters } = matched ?? {};
  const organization = route?.path.includes("/organizations/{id}") && readOrganizationId(parameters?.id);
  deps.log("info", "admin_request", {
    request: request.id,
    ...(route && { route: route.path, operation: route.operation }),
    ...(token !== undefined && { token }),
    ...(organization && { organization }),
    ...{ status, ip: request.ip },
  });
}
