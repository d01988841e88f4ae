/** One attempt to deliver a message: what is sent, where it may go, and what is made of the answer. */
import { type Send, TransportError } from "../../base/platform/http-call.ts";
import { ClosedAddress, checkHost, publicLookup } from "../../base/platform/public-address.ts";
import type { AuditEntry } from "../identity/audit.ts";
import type { ReadKeys } from "../identity/identity-keys.ts";
import { newsLimits } from "./bounds.ts";
import type { AttemptFailure, DeliveryAttempt } from "./delivery.ts";
import { messageBody } from "./message.ts";
import { signedHeaders } from "./signature.ts";
import { isLocal, type Webhook } from "./webhook.ts";

export interface AttemptDeps {
  send: Send;
  keys: ReadKeys;
  /** The names of this machine that a webhook may have, where the gateway runs locally. */
  localHosts: readonly string[];
  /** How names are resolved; the system's DNS outside tests. */
  resolve?: Parameters<typeof publicLookup>[0];
  now: () => number;
}

/** Sends a line to a webhook once. Never rejects: what kept it from arriving is the attempt's `failure`. */
export async function attempt(
  webhook: Webhook,
  line: AuditEntry,
  deps: AttemptDeps,
): Promise<DeliveryAttempt> {
  const at = deps.now();
  const ended = (status: number | null, failure: AttemptFailure | null): DeliveryAttempt => {
    return { at, status, failure, ms: deps.now() - at };
  };
  try {
    const status = await post(webhook, line, at, deps);
    return ended(status, status >= 200 && status < 300 ? null : "status");
  } catch (error) {
    return ended(null, failureOf(error));
  }
}

/** The status of the receiver's answer. Its body is not read, and no redirect is followed. */
async function post(webhook: Webhook, line: AuditEntry, at: number, deps: AttemptDeps): Promise<number> {
  const url = new URL(webhook.url);
  const isOpen = isLocal(url, deps.localHosts);
  if (!isOpen) checkHost(url);
  const body = messageBody(line);
  const signed = await signedHeaders(webhook, { message: line.id, body, at }, deps.keys);
  const { connectMs, answerMs } = newsLimits;
  const reply = await deps.send({
    method: "POST",
    url: webhook.url,
    headers: { ...signed, "content-type": "application/json", "user-agent": "model-gateway-webhooks" },
    body,
    once: true,
    ...{ connectMs, firstByteMs: answerMs, idleMs: answerMs },
    signal: AbortSignal.timeout(answerMs),
    ...(!isOpen && { lookup: publicLookup(deps.resolve) }),
  });
  reply.body.destroy(new Error("nobody reads it"));
  return reply.status;
}

/** What this machine lacks for a connection: no receiver can bring it about. */
const ourCodes: readonly unknown[] = ["EMFILE", "ENFILE", "ENETDOWN", "EADDRNOTAVAIL", "ENOBUFS"];

function failureOf(error: unknown): AttemptFailure {
  const cause = error instanceof TransportError ? error.cause : error;
  if (cause instanceof ClosedAddress) return "closed_address";
  const isOurs = cause instanceof Error && "code" in cause && ourCodes.includes(cause.code);
  if (isOurs || !(error instanceof TransportError)) return "our_fault";
  return error.phase === "connect" ? "no_connection" : "no_answer";
}
