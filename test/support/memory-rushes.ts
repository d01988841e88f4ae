/** What a process knows of keys, and what it asks for where calls rush at a wallet, which nobody gives it. */
import { PrincipalCache } from "#shared/calls/access/authenticate.ts";
import { type RushedWallet, Rushes } from "#shared/calls/access/rushes.ts";
import type { Deps } from "#shared/calls/gateway/deps.ts";

/** The wallets that more shards were asked for, and whether they were throttled. */
export type AskedRushes = [wallet: RushedWallet, throttled: boolean][];

/** Ports that keep what they are asked for in `asked`. */
export function createMemoryRushes(asked: AskedRushes = []): Pick<Deps, "keys" | "rushes"> {
  const keys = new PrincipalCache();
  const grow = async (...rush: AskedRushes[number]) => void asked.push(rush);
  return { keys, rushes: new Rushes({ keys, grow, log: () => {}, now: Date.now }) };
}
