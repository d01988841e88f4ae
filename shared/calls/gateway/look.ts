/** Whose request it is, by its head alone: asked before a body is read that strangers may not send. */

import { answerPreflight } from "../../base/http/cors.ts";
import type { HttpReply, HttpRequest } from "../../base/http/message.ts";
import { match } from "../../base/http/router.ts";
import type { Route } from "../../base/http/routes.ts";
import type { CallNames } from "../../base/platform/log.ts";
import type { Principal } from "../../books/accounts/account.ts";
import { authenticate, type PrincipalCache } from "../access/authenticate.ts";
import { memberOf } from "../access/sessions.ts";
import type { Deps } from "./deps.ts";
import { publicOperations } from "./local-answers.ts";
import { createRefuse } from "./refuse.ts";
import { noRouteReply } from "./rejection.ts";
import { withStandardHeaders } from "./standard-headers.ts";
import { callerFacts, nameCaller } from "./traced.ts";

/**
 * Gives the id of the organization whose credential a request has, or the reply that refuses it. Undefined on routes
 * that need no credential. Permits nothing: the pipeline asks again once the body is there. Never rejects.
 */
export type Look = (request: HttpRequest) => Promise<string | HttpReply | undefined>;

/** Looks at requests as the pipeline over `deps` does, and with the keys that it knows. */
export function createLook(deps: Deps): Look {
  const { keys } = deps;
  const refuse = createRefuse(deps);
  return async (request) => {
    const found = match(request.method, request.path, request.headers);
    const finish = (reply: HttpReply) => withStandardHeaders(reply, request, found);
    if (!found.found) return finish(answerPreflight(request) ?? noRouteReply(request, found));
    const names: CallNames = {};
    return await organizationOf(request, found.route, { keys, names }, deps).catch((error: unknown) => {
      const { after, ...reply } = refuse(error, { request, names }, found.route);
      // Only a server looks, and it lives on.
      void after?.();
      return finish(reply);
    });
  };
}

async function organizationOf(
  request: HttpRequest,
  route: Route,
  { keys, names }: { keys: PrincipalCache; names: CallNames },
  deps: Deps,
): Promise<string | undefined> {
  const { operation } = route;
  if (operation === "page") return undefined;
  if (operation !== "infer" && operation !== "count") {
    if (publicOperations.has(operation)) return undefined;
    const member = await memberOf(request, route, deps);
    if (member) return member.organization.id;
  }
  // A record that this process knows will do for every route.
  const asInference = { style: route.style, operation: "infer" } as const;
  const note = (whose: Principal) => nameCaller(names, callerFacts(whose));
  return (await authenticate(request, asInference, { keys, note }, deps)).organization.id;
}
