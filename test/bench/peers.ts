/** What the gateway is compared with: a bare proxy that the bench carries, and the peers that a registry serves. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { litellmName, startLitellm } from "./litellm.ts";
import { portkeyName, startPortkey } from "./portkey.ts";
import { stop } from "./program.ts";
import type { Side } from "./rounds.ts";

/** Starts the bare proxy of the provider at `url`. The disposal of `parts` ends it. */
export async function startProxy(url: string, parts: AsyncDisposableStack): Promise<Side> {
  const child = fork(new URL("proxy.ts", import.meta.url), [url]);
  parts.defer(() => stop(child));
  const [address] = (await once(child, "message")) as [string];
  return { url: address, key: "bench", pid: child.pid ?? 0 };
}

type StartPeer = (
  url: string,
  tell: (text: string) => void,
  parts: AsyncDisposableStack,
) => Promise<Side | undefined>;

/** Each peer with its title, and what it does for the money of a call. */
export const peers = {
  portkey: { title: portkeyName, meters: "nothing", start: startPortkey },
  litellm: { title: litellmName, meters: "nothing, as it has no database", start: startLitellm },
} as const satisfies Record<string, { title: string; meters: string; start: StartPeer }>;

export type PeerName = keyof typeof peers;
export const peerNames = Object.keys(peers) as PeerName[];

/** Starts all peers that this machine can have. */
export async function startPeers(
  url: string,
  tell: (text: string) => void,
  parts: AsyncDisposableStack,
): Promise<Partial<Record<PeerName, Side>>> {
  const started: Partial<Record<PeerName, Side>> = {};
  for (const name of peerNames) {
    const side = await peers[name].start(url, tell, parts);
    if (side) started[name] = side;
  }
  return started;
}
