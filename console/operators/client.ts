/**
 * Calls of the operators' API. The token stays in this module's memory: it is in no storage and in no cookie, and no call
 * of a customer has it (console/decisions.md).
 */

import type {
  AdminAnswer,
  AdminBody,
  AdminOperationOf,
  AdminPath,
} from "../../shared/edges/openapi/route-types.ts";
import { type CallOptions, jsonOf, send, withQuery } from "../api.ts";
import type { DryRun, OperatorToken } from "../api-types.ts";
import { asProblem, type Problem } from "../problem.ts";

type ReadOperation = AdminOperationOf<"GET">;
type WriteOperation = AdminOperationOf<"POST">;

interface ClientEnvironment {
  fetch: typeof fetch;
  /** How many calls are in flight that the reader waits for. */
  onBusy: (change: 1 | -1) => void;
  /** The token is good no more. `why` is the problem that said so. */
  onEnded: (why: Problem) => void;
}

/** Each call names its operation. It rejects with a `Problem`, and with nothing else. */
interface OperatorClient {
  /** Asks whose token this is, and keeps its text where it is in force. */
  signIn(text: string): Promise<OperatorToken>;
  /** Forgets the token. It stays in force elsewhere, until `operator token revoke`. */
  signOut(): void;
  get<By extends ReadOperation>(path: AdminPath<By>, asked?: CallOptions): Promise<AdminAnswer<By>>;
  /** What a write would do. It writes nothing. */
  foresee<By extends WriteOperation>(path: AdminPath<By>, body: AdminBody<By>): Promise<DryRun>;
  /** `key`: a repetition with the same one does nothing twice. */
  post<By extends WriteOperation>(
    path: AdminPath<By>,
    body: AdminBody<By>,
    key: string,
  ): Promise<AdminAnswer<By>>;
}

const notAuthenticated = 40100;

/** Makes the client. It has no token until somebody signs in. */
export function createOperatorClient({ fetch, onBusy, onEnded }: ClientEnvironment): OperatorClient {
  let token: string | undefined;
  // No cookie goes along, so that nobody's session does.
  const bare: typeof fetch = (input, init) => fetch(input, { ...init, credentials: "omit" });
  const ask = async <Value>(
    method: "GET" | "POST",
    path: string,
    asked: CallOptions,
    used: string | undefined,
  ): Promise<Value> => {
    if (!asked.isQuiet) onBusy(1);
    try {
      return await jsonOf<Value>(await send(method, path, asked, { fetch: bare }, used));
    } finally {
      if (!asked.isQuiet) onBusy(-1);
    }
  };
  const signed = async <Value>(method: "GET" | "POST", path: string, asked: CallOptions): Promise<Value> => {
    const used = token;
    try {
      return await ask<Value>(method, path, asked, used);
    } catch (error) {
      const problem = asProblem(error);
      // The answer to a call of an earlier token ends no later one.
      if (problem.code === notAuthenticated && used === token) {
        token = undefined;
        onEnded(problem);
      }
      throw problem;
    }
  };
  return {
    signIn: async (text) => {
      const found = await ask<OperatorToken>("GET", "/api/admin/v1/token", {}, text);
      token = text;
      return found;
    },
    signOut: () => {
      token = undefined;
    },
    get: (path, asked = {}) => signed("GET", path, asked),
    foresee: (path, body) => signed("POST", withQuery(path, { dry_run: "true" }), { body }),
    post: (path, body, idempotencyKey) => signed("POST", path, { body, idempotencyKey }),
  };
}
