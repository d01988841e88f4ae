/**
 * Calls of the console's own API. The access token is in memory only. When it ends, one refresh by cookie gets the next
 * one: one at a time in this tab, and across tabs where the browser has locks.
 */
import type { Tokens } from "./api-types.ts";
import { asProblem, type Problem, problemOf } from "./problem.ts";

type Method = "GET" | "POST" | "PATCH" | "DELETE";

export interface Asked {
  body?: unknown;
  /** The answer is also given up when this is aborted. */
  signal?: AbortSignal;
  /** The call may be repeated with the same key, and acts once. */
  idempotencyKey?: string;
  /** It stands for no wait of the reader, so that no progress is shown. */
  isQuiet?: boolean;
}

export interface Environment {
  fetch: typeof fetch;
  /** Runs one thing at a time in all tabs. */
  alone: <Value>(act: () => Promise<Value>) => Promise<Value>;
  /** Unix milliseconds. */
  now: () => number;
  /** How many calls are in flight that the reader waits for. */
  onBusy: (change: 1 | -1) => void;
  /** The session has ended. `why` is the problem that said so. */
  onEnded: (why: Problem) => void;
}

/** How long an answer may take. */
const answerMs = 35_000;
/** A token that ends this soon is renewed before it is used. */
const leadMs = 20_000;
const endedCodes = [40103, 40110];

export interface Api {
  get<Answer>(path: string, asked?: Asked): Promise<Answer>;
  post<Answer>(path: string, body?: unknown, asked?: Asked): Promise<Answer>;
  patch<Answer>(path: string, body: unknown, asked?: Asked): Promise<Answer>;
  remove<Answer>(path: string, asked?: Asked): Promise<Answer>;
  /** The text of an answer that is not JSON, such as CSV. */
  text(path: string, asked?: Asked): Promise<string>;
  /** Keeps the tokens of a sign-in. */
  take(tokens: Tokens): void;
  /** Forgets the token. */
  drop(): void;
  /**
   * Gets the next access token by cookie, for this organization if one is given. Rejects with a `Problem`: code 40103
   * where nobody is signed in.
   */
  refresh(organization?: string): Promise<void>;
  hasToken(): boolean;
}

/** Makes the client of the API. Its calls reject with a `Problem`, and with nothing else. */
export function createApi(environment: Environment): Api {
  let token: { value: string; endsAt: number } | undefined;
  let organization: string | undefined;
  let refreshing: Promise<void> | undefined;

  const take = ({ access_token, expires_in }: Tokens) => {
    token = { value: access_token, endsAt: environment.now() + expires_in * 1000 };
  };
  const renew = async () => {
    const path = "/api/v1/auth/refresh";
    const answer = await send("POST", path, { body: organization ? { organization } : {} }, environment);
    take((await answer.json()) as Tokens);
  };
  const refresh = (wanted?: string): Promise<void> => {
    if (wanted) organization = wanted;
    refreshing ??= environment.alone(renew).finally(() => {
      refreshing = undefined;
    });
    return refreshing;
  };
  const refreshOrEnd = async () => {
    try {
      await refresh();
    } catch (error) {
      const problem = asProblem(error);
      if (endedCodes.includes(problem.code)) environment.onEnded(problem);
      throw problem;
    }
  };
  const signed = async (method: Method, path: string, asked: Asked): Promise<Response> => {
    if (token && token.endsAt - environment.now() < leadMs) await refreshOrEnd();
    const used = token?.value;
    try {
      return await send(method, path, asked, environment, used);
    } catch (error) {
      const problem = asProblem(error);
      if (!used || !endedCodes.includes(problem.code)) throw problem;
      // Another call may have renewed it meanwhile.
      if (token?.value === used) await refreshOrEnd();
      return await send(method, path, asked, environment, token?.value);
    }
  };
  const call = async (method: Method, path: string, asked: Asked = {}): Promise<Response> => {
    if (!asked.isQuiet) environment.onBusy(1);
    try {
      return await signed(method, path, asked);
    } finally {
      if (!asked.isQuiet) environment.onBusy(-1);
    }
  };
  const json = async <Answer>(method: Method, path: string, asked?: Asked): Promise<Answer> => {
    const answer = await call(method, path, asked);
    if (answer.status === 204 || answer.headers.get("content-length") === "0") return undefined as Answer;
    return (await answer.json().catch((error: unknown) => Promise.reject(asProblem(error)))) as Answer;
  };
  return {
    get: (path, asked) => json("GET", path, asked),
    post: (path, body, asked) => json("POST", path, { ...asked, body }),
    patch: (path, body, asked) => json("PATCH", path, { ...asked, body }),
    remove: (path, asked) => json("DELETE", path, asked),
    text: async (path, asked) => (await call("GET", path, asked)).text(),
    take,
    drop: () => {
      token = undefined;
      organization = undefined;
    },
    refresh,
    hasToken: () => token !== undefined,
  };
}

/** One request, whose answer is a success. Rejects with a `Problem`. */
async function send(
  method: Method,
  path: string,
  { body, signal, idempotencyKey }: Asked,
  { fetch }: Pick<Environment, "fetch">,
  token?: string,
): Promise<Response> {
  const late = AbortSignal.timeout(answerMs);
  const init: RequestInit = {
    method,
    headers: {
      accept: "application/json",
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(token && { authorization: `Bearer ${token}` }),
      ...(idempotencyKey && { "idempotency-key": idempotencyKey }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: signal ? AbortSignal.any([signal, late]) : late,
    cache: "no-store",
  };
  const answer = await fetch(path, init).catch((error: unknown) => Promise.reject(asProblem(error)));
  if (!answer.ok) throw await problemOf(answer);
  return answer;
}

/** A path with the parameters that have a value. */
export function withQuery(path: string, parameters: Record<string, string | number | undefined>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined && value !== "") query.set(name, String(value));
  const text = query.toString();
  return text === "" ? path : `${path}?${text}`;
}
