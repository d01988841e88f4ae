/** Sends verification messages over the service of the settings. Its code is loaded with the first message. */
import { consoleLimits } from "../../../base/console-limits.ts";
import { GatewayError } from "../../../base/errors.ts";
import type { Log, LogFields } from "../../../base/platform/log.ts";
import { within } from "../../../base/platform/pause.ts";
import { countryOf, lastFourOf } from "../phone.ts";
import type { CodeSender, PlanNotices } from "../sending.ts";
import { type SmsMessage, SmsRefused, type SmsService } from "./message.ts";
import type { SmsSettings } from "./settings.ts";

interface SenderDeps {
  /** The settings that are in force; undefined where the stage has none. */
  settings: () => Promise<SmsSettings | undefined>;
  /** The calling codes that the stage sends to; the log names that of a message. */
  countries: readonly string[];
  log: Log;
  now: () => number;
  /** How long a service has for its answer, where that is not the usual time. */
  timeoutMs?: number;
}

/**
 * The sender of a stage. Whatever goes wrong is one error to its caller, `internal`, and one line in the log, which names
 * the service's own code. Of a verification code the line is `sms_not_sent`, of a message that a plan ends
 * `plan_notice_not_sent`. A message that was not answered for in time may have been sent.
 */
export function createSmsSender(deps: SenderDeps): CodeSender & PlanNotices {
  const { timeoutMs = consoleLimits.smsTimeoutMs } = deps;
  let opened: { settings: SmsSettings; service: Promise<SmsService> } | undefined;
  const serviceOf = (settings: SmsSettings): Promise<SmsService> => {
    if (opened?.settings !== settings) opened = { settings, service: openService(settings, timeoutMs) };
    return opened.service;
  };
  const send = async (message: SmsMessage, tellFailure: (fields: LogFields) => void): Promise<void> => {
    const began = deps.now();
    const country = countryOf(message.phone, deps.countries);
    let settings: SmsSettings | undefined;
    try {
      settings = await deps.settings();
      if (!settings) throw new Error("the platforms' secret has no sms");
      const service = await serviceOf(settings);
      await inTime(service(message), timeoutMs);
      deps.log("info", "sms_sent", {
        service: settings.service,
        ...(country !== undefined && { country }),
        duration_ms: deps.now() - began,
      });
    } catch (error) {
      tellFailure({
        ...(settings && { service: settings.service }),
        ...(country !== undefined && { country }),
        last_four: lastFourOf(message.phone),
        duration_ms: deps.now() - began,
        ...reasonOf(error),
      });
      throw new GatewayError("internal", {
        message: "The message could not be sent. Try again in a minute.",
      });
    }
  };
  const codeNotSent = (fields: LogFields) => deps.log("error", "sms_not_sent", fields);
  const noticeNotSent = (fields: LogFields) => deps.log("error", "plan_notice_not_sent", fields);
  return {
    send: async (phone, code, locale) => await send({ phone, code, locale }, codeNotSent),
    async planEnds(phone, ending, locale) {
      const hasTemplate = await deps.settings().then(
        (settings) => settings !== undefined && "expiry_templates" in settings,
        // Settings that cannot be read: `send` logs why.
        () => true,
      );
      if (!hasTemplate) return false;
      await send({ phone, ...ending, locale }, noticeNotSent);
      return true;
    },
  };
}

async function openService(settings: SmsSettings, timeoutMs: number): Promise<SmsService> {
  if (settings.service === "aliyun") return (await import("./aliyun.ts")).aliyun(settings, timeoutMs);
  if (settings.service === "tencent") return (await import("./tencent.ts")).tencent(settings, timeoutMs);
  if (settings.service === "aws") return (await import("./aws.ts")).aws(settings, timeoutMs);
  return (await import("./inbox.ts")).inbox(settings, timeoutMs);
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

/** Why nothing was sent, as far as it may be logged: the message of a client's error may quote a number or a key. */
function reasonOf(error: unknown) {
  if (error instanceof SmsRefused) {
    return { reason: error.code, ...(error.status !== undefined && { upstream_status: error.status }) };
  }
  const { name, code, message } = error as { name?: unknown; code?: unknown; message?: unknown };
  const isOurs = typeof message === "string" && /^(?:platforms: |the platforms|no answer)/.test(message);
  if (isOurs) return { reason: message };
  return { reason: [name, code].filter((part) => typeof part === "string").join(" ") };
}
