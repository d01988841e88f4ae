/** What every step of the story works with, and how it waits. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Keys } from "./account.ts";
import type { Client } from "./client.ts";
import type { Commands } from "./commands.ts";
import type { Emulator } from "./emulator.ts";
import type { Cloud, Seen } from "./stack.ts";

export interface World {
  emulator: Emulator;
  keys: Keys;
  commands: Commands;
  /** Who may assume the operators' role, and nothing else. */
  operator: Keys;
  /** The operator's commands with other credentials. */
  commandsAs(keys: Keys): Commands;
  cloud: Cloud;
  /** Files of the catalog that is deployed first, and of the one that replaces it. */
  catalogs: { first: string; second: string };
  /** What the secret of the providers' keys must hold. */
  secrets: Record<string, string>;
}

/** A deployed stage with a customer. */
export interface Deployed extends World {
  stage: string;
  /** What was deployed first. */
  seen: Seen;
  client: Client;
}

/** One step: what it is called while it runs, and what it does. It throws where something is not as it should be. */
export type Step<On> = readonly [what: string, run: (on: On) => Promise<void>];

/** Asks `look` until it gives something, for a minute. Throws with the name of what did not come. */
export async function until<Found>(what: string, look: () => Promise<Found | undefined>): Promise<Found> {
  const giveUpAt = performance.now() + 60_000;
  while (performance.now() < giveUpAt) {
    const found = await look();
    if (found !== undefined) return found;
    await sleep(100);
  }
  throw new Error(`${what} did not come`);
}
