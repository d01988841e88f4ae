/** The composition root: built once per cold start, from the environment alone. */
import catalogFile from "#catalog" with { type: "json" };
import type { Ledger } from "#shared/billing/ledger.ts";
import type { Catalog } from "#shared/catalog/catalog.ts";
import { createCatalog } from "#shared/catalog/models.ts";
import type { Deps } from "#shared/gateway/deps.ts";
import type { SweepDeps } from "#shared/operations/sweep.ts";
import { awsOptionsFromEnv, createAws } from "#shared/platform/aws.ts";
import { required } from "#shared/platform/env.ts";
import { send } from "#shared/platform/http-client.ts";
import { log } from "#shared/platform/log.ts";
import { createSecrets } from "#shared/platform/secrets.ts";
import { createAccounts } from "#shared/store/accounts.ts";
import { createLedger } from "#shared/store/ledger.ts";
import { createMeters } from "#shared/store/meters.ts";
import { createUsageQueue } from "#shared/store/usage-queue.ts";

/** The gateway's dependencies. Throws when a variable is missing, so that a wrong deploy fails at once. */
export function gatewayDeps(): Deps {
  const aws = createAws(awsOptionsFromEnv());
  // A client waits for this acknowledgement with its last chunk: two quick tries, then the ledger itself.
  const queueAws = createAws({ ...awsOptionsFromEnv(), attemptsMax: 2, timeoutMs: 1_000 });
  return {
    accounts: createAccounts(aws, { keys: required("keysTable"), counters: required("countersTable") }),
    meters: createMeters(aws, { counters: required("countersTable") }),
    ledger: createLedger(aws, { ledger: required("ledgerTable"), counters: required("countersTable") }),
    queue: createUsageQueue(queueAws, required("usageQueue")),
    send,
    catalog: createCatalog(catalogFile as unknown as Catalog),
    secrets: createSecrets(aws, { pepper: required("pepperSecret"), providers: required("providersSecret") }),
    log,
    now: Date.now,
  };
}

/** What the settling function needs. */
export function settleDeps(): { ledger: Ledger } {
  const aws = createAws(awsOptionsFromEnv());
  return {
    ledger: createLedger(aws, { ledger: required("ledgerTable"), counters: required("countersTable") }),
  };
}

/** What the sweeper needs. */
export function sweepDeps(): SweepDeps {
  const aws = createAws(awsOptionsFromEnv());
  return {
    meters: createMeters(aws, { counters: required("countersTable") }),
    ledger: createLedger(aws, { ledger: required("ledgerTable"), counters: required("countersTable") }),
    log,
    now: Date.now,
  };
}
