/** Calls that fail or are refused at a provider: their errors, the names that the client is told, and the log lines. */

import { errorCodes, type GatewayError } from "../../base/errors.ts";
import { TransportError } from "../../base/platform/http-client.ts";
import { describeError } from "../../base/platform/log.ts";
import { StreamFailed } from "../exchange/relay.ts";
import type { UpstreamRoute } from "../exchange/upstream-route.ts";
import type { AttemptTiming } from "../upstreams/attempt-timing.ts";
import type { Candidate } from "../upstreams/channels.ts";
import { ProviderFault, RequestBlamed } from "../upstreams/fault.ts";
import type { RefusalSides } from "../upstreams/refusal.ts";
import type { VendorForm } from "../upstreams/refusal-codes.ts";
import type { Admitted } from "./admit.ts";
import type { Deps } from "./deps.ts";
import type { RouteTaken } from "./route-taken.ts";

/** The rejection of a call that no channel answered, with whom it has asked. */
export class ForwardFailed extends Error {
  readonly rejection: GatewayError;
  readonly asked: RouteTaken;

  constructor(rejection: GatewayError, asked: RouteTaken) {
    super(rejection.message);
    this.rejection = rejection;
    this.asked = asked;
  }
}

/** Whether a thrown value is a failure after which the next channel is tried. */
export function isProviderFault(error: unknown): error is ProviderFault | TransportError | StreamFailed {
  return error instanceof ProviderFault || error instanceof TransportError || error instanceof StreamFailed;
}

/**
 * A short class of an attempt's failure, as `error.type` of OpenTelemetry. It is the status that the provider answered.
 * Without an answer it is `connect` or `sent`, for a stream that broke off `stream`, and else `invalid_answer`.
 */
export function errorType(error: Error): string {
  if (error instanceof TransportError) return error.phase;
  if (error instanceof StreamFailed) return "stream";
  return String(upstreamStatus(error) ?? "invalid_answer");
}

/** The HTTP status of the provider's error answer that made an attempt fail; undefined where there was none. */
export function upstreamStatus(error: Error): number | undefined {
  const told = error instanceof RequestBlamed ? error.told : (error as Partial<ProviderFault>).facts?.told;
  return told?.upstream_status;
}

/**
 * Whose names a refusal is told in, and whose it was given in. The client's follow from its route, the provider's
 * from its dialect.
 */
export function sidesOf(
  { route, protocol }: Admitted,
  { route: upstream, host }: Candidate<UpstreamRoute>,
): RefusalSides {
  // Bedrock has its own names for what it refuses, and no client of vectors or pictures reads them.
  const isOdd = host === "bedrock" && protocol.kind !== "chat";
  return {
    client: clientForm(route, protocol),
    provider: isOdd ? undefined : providerForm(upstream),
    same_fields: upstream.protocol === protocol,
  };
}

function clientForm(
  { style, path }: Pick<Admitted["route"], "style" | "path">,
  { kind }: Pick<Admitted["protocol"], "kind">,
): VendorForm {
  if (style === "anthropic" || style === "anthropic_superset" || style === "aws") return "anthropic";
  if (style === "gemini") return "gemini";
  if (style === "volcengine") return "ark";
  if (path.startsWith("/api/paas/")) return "zhipu";
  return kind === "image" ? "images" : "openai";
}

function providerForm({ dialect, protocol: { kind } }: UpstreamRoute): VendorForm | undefined {
  switch (dialect) {
    case "anthropic":
    case "gemini":
    case "ark":
    case "zhipu":
      return dialect;
    case "converse":
      return undefined;
    default:
      return kind === "image" ? "images" : "openai";
  }
}

/** What a log line says of an attempt: its number among those of its call, and its timing. */
export type LoggedAttempt = AttemptTiming & { attempts: number };

/**
 * Logs a channel's failure. Where the provider refuses our account, the log line also rings the operator's alarm. What
 * happens with an organization's own key has a line of its own, which no alarm and no chart counts.
 */
export function logFault(
  error: Error,
  { provider, secret, own }: Candidate<UpstreamRoute>,
  attempt: LoggedAttempt,
  call: Admitted,
  deps: Deps,
): void {
  const asked = { request: call.request.id, model: call.model.id, provider, credential: secret };
  const { told, account } = error instanceof ProviderFault ? error.facts : {};
  if (own) {
    deps.log("info", "own_key_failed", { ...asked, ...attempt, error: describeError(error), ...told });
    return;
  }
  deps.log("warn", "upstream_failed", { ...asked, ...attempt, error: describeError(error), ...told });
  if (account) deps.log("error", "provider_account_refused", { ...asked, reason: account, ...told });
}

/** Logs that a provider blamed the request. */
export function logRefused(
  error: GatewayError,
  provider: string,
  attempt: LoggedAttempt,
  call: Admitted,
  deps: Deps,
): void {
  if (!(error instanceof RequestBlamed)) return;
  const asked = { request: call.request.id, model: call.model.id, route: call.route.path, provider };
  deps.log("info", "request_refused", {
    ...asked,
    ...attempt,
    code: errorCodes[error.key].code,
    ...error.told,
  });
}
