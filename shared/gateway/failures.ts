/**
 * Providers that fail or refuse: what of it a client is told, what an operator's log says, and how long a channel
 * rests. Logs never hold a prompt, and a provider's sentence may quote one. So its sentence is logged only where it
 * speaks of our account or our limits: a provider decides those before it reads a prompt.
 */
import { catalog as errors, GatewayError } from "../errors.ts";
import { limits } from "../limits.ts";
import { type IncomingReply, readAll, TransportError } from "../platform/http-client.ts";
import { describeError, type LogFields } from "../platform/log.ts";
import { type AccountReason, accountReason } from "../upstreams/account.ts";
import { namesOf, type ProviderError, readProviderError } from "../upstreams/provider-error.ts";
import { type Confidential, redact, safeCode, safeParam } from "../upstreams/redaction.ts";
import { requestRefused, type Sides } from "../upstreams/refusal.ts";
import { type Form, recognise } from "../upstreams/refusal-codes.ts";
import { waitAsked } from "../upstreams/wait.ts";
import type { Admitted } from "./admit.ts";
import type { Deps } from "./deps.ts";
import { StreamFailed } from "./relay.ts";
import type { Way } from "./route.ts";

/** What a log line says of a provider's error answer. */
type Told = Pick<LogFields, "upstream_status" | "upstream_code" | "upstream_param" | "meaning" | "said">;

interface FaultFacts {
  told?: Told;
  /** The provider refuses our account. */
  account?: AccountReason;
  /** The provider limits us, and may have said for how many milliseconds. */
  limited?: boolean;
  wait_ms?: number;
}

/** A failure of the provider or the way to it: the next channel may do better. */
export class ProviderFault extends Error {
  readonly facts: FaultFacts;

  constructor(reason: string, facts: FaultFacts = {}) {
    super(reason);
    this.facts = facts;
  }
}

/** The provider's verdict that the request is wrong, for the client, with what the log says of it. */
export class RequestBlamed extends GatewayError {
  readonly told: Told;

  constructor({ key, detail }: GatewayError, told: Told) {
    super(key, detail);
    this.told = told;
  }
}

/** A rejection after attempts were made: the entry says how many, and who was asked last. */
export class ForwardFailed extends Error {
  readonly rejection: GatewayError;
  readonly provider: string | null;
  readonly attempts: number;

  constructor(rejection: GatewayError, provider: string | null, attempts: number) {
    super(rejection.message);
    this.rejection = rejection;
    this.provider = provider;
    this.attempts = attempts;
  }
}

/** Whether a thrown value is a failure after which the next channel may be tried. */
export function isProviderFault(error: unknown): error is ProviderFault | TransportError | StreamFailed {
  return error instanceof ProviderFault || error instanceof TransportError || error instanceof StreamFailed;
}

/** Why a request was refused that the provider blames. A client cannot mend our account, but another channel may. */
export function refusalOf(
  status: number,
  body: Buffer,
  confidential: Confidential,
  sides: Sides,
): ProviderFault | RequestBlamed {
  const error = readProviderError(body);
  const account = accountReason(status, error);
  const told = toldOf(status, error, confidential, account !== undefined);
  if (account) return new ProviderFault("our account is refused", { told, account });
  return new RequestBlamed(requestRefused(body, confidential, status, sides), told);
}

/** Reads an error answer to its end, so that the socket serves again, and says what was wrong. `now` is Unix milliseconds. */
export async function faultOf(
  reply: IncomingReply,
  confidential: Confidential,
  now: number,
): Promise<ProviderFault> {
  const { status, headers } = reply;
  const error = readProviderError(await readAll(reply, limits.replyBytesMax).catch(() => Buffer.alloc(0)));
  const account = accountReason(status, error);
  const limited = status === 429 && account === undefined;
  const wait_ms = account ? undefined : waitAsked(headers, error, now);
  return new ProviderFault(`status ${status}`, {
    told: toldOf(status, error, confidential, limited || account !== undefined),
    limited,
    ...(account && { account }),
    // A server that is down for a while says so in the same way.
    ...(wait_ms !== undefined && (limited || status === 503) && { wait_ms }),
  });
}

function toldOf(status: number, error: ProviderError, confidential: Confidential, quotes: boolean): Told {
  const code = error.code ?? error.status ?? error.type;
  const upstream_code = code === undefined ? undefined : safeCode(code, confidential);
  const upstream_param = error.param === undefined ? undefined : safeParam(error.param, confidential);
  const meaning = recognise(namesOf(error), error.message, status)?.meaning;
  const said =
    quotes && error.message !== undefined
      ? redact(error.message, confidential).slice(0, limits.errorExcerptCharsMax)
      : undefined;
  return {
    upstream_status: status,
    ...(upstream_code !== undefined && { upstream_code }),
    ...(upstream_param !== undefined && { upstream_param }),
    ...(meaning && { meaning }),
    ...(said !== undefined && { said: said.toWellFormed() }),
  };
}

/** Until when others go before a channel that failed like this, Unix milliseconds; undefined where only its count matters. */
export function restsUntil(error: Error, now: number): number | undefined {
  if (!(error instanceof ProviderFault)) return undefined;
  const { account, wait_ms } = error.facts;
  if (account) return now + limits.accountCoolingMs;
  return wait_ms === undefined ? undefined : now + wait_ms;
}

/** What a client is told when no channel answered. `waits` are how long each of the limited ones rests, where that is known. */
export function unanswered(
  faults: readonly Error[],
  waits: readonly (number | undefined)[],
  attempts: number,
): GatewayError {
  if (attempts === 0) return new GatewayError("no_channel");
  const limited = faults.every((fault) => fault instanceof ProviderFault && fault.facts.limited === true);
  if (!limited) return new GatewayError("upstream_error");
  const known = waits.filter((wait) => wait !== undefined);
  const wait_ms = known.length > 0 ? Math.min(...known) : undefined;
  const again = wait_ms === undefined ? "shortly" : `in ${inSeconds(wait_ms)}`;
  return new GatewayError("upstream_error", {
    message: `The model's providers limit this gateway at the moment; no limit of your own is reached. Try again ${again}.`,
    ...(wait_ms !== undefined && { wait_ms }),
  });
}

function inSeconds(ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / 1000));
  return seconds === 1 ? "1 second" : `${seconds} seconds`;
}

/** Between whom a refusal is told: the client goes by its route, the provider by how it is spoken to. */
export function sidesOf({ route, protocol }: Admitted, way: Way): Sides {
  return {
    client: clientForm(route, protocol),
    provider: providerForm(way),
    same_fields: way.protocol === protocol,
  };
}

function clientForm(
  { style, path }: Pick<Admitted["route"], "style" | "path">,
  { kind }: Pick<Admitted["protocol"], "kind">,
): Form {
  if (style === "anthropic" || style === "anthropic_superset") return "anthropic";
  if (style === "gemini") return "gemini";
  if (style === "volcengine") return "ark";
  if (path.startsWith("/api/paas/")) return "zhipu";
  return kind === "image" ? "images" : "openai";
}

function providerForm({ dialect, protocol: { kind } }: Way): Form {
  switch (dialect) {
    case "anthropic":
    case "gemini":
    case "ark":
    case "zhipu":
      return dialect;
    default:
      return kind === "image" ? "images" : "openai";
  }
}

/** What a line says of an attempt: which it was, when it was sent, and how long it took. */
type AttemptFields = Pick<LogFields, "attempts" | "sent_ms" | "attempt_ms">;

/** Logs a channel's failure and, where the provider refuses our account, what wakes an operator. */
export function logFault(
  error: Error,
  provider: string,
  attempt: AttemptFields,
  call: Admitted,
  deps: Deps,
): void {
  const asked = { request: call.request.id, model: call.model.id, provider };
  const { told, account } = error instanceof ProviderFault ? error.facts : {};
  deps.log("warn", "upstream_failed", { ...asked, ...attempt, error: describeError(error), ...told });
  if (account) deps.log("error", "provider_account_refused", { ...asked, reason: account, ...told });
}

/** Logs that a provider blamed the request. */
export function logRefused(
  error: GatewayError,
  provider: string,
  attempt: AttemptFields,
  call: Admitted,
  deps: Deps,
): void {
  if (!(error instanceof RequestBlamed)) return;
  const asked = { request: call.request.id, model: call.model.id, route: call.route.path, provider };
  deps.log("info", "request_refused", { ...asked, ...attempt, code: errors[error.key].code, ...error.told });
}
