/** The operations the gateway answers by itself; the composition root fills them in (shared/operations). */
import type { Principal } from "../billing/account.ts";
import type { HttpReply, HttpRequest } from "../http/message.ts";
import type { LocalOperation, LocalRoute } from "../http/routes.ts";

export interface LocalCall {
  request: HttpRequest;
  route: LocalRoute;
  /** The path's parameter, decoded; empty on paths without one. */
  parameter: string;
  /** Null on the public model list only. */
  principal: Principal | null;
}

export type LocalAnswer = (call: LocalCall) => Promise<HttpReply>;
export type LocalAnswers = Record<LocalOperation, LocalAnswer>;

/** The one route that needs no key (contract §5.1). */
export const publicOperations: ReadonlySet<LocalOperation> = new Set(["list_public_models"]);
