/**
 * The console's function: what browsers and platforms ask, and every minute the orders that are due and the news. Answers
 * are whole.
 */
import middy from "@middy/core";
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from "aws-lambda";
import type { HttpReply } from "#shared/base/http/message.ts";
import { newId } from "#shared/base/platform/id.ts";
import { openedByFirst } from "#shared/edges/admin/loading.ts";
import { isAdmin } from "#shared/edges/admin/path.ts";
import type { ConsoleRequest } from "#shared/edges/console/call.ts";
import { deviceAnswers } from "#shared/edges/console/operations/device.ts";
import { invoiceAnswers } from "#shared/edges/console/operations/invoices.ts";
import { organizationAnswers } from "#shared/edges/console/operations/organization.ts";
import { passkeyAnswers } from "#shared/edges/console/operations/passkeys.ts";
import { paymentAnswers } from "#shared/edges/console/operations/payments.ts";
import { scimAnswers } from "#shared/edges/console/operations/scim.ts";
import { signInAnswers } from "#shared/edges/console/operations/sign-in.ts";
import { signOnAnswers } from "#shared/edges/console/operations/sign-on.ts";
import { usageAnswers } from "#shared/edges/console/operations/usage.ts";
import { webhookAnswers } from "#shared/edges/console/operations/webhooks.ts";
import { createConsole } from "#shared/edges/console/pipeline.ts";
import { createScim, isScim } from "#shared/edges/console/scim.ts";
import { consoleDeps } from "./console-deps.ts";

const deps = consoleDeps();
/** The operations behind the names in the table of the console's routes. */
const answers = {
  ...signInAnswers(deps),
  ...deviceAnswers(deps),
  ...signOnAnswers(deps.signOn),
  ...passkeyAnswers(deps),
  ...organizationAnswers(deps.organization),
  ...webhookAnswers(deps.news),
  ...usageAnswers(deps),
  ...paymentAnswers(deps),
  ...invoiceAnswers(deps),
};
const serveConsole = createConsole(answers, deps);
const serveScim = createScim(scimAnswers(deps.scim), deps);

/** The operators' API. Its code is loaded with the first request for it. */
const serveAdmin = openedByFirst(async () => {
  const { openOperators } = await import("./admin.ts");
  return openOperators(deps);
}, deps);

/** What answers a request. */
function serverOf(request: ConsoleRequest): (request: ConsoleRequest) => Promise<HttpReply> {
  if (isAdmin(request)) return serveAdmin;
  return isScim(request) ? serveScim : serveConsole;
}

/** What the schedule sends. */
type Scheduled = { reconcile: true };

export const handler = middy<APIGatewayProxyEventV2 | Scheduled>().handler(
  async (event: APIGatewayProxyEventV2 | Scheduled, context: Context) => {
    if ("reconcile" in event) return await deps.reconcile();
    const request = toRequest(event, context);
    const serve = serverOf(request);
    return toResult(await serve(request), request.method);
  },
);

/** Payload format 2.0 (aws.md §1.5): the path arrives percent-encoded, and cookies have a place of their own. */
function toRequest(event: APIGatewayProxyEventV2, context: Context): ConsoleRequest {
  const now = deps.now();
  const cookie = event.cookies?.join("; ");
  return {
    id: newId("request", now),
    method: event.requestContext.http.method,
    path: event.rawPath,
    query: new URLSearchParams(event.rawQueryString),
    headers: { ...event.headers, ...(cookie && { cookie }) },
    body: Buffer.from(event.body ?? "", event.isBase64Encoded ? "base64" : "utf8"),
    received_at: now,
    deadline_at: now + context.getRemainingTimeInMillis(),
    ip: event.requestContext.http.sourceIp,
  };
}

function toResult({ status, headers, body }: HttpReply, method: string): APIGatewayProxyStructuredResultV2 {
  if (typeof body === "function") throw new Error("the console's answers are whole");
  const { "set-cookie": cookie, ...others } = headers;
  const result = { statusCode: status, headers: others, ...(cookie && { cookies: [cookie] }) };
  if (method === "HEAD") return result;
  if (typeof body === "string") return { ...result, body };
  return { ...result, body: Buffer.from(body).toString("base64"), isBase64Encoded: true };
}
