/** Gives wallets more shards in a rush: a part of the gateway's bundle that is loaded with the first rush. */

import type { Aws } from "#shared/base/platform/aws.ts";
import type { RushedWallet } from "#shared/calls/access/rushes.ts";
import { growWallet } from "#shared/edges/jobs/shards.ts";
import type { TableNames } from "#shared/edges/store/dynamodb/item-keys.ts";
import { spreadHours } from "#shared/edges/store/ledger/spread.ts";
import { createShardUpkeep } from "#shared/edges/store/meters/shard-upkeep.ts";
import { createWalletShards } from "#shared/edges/store/meters/shards.ts";
import { createWalletRecords } from "#shared/edges/store/wallet-records.ts";

/** Gives a wallet more shards, as the sweep does. */
export async function growRushedWallet(
  aws: Aws,
  tables: Pick<TableNames, "keys" | "counters" | "ledger">,
  { organization, shards }: RushedWallet,
  throttled: boolean,
): Promise<void> {
  const meters = { ...createWalletShards(aws, tables), ...createShardUpkeep(aws, tables) };
  const accounts = createWalletRecords(aws, tables);
  const ledger = {
    async spreadHours(owner: string) {
      await spreadHours(aws, tables.ledger, owner, Date.now());
    },
  };
  await growWallet(organization, { shards, throttled }, { accounts, meters, ledger });
}
