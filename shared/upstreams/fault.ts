/**
 * What a provider's failure means: to the client, to the operator's log, and to the channel. A log must never hold a
 * prompt, and a provider's message may quote one. So a message is logged only where it is about our account or our
 * limits, which a provider checks before it reads a prompt.
 */
import { GatewayError } from "../errors.ts";
import { limits } from "../limits.ts";
import { type IncomingReply, readAll, TransportError } from "../platform/http-client.ts";
import type { LogFields } from "../platform/log.ts";
import { type AccountReason, accountReason, isCertain } from "./account.ts";
import { blameRow, type Carried } from "./blame.ts";
import { refusesReasoning } from "./foreign-reasoning.ts";
import { namesOf, type ProviderError, readProviderError } from "./provider-error.ts";
import { type Confidential, redact, safeCode, safeParam } from "./redaction.ts";
import { blamesRequest, requestRefused, type Sides } from "./refusal.ts";
import { recognise } from "./refusal-codes.ts";
import { waitAsked } from "./wait.ts";

/** What a log line says of a provider's error answer. */
type Told = Pick<LogFields, "upstream_status" | "upstream_code" | "upstream_param" | "meaning" | "said">;

interface FaultFacts {
  told?: Told;
  /** Why the provider refuses our account. */
  account?: AccountReason;
  /** No request can be the cause. */
  certain?: boolean;
  /** The provider limits us. */
  limited?: boolean;
  /** How long it asks us to wait, in milliseconds. */
  wait_ms?: number;
}

/** A failure of the provider, or on the way to it. The next channel may do better. */
export class ProviderFault extends Error {
  readonly facts: FaultFacts;

  constructor(reason: string, facts: FaultFacts = {}) {
    super(reason);
    this.facts = facts;
  }
}

/** A provider's refusal that blames the request: an error for the client, with what the log says of it. */
export class RequestBlamed extends GatewayError {
  readonly told: Told;
  /** It cannot read reasoning in the request. Another channel may have made that. */
  readonly refuses_reasoning: boolean;
  /** Another channel may take the request. */
  readonly elsewhere: boolean;

  constructor(
    { key, detail }: GatewayError,
    told: Told,
    {
      refuses_reasoning = false,
      elsewhere = false,
    }: Partial<Pick<RequestBlamed, "refuses_reasoning" | "elsewhere">>,
  ) {
    super(key, detail);
    this.told = told;
    this.refuses_reasoning = refuses_reasoning;
    this.elsewhere = elsewhere;
  }
}

/** Of what a provider was asked, what its refusal is read by. */
export interface Refused {
  confidential: Confidential;
  sides: Sides;
  carried: Carried;
}

/**
 * What an error answer says: it blames the request, or it is a fault after which another channel may do better. Reads
 * the answer to its end, so that its socket can be used again. `now` is Unix milliseconds.
 */
export async function refusalIn(
  reply: IncomingReply,
  refused: Refused,
  now: number,
): Promise<ProviderFault | RequestBlamed> {
  const { status, headers } = reply;
  const reading = readAll(reply, limits.replyBytesMax);
  // Whoever blames the request says why. Without its words it counts as broken off.
  const body = await (blamesRequest(status) ? reading : reading.catch(() => Buffer.alloc(0)));
  return refusalOf(status, body, refused, (error) => waitAsked(headers, error, now));
}

/** What an error inside of a 200 says. `body` is the error as JSON. */
export function refusalInside(body: Buffer, refused: Refused): ProviderFault | RequestBlamed {
  return refusalOf(200, body, refused, () => undefined);
}

function refusalOf(
  status: number,
  body: Buffer,
  { confidential, sides, carried }: Refused,
  waitOf: (error: ProviderError) => number | undefined,
): ProviderFault | RequestBlamed {
  const error = readProviderError(body);
  const account = accountReason(status, error);
  const row = account ? undefined : blameRow(status, error, carried);
  const isBlamed = row ? row.whose === "request" : !account && blamesRequest(status);
  const limited = !isBlamed && !account && (status === 429 || row?.whose === "limit");
  const told = toldOf(status, error, confidential, limited || account !== undefined);
  if (isBlamed) {
    const said = requestRefused(body, confidential, status, sides);
    return new RequestBlamed(said, told, {
      refuses_reasoning: refusesReasoning(error),
      elsewhere: row?.elsewhere === true,
    });
  }
  if (account) {
    const reason = blamesRequest(status) ? "our account is refused" : `status ${status}`;
    return new ProviderFault(reason, { told, account, certain: isCertain(status, error) });
  }
  const wait_ms = waitOf(error);
  return new ProviderFault(status === 200 ? "an error inside a 200" : `status ${status}`, {
    told,
    limited,
    // A server that is down for a while names a wait in the same way.
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
    ...(status !== 200 && { upstream_status: status }),
    ...(upstream_code !== undefined && { upstream_code }),
    ...(upstream_param !== undefined && { upstream_param }),
    ...(meaning && { meaning }),
    ...(said !== undefined && { said: said.toWellFormed() }),
  };
}

/** What a failure says of its channel. */
export interface ChannelFailure {
  /** Whether the channel should be left because it asks us to, because it refuses our account, or because it failed. */
  outcome: "fault" | "limited" | "refused";
  /** Whether the provider has answered that we reached a limit of ours. */
  is_limit: boolean;
  /** How long the provider asks us to wait, in milliseconds. */
  wait_ms: number | undefined;
  /** No request can be the cause: the provider cannot be reached, or refuses our key. */
  is_certain: boolean;
}

/**
 * What an error of an attempt says of its channel. A server that names a wait, or is overloaded (529), asks us to leave
 * it, as one that limits us does.
 */
export function channelFailure(error: Error): ChannelFailure {
  const { account, limited, wait_ms, told, certain } = error instanceof ProviderFault ? error.facts : {};
  const is_limit = limited === true;
  const is_certain = certain === true || (error instanceof TransportError && error.phase === "connect");
  if (account) return { outcome: "refused", is_limit, wait_ms, is_certain };
  const isLeft = is_limit || wait_ms !== undefined || told?.upstream_status === 529;
  return { outcome: isLeft ? "limited" : "fault", is_limit, wait_ms, is_certain };
}

/** What a client is told when no channel has answered. */
export function unanswered(failures: readonly ChannelFailure[]): GatewayError {
  if (failures.length === 0) return new GatewayError("no_channel");
  if (!failures.every(({ is_limit }) => is_limit)) return new GatewayError("upstream_error");
  const known = failures.map(({ wait_ms }) => wait_ms).filter((wait) => wait !== undefined);
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
