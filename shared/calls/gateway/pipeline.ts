/**
 * The path of a request on one screen: authenticate, decode, prepare, admit, forward, answer. The end of the answer
 * triggers metering and settlement (`answer.ts`). An error that a step throws becomes a reply here.
 */

import type { ErrorKey } from "../../base/errors.ts";
import { answerPreflight } from "../../base/http/cors.ts";
import { decodeBody } from "../../base/http/encoded-body.ts";
import type { HttpReply, HttpRequest } from "../../base/http/message.ts";
import { watchReader } from "../../base/http/reader.ts";
import { match } from "../../base/http/router.ts";
import type { CountRoute, InferenceRoute, LocalRoute, PageRoute, Route } from "../../base/http/routes.ts";
import { limits } from "../../base/limits.ts";
import type { CallNames } from "../../base/platform/log.ts";
import type { Principal } from "../../books/accounts/account.ts";
import { authenticate, KeyCache } from "../access/authenticate.ts";
import type { Recorder } from "../access/recorder.ts";
import { memberOf } from "../access/sessions.ts";
import { Copies } from "../routing/copies.ts";
import type { CallFacts, CallTrace } from "../telemetry/trace.ts";
import { type Admitted, admit } from "./admit.ts";
import { answerStream, answerWhole } from "./answer.ts";
import { answerFailure } from "./answer-failure.ts";
import { createNotes, nobodyAsked, withNotes } from "./asked.ts";
import { type CachedCall, lookUp } from "./cached.ts";
import { limitCallsInFlight } from "./calls-in-flight.ts";
import { countTokens } from "./count.ts";
import { startDeadline } from "./deadline.ts";
import { decode } from "./decode.ts";
import type { Deps } from "./deps.ts";
import { type Asking, askInTurn, withFallbacks } from "./fallback.ts";
import { forward } from "./forward.ts";
import { type LocalAnswers, publicOperations } from "./local-answers.ts";
import { failed, publish } from "./meter.ts";
import { withOwnIds } from "./own-ids.ts";
import { prepare } from "./prepare.ts";
import { createRefuse } from "./refuse.ts";
import { noRouteReply, rejection } from "./rejection.ts";
import { lookAtBoard, route } from "./route.ts";
import { withStandardHeaders } from "./standard-headers.ts";
import { withPlanNumbers, withPricedSwitches } from "./switches.ts";
import { callerFacts, decodedFacts, nameCaller, traced } from "./traced.ts";

export type Pipeline = (request: HttpRequest) => Promise<HttpReply>;

/** A request that has found its route. */
interface Asked<Found extends Route> {
  request: HttpRequest;
  route: Found;
  parameter: string;
  /** Where the call is traced. */
  trace: CallTrace | undefined;
  /** What is known of the call by now, for the line of its refusal. */
  names: CallNames;
}

/** The whole gateway as one function. It never rejects: every error becomes a reply in the route's style. */
export function createPipeline(local: LocalAnswers, deps: Deps): Pipeline {
  const keys = deps.keys ?? new KeyCache();
  const copies = new Copies(deps);
  const calls = limitCallsInFlight(limits.callsInFlightMax);
  const refuse = createRefuse(deps);

  return async (request) => {
    const found = match(request.method, request.path, request.headers);
    const finish = (reply: HttpReply) => withStandardHeaders(reply, request, found);
    if (!found.found) return finish(answerPreflight(request) ?? noRouteReply(request, found));
    const { route, parameter } = found;
    // A page asks nobody and holds nothing. Load balancers read one also when no more calls may come in.
    const isPage = route.operation === "page";
    if (!isPage && !calls.enter()) return finish(rejection(calls.refusal(), request, route, deps));
    const trace = !isPage && deps.tracing ? (await deps.tracing)?.begin(request, route) : undefined;
    const names: CallNames = {};
    const reply = await answer({ request, route, parameter, trace, names }).catch((error: unknown) =>
      refuse(error, { request, trace, names }, route),
    );
    return watchReader(finish(isPage ? reply : calls.leaveAfter(traced(reply, trace, deps))), request, deps);
  };

  async function answer(asked: Asked<Route>): Promise<HttpReply> {
    const { request, route } = asked;
    if (route.operation === "infer") return infer({ ...asked, route });
    if (route.operation === "count") return count({ ...asked, route });
    if (route.operation === "page") return await answerWithPage(request, route, deps);
    return operate({ ...asked, route });
  }

  async function infer(asked: Asked<InferenceRoute>): Promise<HttpReply> {
    const { request, trace } = asked;
    const principal = await identify(asked, keys, deps);
    const decoded = withPlanNumbers(await withOwnIds(decode({ ...asked, principal }, deps), deps), deps);
    trace?.note(decodedFacts(decoded));
    const own = withPricedSwitches(await prepare(decoded, deps), deps);
    const prepared = await withFallbacks(own, decoded, deps);
    lookAtBoard(decoded, copies, deps);
    let cached: Promise<CachedCall> | undefined;
    const admitCall = (scope?: string) => {
      const admission = admit(prepared, scope, deps);
      // The admission's requests are on their way, so this costs the call no time.
      cached ??= lookUp(prepared, deps);
      return admission;
    };
    const runCall = async (held: Admitted, recorder?: Recorder) => {
      const admitted = { ...held, recorder };
      return cached ? await (await cached).run(admitted, run, deps) : await run(admitted);
    };
    const unsent = (held: Admitted, error?: ErrorKey) => publish(held, failed(nobodyAsked, error), deps);
    if (request.headers["idempotency-key"] === undefined) return await runCall(await admitCall());
    // Few calls have the header, so few processes load the code for it.
    const { runOnce } = await import("../access/idempotency.ts");
    return await runOnce(decoded, { admit: admitCall, run: runCall, publishUnsent: unsent }, deps);
  }

  async function run(held: Admitted): Promise<HttpReply> {
    const deadline = startDeadline(held.request, deps);
    const { signal } = deadline;
    const notes = createNotes(copies, deps);
    const ask: Asking["ask"] = async (admitted, told = (order) => order) => {
      const order = told(await route(admitted, copies, deps));
      return { admitted, answer: await forward(admitted, { signal, order, notes }, deps) };
    };
    try {
      const { admitted, answer } = await askInTurn(held, { signal, ask }, deps);
      if (answer.kind === "stream") return withNotes(answerStream(admitted, answer, deadline, deps), notes);
      deadline.clear();
      return withNotes(await answerWhole(admitted, answer, deps), notes);
    } catch (error) {
      deadline.clear();
      return withNotes(await answerFailure(held, error, deps), notes);
    }
  }

  async function count(asked: Asked<CountRoute>): Promise<HttpReply> {
    const principal = await identify(asked, keys, deps);
    const decoded = await withOwnIds(decode({ ...asked, principal }, deps), deps);
    return await countTokens(decoded, asked.route.protocol, deps);
  }

  async function operate(asked: Asked<LocalRoute>): Promise<HttpReply> {
    const { request, route, parameter, trace, names } = asked;
    const isPublic = publicOperations.has(route.operation);
    const member = isPublic ? undefined : await memberOf(request, route, deps);
    if (member) {
      noteCaller(asked, { organization: member.organization.id });
      await decodeBody(request);
    }
    const principal = isPublic || member ? null : await identify(asked, keys, deps);
    return local[route.operation]({ request, route, parameter, principal, member, trace, names });
  }
}

/**
 * Who calls, which the trace tells too. Nobody else's body is decoded. Throws what `authenticate` and `decodeBody` throw.
 */
async function identify(asked: Asked<Route>, keys: KeyCache, deps: Deps): Promise<Principal> {
  const { request, route } = asked;
  const note = (whose: Principal) => noteCaller(asked, callerFacts(whose));
  const principal = await authenticate(request, route, { keys, note }, deps);
  if (request.headers["content-encoding"] !== undefined) await decodeBody(request);
  return principal;
}

/** Tells the trace who calls, and what is logged if the request is refused. */
function noteCaller({ trace, names }: Asked<Route>, facts: CallFacts): void {
  nameCaller(names, facts);
  trace?.note(facts);
}

async function answerWithPage(request: HttpRequest, { style }: PageRoute, deps: Deps): Promise<HttpReply> {
  const { answerPage } = await import("../../base/http/pages.ts");
  const page = await answerPage(request, deps);
  return page ?? noRouteReply(request, { found: false, error: "not_found", style, allow: "" });
}
