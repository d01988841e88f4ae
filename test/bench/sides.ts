/** Starts all that the bench compares: the provider with its clients, the gateway on all of `npm start`, and the others. */
import { catalogFile } from "#test/support/default-catalog.ts";
import { type LocalGateway, startLocal, unhurriedQueue } from "#test/support/local.ts";
import { attach } from "./attached.ts";
import type { SideName } from "./comparison.ts";
import { type Load, startLoad } from "./load-client.ts";
import { startPeers, startProxy } from "./peers.ts";
import { type Pinning, pinBench } from "./pinning.ts";
import type { Side } from "./rounds.ts";
import { type Queue, startQueue } from "./stand-ins.ts";

export interface Started {
  load: Load;
  queue: Queue;
  /** All of `npm start`, whose stand-ins the measured gateway uses. */
  base: LocalGateway;
  /** Milliseconds until the measured gateway served, and until all of `npm start` did. */
  startMs: number;
  wholeStartMs: number;
  sides: Partial<Record<SideName, Side>> & { gateway: Side };
  pinning: Pinning;
}

/** The catalog that ships, its provider of the bench's model replaced by ours. */
function catalogAt(url: string): unknown {
  const catalog = structuredClone(catalogFile) as { providers: Record<string, object> };
  const protocols = { openai: `${url}/v1`, responses: `${url}/v1` };
  const openai = { ...catalog.providers.openai, protocols };
  return { ...catalog, providers: { ...catalog.providers, openai } };
}

/** Starts them, and pins each measured process to a core of its own. The disposal of `parts` ends all. */
export async function startSides(
  hasPeers: boolean,
  tell: (text: string) => void,
  parts: AsyncDisposableStack,
): Promise<Started> {
  const pinning = await pinBench();
  const load = await startLoad(parts);
  const queue = await startQueue();
  parts.defer(queue.stop);
  tell("starting all of `npm start`");
  const begunAt = performance.now();
  const base = await startLocal({
    catalog: catalogAt(load.url),
    env: { OPENAI_API_KEY: "bench", ...unhurriedQueue },
  });
  const wholeStartMs = performance.now() - begunAt;
  parts.defer(async () => void (await base.stop()));
  const { gateway, startMs } = await attach(base, { replaced: { sqs: queue.url } }, parts);
  const sides = {
    direct: { url: load.url, key: "bench" },
    proxy: await startProxy(load.url, parts),
    gateway: { url: gateway.url, key: base.keys.payg, pid: gateway.process.pid ?? 0 },
    ...(hasPeers && (await startPeers(load.url, tell, parts))),
  };
  for (const { pid } of Object.values<Side>(sides)) if (pid !== undefined) await pinning.pin(pid);
  return { load, queue, base, startMs, wholeStartMs, sides, pinning };
}
