/**
 * Everything that admission touches beyond its arguments. The composition root builds it, and the gateway's `Deps`
 * extend it.
 */

import type { Log } from "../../base/platform/log.ts";
import type { Secrets } from "../../base/platform/secrets.ts";
import type { CallAccounts } from "../../books/accounts/account.ts";
import type { ModelCatalog } from "../../books/catalog/models.ts";
import type { CallLedger } from "../../books/ledger/ledger.ts";
import type { UsageEvent } from "../../books/ledger/usage-event.ts";
import type { CallMeters } from "../../books/meters/meter.ts";
import type { Refusals } from "./refusals.ts";
import type { Replays } from "./replays.ts";
import type { Rushes } from "./rushes.ts";

export interface AccessDeps {
  accounts: CallAccounts;
  meters: CallMeters;
  ledger: CallLedger;
  /** Resolves once the queue has acknowledged the event. */
  queue: { send(event: UsageEvent): Promise<void> };
  replays: Replays;
  /** The refusals that this process still remembers. */
  refusals: Refusals;
  /** What this process does about wallets that calls rush at. */
  rushes: Rushes;
  catalog: ModelCatalog;
  secrets: Pick<Secrets, "peppers">;
  log: Log;
  /** Unix milliseconds. */
  now: () => number;
}
