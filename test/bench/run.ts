/**
 * `npm run bench`: what the gateway adds to a provider's own answer, and what it costs. It is compared with the
 * provider alone and with a bare proxy, and with `--peers` also with the peers that a registry serves. `--protocol` plays
 * GoModel's comparison instead, `--calls N` with fewer calls; `--cache` measures only a miss of the cache. Rounds of all sides take turns, so that a busy machine is busy for each. Absolute figures move from machine to
 * machine; read the ratios.
 *
 * Processes apart are: the provider with its clients (load.ts), each side, the gateway's pipeline without its front
 * (pipelines.ts), and everything else. DynamoDB is the embedded one; the queue only acknowledges.
 */
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { type Allocations, type Copies, countAllocations, countBodyCopies } from "./allocations.ts";
import { attach } from "./attached.ts";
import { measureBundles } from "./bundles.ts";
import { showCacheMiss } from "./cache-miss.ts";
import { showChunkCosts } from "./chunks.ts";
import { compare } from "./comparison.ts";
import { measureFirstCalls } from "./first-call.ts";
import type { Load } from "./load-client.ts";
import { countMetering } from "./metering.ts";
import { prepareProbe } from "./probed.ts";
import { playProtocol } from "./protocol.ts";
import { openRoundTrips } from "./round-trips.ts";
import { playRound, roundsOfABench, type Side, scenarios } from "./rounds.ts";
import { countSemantic } from "./semantic-cost.ts";
import { startPipelines } from "./shares.ts";
import { show } from "./show.ts";
import { showComparisons } from "./show-comparison.ts";
import { startSides } from "./sides.ts";
import { endBySignal } from "./signals.ts";
import { showTargets } from "./targets.ts";
import { measureTransports } from "./transports.ts";

const { values: flags } = parseArgs({
  options: {
    peers: { type: "boolean", default: false },
    cache: { type: "boolean", default: false },
    protocol: { type: "boolean", default: false },
    calls: { type: "string", default: "8000" },
  },
});

/** Throws where it is no number of calls. */
function callsOf(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`--calls: ${text} is no number of calls`);
  return Number(text);
}

const parts = new AsyncDisposableStack();
endBySignal(parts);
const startedAt = performance.now();

/** Progress, beside the figures. */
function tell(text: string): void {
  console.error(`${((performance.now() - startedAt) / 1000).toFixed(0).padStart(4)} s  ${text}`);
}

/** All of `npm start` under load, with its own queue and all of its functions. */
async function peakOfAll(load: Load, side: Side): Promise<number | undefined> {
  return (await playRound(load, side, scenarios.json, 2)).peakMegabytes;
}

async function measure(hasPeers: boolean): Promise<void> {
  const { load, queue, base, startMs, wholeStartMs, sides, pinning } = await startSides(
    hasPeers,
    tell,
    parts,
  );
  const replaced = { sqs: queue.url };
  const { key } = sides.gateway;
  const pipelines = await startPipelines(base, queue.url, parts);
  await pinning.pin(pipelines.pid);
  const roundTrip = await openRoundTrips(base);
  const comparisons = await compare({ load, sides, pipelines, key, roundTrip, tell });

  tell("counting what a call allocates and copies");
  const probe = prepareProbe(parts);
  const { gateway: probed } = await attach(base, { replaced, execArgv: probe.execArgv }, parts);
  const counted: Side = { url: probed.url, key };
  const allocations = await countAllocations(load, counted, probe);
  const copies = await countBodyCopies(load, counted, probe);
  const wholePeakMegabytes = await peakOfAll(load, { url: base.url, key, pid: base.process.pid ?? 0 });
  tell("bundles, transports and capacity units");
  const bundles = await measureBundles(base.endpoints.assembly);
  const firstCalls = await measureFirstCalls(base);
  const callCosts = await measureTransports();
  const metering = await countMetering(base, queue, parts);
  const semantic = await countSemantic(parts);

  console.log(`Node ${process.version}, ${cpus().length} cores, ${roundsOfABench} rounds; ${pinning.told}`);
  console.log("Each figure is the median of the rounds (the least – the most of them).\n");
  showComparisons(comparisons);
  showAllocations(allocations, copies);
  show({ startMs, wholeStartMs, bundles, firstCalls, callCosts, metering, semantic });
  await showChunkCosts();
  const bundleKilobytes = bundles.find(({ name }) => name === "Gateway")?.kilobytes;
  showTargets({ ...comparisons, bundleKilobytes, wholePeakMegabytes });
  tell("done");
}

function showAllocations(allocations: Allocations[], copies: Copies): void {
  console.log("\nAllocated on the heaps of the gateway's threads, a call");
  for (const { scenario, kilobytes, collections, collectionMicroseconds } of allocations) {
    const collected = `${collections.toFixed(0)} collections a thousand calls, ${collectionMicroseconds.toFixed(0)} µs a call`;
    console.log(
      `  ${scenarios[scenario].name.padEnd(42)}${kilobytes.toFixed(0).padStart(8)} KB; ${collected}`,
    );
  }
  const parsed = "JSON.parse";
  const copied = [...copies].filter(([name, times]) => name !== parsed && times >= 0.005);
  const whole = copied.reduce((sum, [, times]) => sum + times, 0);
  console.log(`  a body of 1 MB is copied ${whole.toFixed(2)} times:`);
  for (const [name, times] of copied.toSorted(([, a], [, b]) => b - a))
    console.log(`    ${name.padEnd(40)}${times.toFixed(2).padStart(8)}`);
  console.log(`    (read by ${parsed})`.padEnd(44) + (copies.get(parsed) ?? 0).toFixed(2).padStart(8));
}

try {
  if (flags.cache) await showCacheMiss(parts, tell);
  else if (flags.protocol)
    await playProtocol(await startSides(flags.peers, tell, parts), callsOf(flags.calls), tell);
  else await measure(flags.peers);
} finally {
  await parts.disposeAsync();
}
