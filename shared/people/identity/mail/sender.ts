/** Sends codes and notices by e-mail, over SES. Its client is loaded with the first mail. */
import { consoleLimits } from "../../../base/console-limits.ts";
import { type SendDeps, type Sent, sendOnce } from "../send-once.ts";
import type { CodeSender, PlanNotices } from "../sending.ts";
import type { MailService, MailSettings } from "./port.ts";
import { codeMail, type Mail, planMail } from "./words.ts";

/** The sender of a stage. It fails as that of messages does, with the same lines; `service` is then `ses`. */
export function createMailSender(
  settings: MailSettings,
  deps: SendDeps,
): CodeSender & PlanNotices & { tell(to: string, mail: Mail): Promise<void> } {
  const { timeoutMs = consoleLimits.smsTimeoutMs } = deps;
  let opened: Promise<MailService> | undefined;
  const send = async (to: string, mail: Mail, what: Sent): Promise<void> => {
    const open = async () => {
      opened ??= import("./ses.ts").then(({ ses }) => ses(settings, timeoutMs));
      const service = await opened;
      return { service: "ses", ask: () => service(to, mail) };
    };
    const domain = to.slice(to.lastIndexOf("@") + 1);
    await sendOnce({ open, about: {}, aboutFailed: { domain }, what }, deps);
  };
  return {
    send: async (to, code, locale) => await send(to, codeMail(code, locale), "code"),
    tell: async (to, mail) => await send(to, mail, "news"),
    async planEnds(to, ending, locale) {
      await send(to, planMail(ending, locale), "planEnd");
      return true;
    },
  };
}
