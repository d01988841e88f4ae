/** An organization with points and a key to spend them, made as the operator makes one. */

import { readPeppers } from "#shared/base/platform/pepper.ts";
import { issueKey } from "#shared/edges/api/keys.ts";
import { createOrganization } from "#shared/edges/operator/organizations.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import type { Emulators } from "./emulators.ts";

export interface Customer {
  /** The key's secret. */
  key: string;
  organization: string;
  /** The wallet's meter; it has one shard. */
  meter: string;
}

/** Opens a pay-as-you-go customer. `points` is a decimal string. */
export async function openCustomer(
  { aws, tables, pepper }: Pick<Emulators, "aws" | "tables" | "pepper">,
  points: string,
): Promise<Customer> {
  const accounts = createAccounts(aws, tables);
  const ledger = createLedger(aws, tables);
  const meters = createMeters(aws, tables);
  const deps = { accounts, ledger, meters, plans: () => [], plan: () => undefined, now: Date.now };
  const organization = await createOrganization({ name: "Test", points }, deps);
  const { secret } = await issueKey(
    organization,
    {
      name: "test",
      mode: "payg",
      project: "",
      permissions: [],
      limits: null,
      expires_at: null,
    },
    { accounts, peppers: async () => readPeppers(pepper), now: Date.now },
  );
  return { key: secret, organization: organization.id, meter: organization.wallet?.meter ?? "" };
}
