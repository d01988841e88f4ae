/**
 * The path of a call on one screen. It says who calls, what is asked, and which models can be sent it. Then it admits the
 * call (`admit.ts`) and runs it (`run.ts`). The entrance stands around it (`entrance.ts`). The end of the answer triggers
 * metering and settlement (`answer.ts`).
 */
import { decodeBody } from "../../base/http/encoded-body.ts";
import type { HttpReply, HttpRequest } from "../../base/http/message.ts";
import type { CountRoute, InferenceRoute, Route } from "../../base/http/routes.ts";
import type { Principal } from "../../books/accounts/account.ts";
import { authenticate, type PrincipalCache } from "../access/authenticate.ts";
import { byLastRecord } from "../access/key-ended.ts";
import { protocols } from "../protocols/index.ts";
import { Copies } from "../routing/copies.ts";
import { admitOnce } from "./admit-once.ts";
import { countTokens } from "./count.ts";
import { decode } from "./decode.ts";
import type { Deps } from "./deps.ts";
import { createEntrance, type RoutedRequest } from "./entrance.ts";
import { withReplyHeaders } from "./headers.ts";
import { withFallbacks } from "./load-fallback.ts";
import { withOutputBound } from "./load-output-bound.ts";
import { withOwnIds } from "./load-own-ids.ts";
import type { LocalAnswers } from "./local-answers.ts";
import { answerWithPage, operate } from "./operate.ts";
import { prepare } from "./prepare.ts";
import { lookAtBoard } from "./route.ts";
import { runCall } from "./run.ts";
import { withPlanNumbers, withPricedSwitches } from "./switches.ts";
import { callerFacts, decodedFacts, noteCaller } from "./traced.ts";

export type Pipeline = (request: HttpRequest) => Promise<HttpReply>;

/** What a process remembers from call to call: keys that it has read, and the boards of models. */
interface Memory {
  keys: PrincipalCache;
  copies: Copies;
}

/** The whole gateway as one function. It never rejects: every error becomes a reply in the route's style. */
export function createPipeline(local: LocalAnswers, deps: Deps): Pipeline {
  const memory: Memory = { keys: deps.keys, copies: new Copies(deps) };

  const answer = (asked: RoutedRequest<Route>) => {
    const { route } = asked;
    if (route.operation === "infer") return infer({ ...asked, route }, memory, deps);
    if (route.operation === "count") return count({ ...asked, route }, memory, deps);
    if (route.operation === "page") return answerWithPage(asked.request, route, deps);
    return operate({ ...asked, route }, { local, identify: () => identify(asked, memory, deps) }, deps);
  };
  const begin = (asked: RoutedRequest<Route>, reading: number) =>
    answer(reading === 1 ? asked : { ...asked, request: { ...asked.request, reading } });
  return createEntrance((asked) => byLastRecord((reading) => begin(asked, reading), memory.keys), deps);
}

async function infer(asked: RoutedRequest<InferenceRoute>, memory: Memory, deps: Deps): Promise<HttpReply> {
  const principal = await identify(asked, memory, deps);
  const { load, replyHeaders } = protocols[asked.route.protocol];
  if (load) await load();
  const bounded = await withOutputBound(decode({ ...asked, principal }, deps), deps);
  const decoded = withPlanNumbers(await withOwnIds(bounded, deps), deps);
  asked.trace?.note(decodedFacts(decoded));
  const own = withPricedSwitches(await prepare(decoded, deps), deps);
  const prepared = await withFallbacks(own, decoded, deps);
  lookAtBoard(decoded, memory.copies, deps);
  const reply = await admitOnce(prepared, decoded, (held) => runCall(held, memory.copies, deps), deps);
  return replyHeaders ? withReplyHeaders(reply, replyHeaders) : reply;
}

/** A count of tokens is decoded as a call is, and neither held nor charged. */
async function count(asked: RoutedRequest<CountRoute>, memory: Memory, deps: Deps): Promise<HttpReply> {
  const principal = await identify(asked, memory, deps);
  const decoded = await withOwnIds(decode({ ...asked, principal }, deps), deps);
  return await countTokens(decoded, asked.route.protocol, deps);
}

/**
 * Who calls, which the trace tells too. Nobody else's body is decoded. Throws what `authenticate` and `decodeBody` throw.
 */
async function identify(asked: RoutedRequest<Route>, { keys }: Memory, deps: Deps): Promise<Principal> {
  const { request, route } = asked;
  const note = (whose: Principal) => noteCaller(asked, callerFacts(whose));
  const principal = await authenticate(request, route, { keys, note }, deps);
  if (request.headers["content-encoding"] !== undefined) await decodeBody(request);
  return principal;
}
