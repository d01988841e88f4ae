/**
 * What stands around the path of a request: its route, its place among the calls in flight, its trace, its refusal, and
 * the headers of every reply.
 */
import { answerPreflight } from "../../base/http/cors.ts";
import type { HttpReply, HttpRequest } from "../../base/http/message.ts";
import { watchReader } from "../../base/http/reader.ts";
import { match } from "../../base/http/router.ts";
import type { Route } from "../../base/http/routes.ts";
import { limits } from "../../base/limits.ts";
import type { CallNames } from "../../base/platform/log.ts";
import type { CallTrace } from "../telemetry/trace.ts";
import { limitCallsInFlight } from "./calls-in-flight.ts";
import type { Deps } from "./deps.ts";
import { createRefuse } from "./refuse.ts";
import { noRouteReply, rejection } from "./rejection.ts";
import { withStandardHeaders } from "./standard-headers.ts";
import { traced } from "./traced.ts";

/** A request that has found its route. */
export interface RoutedRequest<Found extends Route> {
  request: HttpRequest;
  route: Found;
  parameter: string;
  /** Where the call is traced. */
  trace: CallTrace | undefined;
  /** What is known of the call by now, for the line of its refusal. */
  names: CallNames;
}

/** Lets requests in to `answer`. Never rejects: every error becomes a reply in the route's style. */
export function createEntrance(
  answer: (asked: RoutedRequest<Route>) => Promise<HttpReply>,
  deps: Deps,
): (request: HttpRequest) => Promise<HttpReply> {
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
    const whole = deps.rushes.endAfter(traced(reply, trace, deps));
    return watchReader(finish(isPage ? reply : calls.leaveAfter(whole)), request, deps);
  };
}
