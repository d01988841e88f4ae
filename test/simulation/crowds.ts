/**
 * Customers whose wallet holds no more than a few calls, and who make several in the same moment. One write asks for them
 * all. It is given up, repeated, and refused, because the wallet is full. Then it arrives when the wallet has room. The
 * gateway must have seen to it that it takes no hold by then.
 */
import { callModel } from "./calls.ts";
import { drawScript } from "./provider.ts";
import type { Random } from "./random.ts";
import type { Key, World } from "./world.ts";

const [fullMs, gapMs] = [20, 400];
/** An answer that costs far less than it holds, so that the wallet has room when it has ended. */
const cheap = { kind: "answers", output: 5 } as const;

/** Opens one in seven seeds, and gives its key. Requests to the tables stray there. */
export async function openCrowd(world: World, seed: number, random: Random): Promise<Key | undefined> {
  if (seed % 7 !== 3) return undefined;
  const organization = await world.addOrganization({ points: random.pick(["0.002", "0.003", "0.004"]) });
  Object.assign(world.cloud.weather, { stray: 0.3, strayMs: 60_000, joinMs: random.pick([30, 100]) });
  return await world.addKey(organization, "payg", "", null);
}

/** Rushes that fill the wallet, each with another one behind it that finds it full. */
export function planCrowds(world: World, key: Key, random: Random): void {
  const within = random.pick([60_000, 600_000]);
  const rush = (at: number) => {
    for (let calls = random.between(2, 4); calls > 0; calls--) {
      const how = {
        ...{ stream: random.chance(0.5), strict: false, leavesAfter: Infinity, stallsAfter: Infinity },
        ...{ timeMs: 120_000, hardEnd: true },
      };
      const script = { ...drawScript(random), ...cheap, input: random.between(1, 9) };
      world.scheduler.after(at, null, () => void callModel(world, key, script, how));
    }
  };
  for (let left = random.between(2, 5); left > 0; left--) {
    const at = random.between(0, within);
    rush(at);
    rush(at + fullMs + random.between(0, gapMs));
  }
}
