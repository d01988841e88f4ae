/** Whether SES sends the mails of a stage: its sender is verified, and the account is out of the sandbox. */
import { type Check, type CheckFinding, fail, isMissing, ok, warn } from "./check.ts";
import type { StagePlace } from "./stage-place.ts";

type SenderPlace = Pick<StagePlace, "ask" | "mailFrom" | "region">;

/** The check of a stage that sends mails; none where its file names no sender. */
export function mailChecks({ ask, mailFrom: from, region }: SenderPlace): Check[] {
  return from === undefined ? [] : [{ name: "mails", run: async () => await sender({ ask, from, region }) }];
}

interface Sender extends Pick<SenderPlace, "ask" | "region"> {
  from: string;
}

async function sender({ ask, from, region }: Sender): Promise<CheckFinding> {
  const domain = from.slice(from.lastIndexOf("@") + 1);
  const [account, ...verified] = await Promise.all([
    ask("ses:GetAccount", {}),
    isVerified(from, ask),
    isVerified(domain, ask),
  ]);
  const { SendingEnabled, ProductionAccessEnabled, SendQuota } = account;
  const most = SendQuota?.Max24HourSend ?? 0;
  if (!verified.includes(true))
    return fail(
      `SES has verified neither ${from} nor ${domain} in ${region}, so it sends nothing`,
      `verify one of them: aws sesv2 create-email-identity --email-identity ${domain} --region ${region}`,
    );
  if (SendingEnabled === false)
    return fail("SES has paused the account's mails", "see the account's dashboard of SES, which says why");
  if (ProductionAccessEnabled !== true)
    return warn(
      `SES is in its sandbox in ${region}: mails reach verified addresses alone, at most ${most} a day`,
      "ask for production access: aws sesv2 put-account-details --production-access-enabled",
    );
  // SES says -1 where there is no bound.
  return ok(`SES sends from ${from}, ${most < 0 ? "without a bound" : `at most ${most} mails a day`}`);
}

/** Whether SES may send as an identity: an address, or a domain for all of its addresses. */
async function isVerified(EmailIdentity: string, ask: StagePlace["ask"]): Promise<boolean> {
  try {
    const { VerifiedForSendingStatus } = await ask("ses:GetEmailIdentity", { EmailIdentity });
    return VerifiedForSendingStatus === true;
  } catch (error) {
    const { cause } = error as { cause?: unknown };
    if (isMissing(cause ?? error)) return false;
    throw error;
  }
}
