/** What sends verification messages from the console's function, and what may stop them. */

import type { Aws } from "#shared/base/platform/aws.ts";
import { required } from "#shared/base/platform/env.ts";
import type { Log } from "#shared/base/platform/log.ts";
import { keptSecret } from "#shared/base/platform/secrets.ts";
import type { TableNames } from "#shared/edges/store/dynamodb/item-keys.ts";
import { createVelocity } from "#shared/edges/store/identity/velocity.ts";
import { createSendGuard } from "#shared/people/identity/guard.ts";
import { createGuessGuard, type GuessGuard } from "#shared/people/identity/guess-guard.ts";
import type { KeyVersions } from "#shared/people/identity/identity-keys.ts";
import type { PlanNotices, SendGuard, SmsSender } from "#shared/people/identity/sending.ts";
import { createSmsSender } from "#shared/people/identity/sms/sender.ts";
import { keptSmsSettings } from "#shared/people/identity/sms/settings.ts";

interface MessageDeps {
  aws: Aws;
  tables: Pick<TableNames, "accounts">;
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
