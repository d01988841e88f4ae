/** The customers of a seed. */
import type { KeyLimits, KeyRecord, Organization } from "#shared/books/accounts/account.ts";
import { tendWallet } from "#shared/edges/jobs/shards.ts";
import type { World } from "./world.ts";

/**
 * Rich and poor wallets, whole or in shards. Plans with and without a limit of the minute. Organizations with two
 * projects have two keys, and some keys have limits of their own.
 */
export async function openCustomers(world: World): Promise<void> {
  const { random } = world.scheduler;
  for (let left = random.between(1, 2); left > 0; left--) {
    const kind = random.pick(["wallet", "wallet", "plan", "both"]);
    const organization = await world.addOrganization({
      ...(kind !== "plan" && { points: random.pick(["0.004", "0.1", "1", "1"]) }),
      ...(kind !== "wallet" && { plan: random.pick(["free", "pro"]) }),
    });
    const shards = random.pick([1, 1, 1, 2, 4]);
    if (organization.wallet && shards > 1) await tendWallet(organization.id, shards, world.quietly);
    if (kind !== "plan") await addKey(world, organization, "payg", random.pick(["", "p"]));
    if (kind !== "wallet") await addKey(world, organization, "subscription", random.pick(["", "q"]));
  }
}

async function addKey(
  world: World,
  organization: Organization,
  mode: KeyRecord["mode"],
  project: string,
): Promise<void> {
  const { random } = world.scheduler;
  const cap = random.chance(0.5) ? { max_concurrency: random.between(1, 3) } : {};
  const rates = mode === "subscription" && random.chance(0.5) ? { rpm: 2, tpm: 5_000 } : {};
  const budget = random.chance(0.5)
    ? {
        budget_points: random.pick(["0.0015", "0.003", "0.06", "0.6"]),
        budget_period: random.pick(["day", "month", "total"] as const),
      }
    : {};
  const own: KeyLimits = { ...cap, ...rates, ...budget };
  const limited = random.chance(0.4) && Object.keys(own).length > 0;
  await world.addKey(organization, mode, project, limited ? own : null);
}
