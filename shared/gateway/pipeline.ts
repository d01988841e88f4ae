/**
 * The path of a request on one screen: route, authenticate, decode, prepare, admit, forward, answer; metering and
 * settlement hang on the answer's end. Whatever a step throws becomes a reply here.
 */
import { type ErrorDetail, type ErrorKey, GatewayError } from "../errors.ts";
import { answerPreflight, readableHeaders } from "../http/cors.ts";
import { errorReply } from "../http/error-styles.ts";
import type { HttpReply, HttpRequest } from "../http/message.ts";
import { type Match, match } from "../http/router.ts";
import type { CountRoute, ErrorStyle, InferenceRoute, LocalRoute, Route } from "../http/routes.ts";
import { limits } from "../limits.ts";
import { describeError } from "../platform/log.ts";
import { createCooling } from "../upstreams/cooling.ts";
import { type Admitted, admit } from "./admit.ts";
import { answerStream, answerWhole } from "./answer.ts";
import { authenticate, KeyCache } from "./authenticate.ts";
import { countTokens } from "./count.ts";
import { decode } from "./decode.ts";
import type { Deps } from "./deps.ts";
import { ForwardFailed } from "./failures.ts";
import { forward } from "./forward.ts";
import { costHeader, providerHeaders } from "./headers.ts";
import { runOnce } from "./idempotency.ts";
import { type LocalAnswers, publicOperations } from "./local-answers.ts";
import { failed, publish } from "./meter.ts";
import { prepare } from "./prepare.ts";
import { watchReader } from "./reader.ts";
import type { Recorder } from "./recorder.ts";
import { withPricedSwitches } from "./switches.ts";

export type Pipeline = (request: HttpRequest) => Promise<HttpReply>;

/** The whole gateway as a function. It never rejects: everything becomes a reply in the route's style. */
export function createPipeline(deps: Deps, local: LocalAnswers): Pipeline {
  const cache = new KeyCache();
  const cooling = createCooling();
  let inFlight = 0;

  const infer = async (
    request: HttpRequest,
    route: InferenceRoute,
    parameter: string,
  ): Promise<HttpReply> => {
    const principal = await authenticate(request, route, deps, cache);
    const decoded = decode(request, route, parameter, principal, deps);
    const prepared = withPricedSwitches(prepare(decoded, deps), deps);
    const admitting = (scope?: string) => admit(prepared, deps, scope);
    const disown = (admitted: Admitted) => publish(admitted, failed(null, 0), deps);
    return await runOnce({ ...decoded, parameter }, deps, { admit: admitting, run, disown });
  };

  const run = async (held: Admitted, recorder?: Recorder): Promise<HttpReply> => {
    const admitted = { ...held, recorder };
    const { request, route } = admitted;
    const deadline = startDeadline(request, deps);
    try {
      const answer = await forward(admitted, deadline.signal, cooling, deps);
      if (answer.kind === "stream") return answerStream(admitted, answer, deadline, deps);
      deadline.clear();
      return await answerWhole(admitted, answer, deps);
    } catch (error) {
      deadline.clear();
      // Whatever went wrong, also with us: an admitted call ends with an event, and gives its hold back.
      const asked =
        error instanceof ForwardFailed ? error : { provider: null, attempts: 0, rejection: error };
      const { event, settle } = await publish(admitted, failed(asked.provider, asked.attempts), deps);
      await recorder?.release();
      const reply = rejection(request, route.style, asked.rejection, deps);
      const headers = { ...reply.headers, ...providerHeaders(asked), ...costHeader(event.cost_points) };
      return { ...reply, headers, ...(settle ? { after: settle } : {}) };
    }
  };

  const count = async (request: HttpRequest, route: CountRoute, parameter: string): Promise<HttpReply> => {
    const principal = await authenticate(request, route, deps, cache);
    const decoded = decode(request, route, parameter, principal, deps);
    const deadline = startDeadline(request, deps);
    return countTokens(decoded, route.protocol, deadline.signal, deps).finally(deadline.clear);
  };

  const answerLocally = async (
    request: HttpRequest,
    route: LocalRoute,
    parameter: string,
  ): Promise<HttpReply> => {
    const isPublic = publicOperations.has(route.operation);
    const principal = isPublic ? null : await authenticate(request, route, deps, cache);
    return local[route.operation]({ request, route, parameter, principal });
  };

  const answer = (request: HttpRequest, route: Route, parameter: string): Promise<HttpReply> => {
    if (route.operation === "infer") return infer(request, route, parameter);
    if (route.operation === "count") return count(request, route, parameter);
    return answerLocally(request, route, parameter);
  };

  return async (request) => {
    const found = match(request.method, request.path, request.headers);
    const style = found.found ? found.route.style : found.style;
    const finished = (reply: HttpReply) => finish(request, found, style, reply);
    const refused = (key: ErrorKey, headers: Record<string, string>, detail: ErrorDetail = {}) =>
      finished(errorReply(style, key, { ...detail, headers, request_id: request.id }));
    if (!found.found) {
      const preflight = answerPreflight(request);
      if (preflight) return finished(preflight);
      const detail = found.message ? { message: found.message } : {};
      return refused(found.error, found.allow ? { allow: found.allow } : {}, detail);
    }
    if (inFlight >= limits.callsInFlightMax) return refused("global_rate_limited", { "retry-after": "1" });
    inFlight += 1;
    const reply = await answer(request, found.route, found.parameter).catch((error: unknown) =>
      rejection(request, style, error, deps),
    );
    const after = async () => {
      try {
        await reply.after?.();
      } finally {
        inFlight -= 1;
      }
    };
    return watchReader(finished({ ...reply, after }), request, deps);
  };
}

/** Aborts the provider while there is still time to settle (design §3; aws.md §6, loss window 1). */
function startDeadline(request: HttpRequest, deps: Deps): { signal: AbortSignal; clear: () => void } {
  const abort = new AbortController();
  const left = request.deadline_at - limits.settlementReserveMs - deps.now();
  const timer = setTimeout(() => abort.abort(), Math.max(0, left));
  return { signal: abort.signal, clear: () => clearTimeout(timer) };
}

/** A thrown value as a reply. What is not a rejection of ours is our fault: logged, and told as 50000. */
function rejection(request: HttpRequest, style: ErrorStyle, error: unknown, deps: Deps): HttpReply {
  const request_id = request.id;
  if (error instanceof GatewayError) return errorReply(style, error.key, { ...error.detail, request_id });
  deps.log("error", "internal", { request: request.id, error: describeError(error) });
  return errorReply(style, "internal", { request_id });
}

/**
 * Headers of every answer: the request id finance can look up, no caching by anyone (billing.md S18), and leave for a page
 * in a browser to read it.
 */
function finish(request: HttpRequest, found: Match, style: ErrorStyle, reply: HttpReply): HttpReply {
  const anthropic = style === "anthropic" || style === "anthropic_superset";
  const ark = style === "volcengine" || style === "video";
  const headers = {
    "cache-control": "no-store",
    vary: "authorization, x-api-key",
    "x-content-type-options": "nosniff",
    "x-request-id": request.id,
    ...(anthropic ? { "request-id": request.id } : {}),
    ...(ark ? { "x-client-request-id": request.id } : {}),
    ...reply.headers,
  };
  return { ...reply, headers: readableHeaders(headers, request, found) };
}
