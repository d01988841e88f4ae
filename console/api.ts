/**
 * Calls of the console's API. The access token is in memory only. One refresh at a time gets the next one by cookie,
 * in all tabs where the browser has locks. A call goes to the organization that its tab shows, or it is not sent.
 */
import type {
  ConsoleAnswer as Answer,
  ConsoleBody as Body,
  ConsoleOperationOf as Operation,
  ConsolePath as Path,
} from "../shared/edges/openapi/route-types.ts";
import type { Account, Tokens } from "./api-types.ts";
import { asProblem, noAnswer, Problem, problemOf } from "./problem.ts";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface CallOptions {
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
  /** The tab works for another user or organization from now on, or for the first one. */
  onMoved: (account: Account) => void;
  /** The session has ended. `why` is the problem that said so. */
  onEnded: (why: Problem) => void;
}

/** How long an answer may take. */
const answerMs = 35_000;
/** A token that ends this soon is renewed before it is used. */
const leadMs = 20_000;
/** A call's token is not good any more, or its user is frozen. */
const endedCodes = [40103, 40110];
const notAMember = 40300;
/** A refresh says so where the session is over for good. The last one: the user is no member of anything. */
export const overCodes = [...endedCodes, notAMember];

/** Each call names its operation. Its path, body and answer are then those of the console's document. */
interface Api {
  get<By extends Operation<"GET">>(path: Path<By>, asked?: CallOptions): Promise<Answer<By>>;
  post<By extends Operation<"POST">>(
    path: Path<By>,
    body: Body<By>,
    asked?: CallOptions,
  ): Promise<Answer<By>>;
  put<By extends Operation<"PUT">>(path: Path<By>, body: Body<By>, asked?: CallOptions): Promise<Answer<By>>;
  patch<By extends Operation<"PATCH">>(
    path: Path<By>,
    body: Body<By>,
    asked?: CallOptions,
  ): Promise<Answer<By>>;
  remove<By extends Operation<"DELETE">>(path: Path<By>, asked?: CallOptions): Promise<Answer<By>>;
  /** The text of an answer that is not JSON, such as CSV, with that of all pages which its header `link` leads to. */
  text(path: Path<Operation<"GET">>, asked?: CallOptions): Promise<string>;
  /** Keeps the tokens of a sign-in. */
  take(tokens: Tokens): void;
  /** Forgets the token, and whom and what it was for. */
  drop(): void;
  /** Gets the next access token by cookie. Rejects with a `Problem`, whose code 40103 says that nobody is signed in. */
  refresh(organization?: string): Promise<void>;
  hasToken(): boolean;
}

interface AccessToken extends Pick<Api, "take" | "drop" | "refresh"> {
  token(): { value: string; endsAt: number } | undefined;
  /** Whom and what the token is for, as the tab shows it. */
  shown(): Shown | undefined;
}

interface Shown {
  user: string;
  organization: string;
}

function createAccess(environment: Environment): AccessToken {
  let token: { value: string; endsAt: number } | undefined;
  let shown: Shown | undefined;
  let running: { wanted: string | undefined; done: Promise<void> } | undefined;

  const take = ({ access_token, expires_in, user, organization }: Tokens) => {
    token = { value: access_token, endsAt: environment.now() + expires_in * 1000 };
    if (!isShown({ user, organization })) shown = { user: user.id, organization: organization.id };
  };
  const isShown = ({ user, organization }: Pick<Tokens, "user" | "organization">) =>
    shown?.user === user.id && shown.organization === organization.id;
  const renew = async (wanted: string | undefined) => {
    const tokens = await environment.alone(() => nextTokens(wanted, shown?.organization, environment));
    if (wanted === undefined && isShown(tokens)) return take(tokens);
    // The token is used from the moment on at which the tab shows what it is for, and not before.
    const answer = await send("GET", "/api/v1/account", {}, environment, tokens.access_token);
    const account = await jsonOf<Account>(answer);
    take(tokens);
    environment.onMoved(account);
  };
  const refresh = (wanted?: string): Promise<void> => {
    if (running && running.wanted === wanted) return running.done;
    const before = running?.done.catch(() => undefined);
    const mine = { wanted, done: before ? before.then(() => renew(wanted)) : renew(wanted) };
    running = mine;
    const end = () => {
      if (running === mine) running = undefined;
    };
    mine.done.then(end, end);
    return mine.done;
  };
  const drop = () => {
    token = undefined;
    shown = undefined;
  };
  return { token: () => token, shown: () => shown, take, drop, refresh };
}

/** Makes the client of the API. Its calls reject with a `Problem`, and with nothing else. */
export function createApi(environment: Environment): Api {
  const { token, shown, take, drop, refresh } = createAccess(environment);

  const refreshOrEnd = async () => {
    try {
      await refresh();
    } catch (error) {
      const problem = asProblem(error);
      if (overCodes.includes(problem.code)) environment.onEnded(problem);
      throw problem;
    }
  };
  const signed = async (method: Method, path: string, asked: CallOptions): Promise<Response> => {
    const from = shown();
    const endsAt = token()?.endsAt ?? Number.POSITIVE_INFINITY;
    if (endsAt - environment.now() < leadMs) await refreshOrEnd();
    requireSame(from, shown());
    const used = token()?.value;
    try {
      return await send(method, path, asked, environment, used);
    } catch (error) {
      const problem = asProblem(error);
      if (!used || !endedCodes.includes(problem.code)) throw problem;
      // Another call may have renewed it meanwhile.
      if (token()?.value === used) await refreshOrEnd();
      requireSame(from, shown());
      return await send(method, path, asked, environment, token()?.value);
    }
  };
  const call = async (method: Method, path: string, asked: CallOptions = {}): Promise<Response> => {
    if (!asked.isQuiet) environment.onBusy(1);
    try {
      return await signed(method, path, asked);
    } finally {
      if (!asked.isQuiet) environment.onBusy(-1);
    }
  };
  const json = async <Answer>(method: Method, path: string, asked?: CallOptions): Promise<Answer> => {
    const answer = await call(method, path, asked);
    if (answer.status === 204 || answer.headers.get("content-length") === "0") return undefined as Answer;
    return await jsonOf<Answer>(answer);
  };
  return {
    get: (path, asked) => json("GET", path, asked),
    post: (path, body, asked) => json("POST", path, { ...asked, body }),
    put: (path, body, asked) => json("PUT", path, { ...asked, body }),
    patch: (path, body, asked) => json("PATCH", path, { ...asked, body }),
    remove: (path, asked) => json("DELETE", path, asked),
    text: (path, asked) => textOf(path, (next) => call("GET", next, asked)),
    take,
    drop,
    refresh,
    hasToken: () => token() !== undefined,
  };
}

/** The texts of a route's pages, one behind the other. */
async function textOf(path: string, ask: (path: string) => Promise<Response>): Promise<string> {
  const answer = await ask(path);
  const text = await answer.text();
  const [, query] = /^<(.*)>/.exec(answer.headers.get("link") ?? "") ?? [];
  return query ? text + (await textOf(path.split("?")[0] + query, ask)) : text;
}

/** The session's next tokens. Who is no member of what the tab shows any more gets those of another organization. */
async function nextTokens(
  wanted: string | undefined,
  shown: string | undefined,
  environment: Environment,
): Promise<Tokens> {
  const ask = async (organization: string | undefined) => {
    const body = organization === undefined ? {} : { organization };
    return await jsonOf<Tokens>(await send("POST", "/api/v1/auth/refresh", { body }, environment));
  };
  try {
    return await ask(wanted ?? shown);
  } catch (error) {
    if (wanted !== undefined || shown === undefined || asProblem(error).code !== notAMember) throw error;
    return await ask(undefined);
  }
}

/** Throws where a call began for another user or organization than the tab shows now. */
function requireSame(from: object | undefined, now: object | undefined): void {
  if (from !== now) throw new Problem("The organization changed.", { code: noAnswer.moved });
}

/** The JSON of an answer. Rejects with a `Problem`. */
export const jsonOf = async <Answer>(answer: Response): Promise<Answer> =>
  (await answer.json().catch((error: unknown) => Promise.reject(asProblem(error)))) as Answer;

/** One request, whose answer is a success. Rejects with a `Problem`. */
export async function send(
  method: Method,
  path: string,
  { body, signal, idempotencyKey }: CallOptions,
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
    // What may be kept says so, and even that is asked for each time.
    cache: "no-cache",
  };
  const answer = await fetch(path, init).catch((error: unknown) => Promise.reject(asProblem(error)));
  if (!answer.ok) throw await problemOf(answer);
  return answer;
}

/** A path with the parameters that have a value. */
export function withQuery<Path extends string>(
  path: Path,
  parameters: Record<string, string | number | undefined>,
): Path | `${Path}?${string}` {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined && value !== "") query.set(name, String(value));
  const text = query.toString();
  return text === "" ? path : `${path}?${text}`;
}
