/** What sends verification messages from the console's function, and what may stop them. */
import { createSendGuard } from "#shared/identity/guard.ts";
import { createGuessGuard, type GuessGuard } from "#shared/identity/guess-guard.ts";
import type { KeyVersions } from "#shared/identity/identity-keys.ts";
import type { PlanNotices, SendGuard, SmsSender } from "#shared/identity/sending.ts";
import { createSmsSender } from "#shared/identity/sms/sender.ts";
import { keptSmsSettings } from "#shared/identity/sms/settings.ts";
import type { Aws } from "#shared/platform/aws.ts";
import { required } from "#shared/platform/env.ts";
import type { Log } from "#shared/platform/log.ts";
import { keptSecret } from "#shared/platform/secrets.ts";
import type { Tables } from "#shared/store/dynamodb/item-keys.ts";
import { createVelocity } from "#shared/store/identity/velocity.ts";

interface MessageDeps {
  aws: Aws;
  tables: Pick<Tables, "accounts">;
  keys: () => Promise<KeyVersions>;
  /** The calling codes that the stage sends to. */
  countries: readonly string[];
  log: Log;
  now: () => number;
}

/** What this function sends with, and what bounds messages and guesses. Sender and guard read their settings with the first message. */
export function openMessages(deps: MessageDeps): {
  sms: SmsSender & PlanNotices;
  guard: SendGuard;
  guesses: GuessGuard;
} {
  const { aws, tables, log } = deps;
  const settings = keptSmsSettings(keptSecret(aws, required("platformsSecret"), log));
  const velocity = createVelocity(aws, tables);
  const perDayMax = Number(required("smsPerDay"));
  return {
    sms: createSmsSender({ ...deps, settings }),
    guard: createSendGuard({ ...deps, settings, velocity, perDayMax }),
    guesses: createGuessGuard({ ...deps, velocity }),
  };
}
