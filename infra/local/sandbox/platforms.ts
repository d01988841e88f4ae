/**
 * What stands in for the platforms that the console asks: the sandbox where orders are paid, and the inbox that gets
 * verification codes. Both are in the secret `platforms`, so the code that deploys asks them.
 */
import { type InboxMessage, inboxSettings, startInbox } from "./inbox.ts";
import { startPaymentPlatform } from "./payment-platform/server.ts";

/** Where the stand-ins are, and the text of the secret. */
interface Platforms {
  inbox: string;
  paymentPlatform: string;
  secret: string;
}

interface PlatformsOptions {
  /** Asked when a platform has something to tell: the console opens later. */
  consoleUrl: () => string;
  /** Told of each code that is sent. */
  onMessage: (message: InboxMessage) => void;
}

/** Starts both on free ports. The disposal of `parts` ends them. */
export async function openPlatforms(
  { consoleUrl, onMessage }: PlatformsOptions,
  parts: AsyncDisposableStack,
): Promise<Platforms> {
  const notifyUrl = (channel: string) => `${consoleUrl()}/api/v1/payments/${channel}/notify`;
  const [inbox, sandbox] = await Promise.all([
    startInbox({ onMessage }),
    startPaymentPlatform({ notifyUrl }),
  ]);
  parts.defer(inbox.stop);
  parts.defer(sandbox.stop);
  return {
    inbox: inbox.url,
    paymentPlatform: sandbox.url,
    secret: JSON.stringify({ ...sandbox.settings, sms: inboxSettings(inbox) }),
  };
}
