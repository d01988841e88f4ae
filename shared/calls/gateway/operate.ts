/** The requests that are no calls: operations that the gateway answers by itself, and its pages. */
import { decodeBody } from "../../base/http/encoded-body.ts";
import type { HttpReply, HttpRequest } from "../../base/http/message.ts";
import type { LocalRoute, PageRoute } from "../../base/http/routes.ts";
import type { Principal } from "../../books/accounts/account.ts";
import { memberOf } from "../access/sessions.ts";
import type { Deps } from "./deps.ts";
import type { RoutedRequest } from "./entrance.ts";
import { type LocalAnswers, publicOperations } from "./local-answers.ts";
import { noRouteReply } from "./rejection.ts";
import { noteCaller } from "./traced.ts";

/** Answers an operation: a member by a session, everybody else by the key that `identify` reads. */
export async function operate(
  asked: RoutedRequest<LocalRoute>,
  { local, identify }: { local: LocalAnswers; identify: () => Promise<Principal> },
  deps: Deps,
): Promise<HttpReply> {
  const { request, route } = asked;
  const isPublic = publicOperations.has(route.operation);
  const member = isPublic ? undefined : await memberOf(request, route, deps);
  if (member) {
    noteCaller(asked, { organization: member.organization.id });
    await decodeBody(request);
  }
  const principal = isPublic || member ? null : await identify();
  return await local[route.operation]({ ...asked, principal, member });
}

/** Answers with a page of the folder `deps.pages`, or 404 where it has none of this path. */
export async function answerWithPage(
  request: HttpRequest,
  { style }: PageRoute,
  deps: Pick<Deps, "pages">,
): Promise<HttpReply> {
  const { answerPage } = await import("../../base/http/pages.ts");
  const page = await answerPage(request, deps);
  return page ?? noRouteReply(request, { found: false, error: "not_found", style, allow: "" });
}
