/** How messages and mails leave: a service is asked once, and one line of the log says what came of it. */
import { consoleLimits } from "../../base/console-limits.ts";
import { GatewayError } from "../../base/errors.ts";
import type { Log, LogFields } from "../../base/platform/log.ts";
import { within } from "../../base/platform/pause.ts";

/** A service's own word for why it did not send. Its message is left out, because services quote recipients in it. */
export class SendRefused extends Error {
  readonly code: string;
  readonly status: number | undefined;

  constructor(code: unknown, status?: number) {
    const word = typeof code === "string" && /^[\w.:-]{1,80}$/.test(code) ? code : "unknown";
    super(`the service answered ${word}`);
    this.name = "SendRefused";
    this.code = word;
    this.status = status;
  }
}

/** The log's line of a message that was not sent, by what it was to say: a code, news, or that a plan ends. */
const notSent = {
  code: (log: Log, fields: LogFields) => log("error", "sms_not_sent", fields),
  news: (log: Log, fields: LogFields) => log("error", "news_mail_not_sent", fields),
  planEnd: (log: Log, fields: LogFields) => log("error", "plan_notice_not_sent", fields),
};
export type Sent = keyof typeof notSent;

interface OneSending {
  /** Names the service, and gives what asks it. */
  open: () => Promise<{ service: string; ask: () => Promise<void> }>;
  /** What the log says of the recipient: always, and only where nothing was sent. */
  about: LogFields;
  aboutFailed: LogFields;
  what: Sent;
}

export interface SendDeps {
  log: Log;
  now: () => number;
  /** How long a service has for its answer, where that is not the usual time. */
  timeoutMs?: number;
}

/**
 * Asks a service once: it cannot tell that two requests are the same. Throws `internal` for whatever goes wrong. What
 * was not answered for in time may have been sent.
 */
export async function sendOnce(
  { open, about, aboutFailed, what }: OneSending,
  { log, now, timeoutMs = consoleLimits.smsTimeoutMs }: SendDeps,
): Promise<void> {
  const began = now();
  let service: string | undefined;
  try {
    const opened = await open();
    service = opened.service;
    await inTime(opened.ask(), timeoutMs);
    log("info", "sms_sent", { service, ...about, duration_ms: now() - began });
  } catch (error) {
    notSent[what](log, {
      ...(service !== undefined && { service }),
      ...about,
      ...aboutFailed,
      duration_ms: now() - began,
      ...reasonOf(error),
    });
    throw new GatewayError("internal", {
      message: "The message could not be sent. Try again in a minute.",
    });
  }
}

const late = "late";

/** Throws where the service takes too long; not every client's own limit covers all of a call. */
async function inTime(sending: Promise<void>, timeoutMs: number): Promise<void> {
  // It may fail after nobody waits any more.
  sending.catch(() => {});
  const sent = sending.then(() => undefined);
  const outcome = await within<typeof late | undefined>(sent, timeoutMs, late);
  if (outcome === late) throw new Error(`no answer within ${timeoutMs} ms`);
}

/** Why nothing was sent, as far as it may be logged: the message of a client's error may quote a recipient or a key. */
function reasonOf(error: unknown) {
  if (error instanceof SendRefused) {
    return { reason: error.code, ...(error.status !== undefined && { upstream_status: error.status }) };
  }
  const { name, code, message } = error as { name?: unknown; code?: unknown; message?: unknown };
  const isOurs = typeof message === "string" && /^(?:platforms: |the platforms|no answer)/.test(message);
  if (isOurs) return { reason: message };
  return { reason: [name, code].filter((part) => typeof part === "string").join(" ") };
}
