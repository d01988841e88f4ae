/** Everything the pipeline touches beyond its arguments, handed down as one value by the composition root. */

import type { Refusals } from "../access/refusals.ts";
import type { Replays } from "../access/replays.ts";
import type { Accounts } from "../accounts/account.ts";
import type { ModelCatalog } from "../catalog/models.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { UsageEvent } from "../ledger/usage-event.ts";
import type { Meters } from "../meters/meter.ts";
import type { Send } from "../platform/http-client.ts";
import type { Log } from "../platform/log.ts";
import type { Secrets } from "../platform/secrets.ts";

export interface Deps {
  accounts: Accounts;
  meters: Meters;
  ledger: Ledger;
  /** Resolves when the queue has acknowledged the event. */
  queue: { send(event: UsageEvent): Promise<void> };
  replays: Replays;
  /** What this process has been refused of late. */
  refusals: Refusals;
  /** Asks a provider. */
  send: Send;
  catalog: ModelCatalog;
  secrets: Secrets;
  log: Log;
  /** Unix milliseconds. */
  now: () => number;
}
