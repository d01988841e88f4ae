/** Customers with provider keys of their own, which serve alone: calls and videos cost the fee, and never list price. */
import { ownKeyAt } from "../support/own-keys.ts";
import { callModel } from "./calls.ts";
import { drawScript } from "./provider.ts";
import { Random } from "./random.ts";
import { planVideos } from "./videos.ts";
import type { World } from "./world.ts";

/** Opens such a customer in one of ten seeds, and has its calls made. */
export async function openOwnKeys(world: World, seed: number, random: Random): Promise<void> {
  if (seed % 10 !== 7) return;
  const kind = random.pick(["points", "points", "plan"]);
  const organization = await world.addOrganization(
    kind === "points" ? { points: random.pick(["0.0015", "1"]) } : { plan: "pro" },
  );
  organization.provider_keys = [ownKeyAt("test"), ownKeyAt("ark")];
  await world.quietly.accounts.setRows(organization.id, "provider_keys", {
    before: undefined,
    after: organization.provider_keys,
  });
  const mode = kind === "points" ? "payg" : "subscription";
  const budget = { budget_points: random.pick(["0.0015", "0.6"]), budget_period: "day" } as const;
  const key = await world.addKey(organization, mode, "", random.chance(0.5) ? budget : null);
  const within = random.pick([50, 500, 60_000]);
  if (seed % 20 === 7) planVideos(world, [key], { within, random: new Random(seed) });
  for (let left = random.between(3, 10); left > 0; left--) {
    const how = {
      stream: random.chance(0.7),
      strict: random.chance(0.2),
      leavesAfter: random.chance(0.1) ? 1 : Infinity,
      stallsAfter: Infinity,
      timeMs: 120_000,
      hardEnd: true,
    };
    const script = drawScript(random);
    world.scheduler.after(random.between(0, within), null, () => void callModel(world, key, script, how));
  }
}
