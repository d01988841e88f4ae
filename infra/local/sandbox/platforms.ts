/**
 * The sandbox where orders are paid, and the inbox of codes. What deploys asks both, by the secret `platforms`. Beside
 * them is an identity provider, which organizations set by themselves.
 */
import { endingWith } from "../emulators/listen.ts";
import { startIdentityProvider } from "./identity-provider.ts";
import { type InboxMessage, inboxSettings, startInbox } from "./inbox.ts";
import { openPaymentPlatform } from "./payment-platform/server.ts";

/** Where the stand-ins are. `secret` makes the text of the secret, for which whoever asks first waits. */
interface Platforms {
  inbox: string;
  paymentPlatform: string;
  identityProvider: string;
  secret(): Promise<string>;
}

interface PlatformsOptions {
  /** Asked when a platform has something to tell: the console opens later. */
  consoleUrl: () => string;
  /** Told of each code that is sent. */
  onCode: (message: InboxMessage) => void;
}

/** Starts all of them on free ports. The disposal of `parts` ends them. */
export async function openPlatforms(
  { consoleUrl, onCode }: PlatformsOptions,
  parts: AsyncDisposableStack,
): Promise<Platforms> {
  const notifyUrl = (channel: string) => `${consoleUrl()}/api/v1/payments/${channel}/notify`;
  const [inbox, sandbox, provider] = await Promise.all([
    endingWith(parts, startInbox({ onCode })),
    endingWith(parts, openPaymentPlatform({ notifyUrl })),
    endingWith(parts, startIdentityProvider()),
  ]);
  return {
    inbox: inbox.url,
    paymentPlatform: sandbox.url,
    identityProvider: provider.url,
    secret: async () => JSON.stringify({ ...(await sandbox.makeSettings()), sms: inboxSettings(inbox) }),
  };
}
