/**
 * The operations that the gateway answers by itself. The composition root fills them in (shared/edges/api and
 * shared/calls/tasks).
 */

import type { HttpReply, HttpRequest } from "../../base/http/message.ts";
import type { LocalOperation, LocalRoute } from "../../base/http/routes.ts";
import type { CallNames } from "../../base/platform/log.ts";
import type { Principal } from "../../books/accounts/account.ts";
import type { Caller } from "../../people/identity/caller.ts";
import type { CallTrace } from "../telemetry/trace.ts";

export interface LocalCall {
  request: HttpRequest;
  route: LocalRoute;
  /** The path's parameter, decoded; empty on paths without one. */
  parameter: string;
  /** Null on public operations, and where a member calls. */
  principal: Principal | null;
  /** The member who calls with a session in place of an API key. */
  member?: Caller | undefined;
  /** Where the call is traced. */
  trace?: CallTrace | undefined;
  /** What the line of its refusal names. */
  names?: CallNames | undefined;
}

type LocalAnswer = (call: LocalCall) => Promise<HttpReply>;
export type LocalAnswers = Record<LocalOperation, LocalAnswer>;

/** The operations that need no key: the public list of models (contract §5.1), and one entry of it. */
export const publicOperations: ReadonlySet<LocalOperation> = new Set([
  "list_public_models",
  "retrieve_public_model",
]);
