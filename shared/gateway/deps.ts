/** Everything the pipeline touches beyond its arguments, handed down as one value by the composition root. */
import type { Accounts } from "../billing/account.ts";
import type { Ledger } from "../billing/ledger.ts";
import type { Meters } from "../billing/meter.ts";
import type { Replays } from "../billing/replays.ts";
import type { UsageEvent } from "../billing/usage-event.ts";
import type { ModelCatalog } from "../catalog/models.ts";
import type { Send } from "../platform/http-client.ts";
import type { Log } from "../platform/log.ts";
import type { Secrets } from "../platform/secrets.ts";
import type { Refusals } from "./refusals.ts";

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
