/** Sends verification messages over the service of the settings. Its code is loaded with the first message. */
import { consoleLimits } from "../../../base/console-limits.ts";
import { countryOf, lastFourOf } from "../phone.ts";
import { type SendDeps, type Sent, sendOnce } from "../send-once.ts";
import type { CodeSender, PlanNotices } from "../sending.ts";
import type { SmsMessage, SmsService } from "./message.ts";
import type { SmsSettings } from "./settings.ts";

interface SenderDeps extends SendDeps {
  /** The settings that are in force; undefined where the stage has none. */
  settings: () => Promise<SmsSettings | undefined>;
  /** The calling codes that the stage sends to; the log names that of a message. */
  countries: readonly string[];
}

/**
 * The sender of a stage. Whatever goes wrong is one error to its caller, `internal`, and one line in the log, which names
 * the service's own code. Of a verification code the line is `sms_not_sent`, of a message that a plan ends
 * `plan_notice_not_sent`.
 */
export function createSmsSender(deps: SenderDeps): CodeSender & PlanNotices {
  const { timeoutMs = consoleLimits.smsTimeoutMs } = deps;
  let opened: { settings: SmsSettings; service: Promise<SmsService> } | undefined;
  const serviceOf = (settings: SmsSettings): Promise<SmsService> => {
    if (opened?.settings !== settings) opened = { settings, service: openService(settings, timeoutMs) };
    return opened.service;
  };
  const send = async (message: SmsMessage, what: Sent): Promise<void> => {
    const country = countryOf(message.phone, deps.countries);
    const open = async () => {
      const settings = await deps.settings();
      if (!settings) throw new Error("the platforms' secret has no sms");
      const service = await serviceOf(settings);
      return { service: settings.service, ask: () => service(message) };
    };
    const about = country === undefined ? {} : { country };
    await sendOnce({ open, about, aboutFailed: { last_four: lastFourOf(message.phone) }, what }, deps);
  };
  return {
    send: async (phone, code, locale) => await send({ phone, code, locale }, "code"),
    async planEnds(phone, ending, locale) {
      const hasTemplate = await deps.settings().then(
        (settings) => settings !== undefined && "expiry_templates" in settings,
        // Settings that cannot be read: `send` logs why.
        () => true,
      );
      if (!hasTemplate) return false;
      await send({ phone, ...ending, locale }, "planEnd");
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
