/** Customers whose wallet has several shards, and whose key has a budget that these share; with calls that come at once. */
import "./small-parts.ts";
import type { KeyLimits, Organization } from "#shared/books/accounts/account.ts";
import { tendWallet } from "#shared/edges/jobs/shards.ts";
import { callModel } from "./calls.ts";
import { drawLongScript, drawScript } from "./provider.ts";
import type { Random } from "./random.ts";
import type { Key, World } from "./world.ts";

/** Opens one in two of five seeds, and gives its key. A cheap call holds a thousandth of a point. */
export async function openSharing(world: World, seed: number, random: Random): Promise<Key | undefined> {
  if (seed % 5 !== 0 && seed % 5 !== 4) return undefined;
  const organization = await world.addOrganization({ points: random.pick(["0.02", "1"]) });
  await tendWallet(organization.id, random.between(2, 4), world.quietly);
  const budget: KeyLimits = {
    budget_points: random.pick(["0.003", "0.003", "0.006", "0.02"]),
    budget_period: random.pick(["day", "month", "total"] as const),
  };
  return await world.addKey(organization, "payg", "", budget);
}

/** What is done with the key: rushes of calls, and shards that come and go meanwhile. */
export function planSharing(world: World, { record, organization, secret }: Key, random: Random): void {
  const within = random.pick([50, 50, 500, 60_000]);
  const strict = random.pick([0, 0, 0.4]);
  for (let left = random.between(4, 12); left > 0; left--) {
    const how = {
      stream: random.chance(0.7),
      strict: random.chance(strict),
      leavesAfter: random.chance(0.1) ? 1 : Infinity,
      stallsAfter: Infinity,
      timeMs: 120_000,
      hardEnd: true,
    };
    const script = how.strict ? drawLongScript(random) : drawScript(random);
    const key = { record, organization, secret };
    world.scheduler.after(random.between(0, within), null, () => void callModel(world, key, script, how));
  }
  for (let left = random.pick([0, 1, 3]); left > 0; left--)
    world.scheduler.after(random.between(0, within), null, () => resize(world, organization, random));
}

/** Gives a wallet another number of shards. */
export function resize(world: World, { id }: Organization, random: Random): void {
  const count = random.between(1, 4);
  world.act("operator", (ports) => tendWallet(id, count, ports));
}
