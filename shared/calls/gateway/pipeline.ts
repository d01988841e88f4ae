/**
 * The path of a request on one screen. The entrance stands around it (`entrance.ts`). A call is admitted in
 * `admit-once.ts` and answered in `run.ts`. The end of the answer triggers metering and settlement (`answer.ts`).
 */
import { decodeBody } from "../../base/http/encoded-body.ts";
import type { HttpReply, HttpRequest } from "../../base/http/message.ts";
import type { CountRoute, InferenceRoute, LocalRoute, PageRoute, Route } from "../../base/http/routes.ts";
import type { Principal } from "../../books/accounts/account.ts";
import { authenticate, PrincipalCache } from "../access/authenticate.ts";
import { memberOf } from "../access/sessions.ts";
import { Copies } from "../routing/copies.ts";
import type { Admitted } from "./admit.ts";
import { admitOnce } from "./admit-once.ts";
import { countTokens } from "./count.ts";
import { decode } from "./decode.ts";
import type { Deps } from "./deps.ts";
import { createEntrance, type RoutedRequest } from "./entrance.ts";
import { withFallbacks } from "./load-fallback.ts";
import { withOwnIds } from "./load-own-ids.ts";
import { type LocalAnswers, publicOperations } from "./local-answers.ts";
import { prepare } from "./prepare.ts";
import { noRouteReply } from "./rejection.ts";
import { lookAtBoard } from "./route.ts";
import { runCall } from "./run.ts";
import { withPlanNumbers, withPricedSwitches } from "./switches.ts";
import { callerFacts, decodedFacts, noteCaller } from "./traced.ts";

export type Pipeline = (request: HttpRequest) => Promise<HttpReply>;

/** The whole gateway as one function. It never rejects: every error becomes a reply in the route's style. */
export function createPipeline(local: LocalAnswers, deps: Deps): Pipeline {
  const keys = deps.keys ?? new PrincipalCache();
  const copies = new Copies(deps);
  const run = (held: Admitted) => runCall(held, copies, deps);

  return createEntrance(async (asked) => {
    const { request, route } = asked;
    if (route.operation === "infer") return infer({ ...asked, route });
    if (route.operation === "count") return count({ ...asked, route });
    if (route.operation === "page") return await answerWithPage(request, route, deps);
    return operate({ ...asked, route });
  }, deps);

  async function infer(asked: RoutedRequest<InferenceRoute>): Promise<HttpReply> {
    const principal = await identify(asked, keys, deps);
    const decoded = withPlanNumbers(await withOwnIds(decode({ ...asked, principal }, deps), deps), deps);
    asked.trace?.note(decodedFacts(decoded));
    const own = withPricedSwitches(await prepare(decoded, deps), deps);
    const prepared = await withFallbacks(own, decoded, deps);
    lookAtBoard(decoded, copies, deps);
    return await admitOnce(prepared, decoded, run, deps);
  }

  async function count(asked: RoutedRequest<CountRoute>): Promise<HttpReply> {
    const principal = await identify(asked, keys, deps);
    const decoded = await withOwnIds(decode({ ...asked, principal }, deps), deps);
    return await countTokens(decoded, asked.route.protocol, deps);
  }

  async function operate(asked: RoutedRequest<LocalRoute>): Promise<HttpReply> {
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
async function identify(asked: RoutedRequest<Route>, keys: PrincipalCache, deps: Deps): Promise<Principal> {
  const { request, route } = asked;
  const note = (whose: Principal) => noteCaller(asked, callerFacts(whose));
  const principal = await authenticate(request, route, { keys, note }, deps);
  if (request.headers["content-encoding"] !== undefined) await decodeBody(request);
  return principal;
}

async function answerWithPage(request: HttpRequest, { style }: PageRoute, deps: Deps): Promise<HttpReply> {
  const { answerPage } = await import("../../base/http/pages.ts");
  const page = await answerPage(request, deps);
  return page ?? noRouteReply(request, { found: false, error: "not_found", style, allow: "" });
}
