/**
 * `npm run bench`: what the gateway adds to a provider's own answer, and what it costs. The control goes
 * directly to the same provider in the same run; rounds of both take turns, so that a busy machine is busy
 * for both. Absolute figures move from machine to machine; read the ratios.
 *
 * Three processes are apart: the provider with its clients (load.ts), the gateway's function behind its URL,
 * which alone is measured, and everything else. DynamoDB is the embedded one; the queue only acknowledges.
 */
import { fork } from "node:child_process";
import { on } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { type LocalGateway, operator, startLocal, unhurriedQueue } from "#test/support/local.ts";
import { measureBundles } from "./bundles.ts";
import { showChunkCosts } from "./chunks.ts";
import { type Counted, countCalls, countRecording, waysOfCalling } from "./cost.ts";
import type { FromLoad, Round, RoundResult } from "./load.ts";
import { chunksPerStream, paceMs } from "./provider.ts";
import { cpuSeconds, residentMb } from "./resources.ts";
import { type Comparison, type Sample, show } from "./show.ts";
import { type Queue, startCounter, startQueue } from "./stand-ins.ts";
import { measureTransports } from "./transports.ts";

const rounds = 4;

interface Scenario extends Pick<Comparison, "name" | "figures">, Pick<Round, "request" | "rhythm"> {
  /** Of a round; longer for the gateway, whose CPU is counted in hundredths of a second. */
  seconds: [control: number, gateway: number];
}

const scenarios: Scenario[] = [
  {
    name: "JSON of 1 KB, 64 in flight",
    request: "whole",
    rhythm: { inFlight: 64 },
    seconds: [1, 2],
    figures: ["rate", "cpu"],
  },
  {
    name: "JSON of 1 KB, one at a time",
    request: "whole",
    rhythm: { inFlight: 1 },
    seconds: [0.5, 1],
    figures: ["median"],
  },
  {
    name: `SSE of ${chunksPerStream} chunks at once, 16 in flight`,
    request: "stream",
    rhythm: { inFlight: 16 },
    seconds: [1, 2],
    figures: ["rate", "cpu"],
  },
  {
    name: `SSE of ${chunksPerStream} chunks every ${paceMs} ms, 50 started a second`,
    request: "paced",
    rhythm: { perSecond: 50 },
    seconds: [1.5, 1.5],
    figures: ["median", "slowest"],
  },
];

const parts = new AsyncDisposableStack();

/** The catalog that ships, its provider of the bench's model replaced by ours. */
function catalogAt(url: string): unknown {
  const file = new URL("../../shared/catalog/catalog.json", import.meta.url);
  const catalog = JSON.parse(readFileSync(file, "utf8")) as { providers: Record<string, object> };
  const openai = { ...catalog.providers.openai, protocols: { openai: `${url}/v1` } };
  return { ...catalog, providers: { ...catalog.providers, openai } };
}

interface Load {
  /** Of the provider. */
  url: string;
  /** Rejects when a call fails, which ends the process. */
  run(round: Round): Promise<RoundResult>;
}

async function startLoad(): Promise<Load> {
  const child = fork(new URL("load.ts", import.meta.url));
  parts.defer(() => void child.kill());
  const inbox = on(child, "message", { close: ["exit"] });
  const hear = async (): Promise<FromLoad> => {
    const { done, value } = await inbox.next();
    if (done) throw new Error("the load has ended");
    return value[0] as FromLoad;
  };
  const ready = await hear();
  if (ready.kind !== "ready") throw new Error("the load is not ready");
  return {
    url: ready.url,
    async run(round) {
      child.send(round);
      const result = await hear();
      if (result.kind !== "result") throw new Error("the load has no result");
      return result;
    },
  };
}

/** The function behind another URL, on the stand-ins of `base` but for some; and the milliseconds until it served. */
async function attach(
  base: LocalGateway,
  replaced: { dynamodb?: string; sqs: string },
): Promise<{ gateway: LocalGateway; startMs: number }> {
  const ready = JSON.parse(readFileSync(base.readyFile, "utf8")) as LocalGateway;
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  const file = join(folder, "ready.json");
  writeFileSync(file, JSON.stringify({ ...ready, endpoints: { ...ready.endpoints, ...replaced } }));
  const startedAt = performance.now();
  const gateway = await startLocal({ env: { ATTACH: file } });
  const startMs = performance.now() - startedAt;
  rmSync(folder, { recursive: true });
  parts.defer(async () => void (await gateway.stop()));
  return { gateway, startMs };
}

/** A key with limits of its own, and one whose organization's wallet has several shards. */
async function makeKeys(base: LocalGateway): Promise<{ limited: string; sharded: string }> {
  const operate = async (...words: string[]) => {
    const { value, code, error } = await operator(base, ...words);
    if (code !== 0) throw new Error(error);
    return value;
  };
  const newKey = async (organization: string, ...flags: string[]) =>
    String((await operate("key", "create", "--org", organization, "--mode", "payg", ...flags)).key);
  const { id } = await operate("org", "create", "--name", "Sharded", "--points", "1000");
  await operate("org", "shards", String(id), "--count", "4");
  return {
    limited: await newKey(base.organizations.payg, "--max-concurrency", "100"),
    sharded: await newKey(String(id)),
  };
}

/** Counts each way of calling on a gateway of its own, whose DynamoDB is the counter. */
async function countMetering(base: LocalGateway, queue: Queue): Promise<Counted> {
  const counter = await startCounter(base.endpoints.dynamodb);
  parts.defer(counter.stop);
  const ways = waysOfCalling({ ...base.keys, ...(await makeKeys(base)) });
  const calls: Counted["calls"] = [];
  let recording: Counted["recording"] | undefined;
  for (const way of ways) {
    const { gateway } = await attach(base, { dynamodb: counter.url, sqs: queue.url });
    calls.push({ ...(await countCalls(gateway, counter, queue, way)), name: way.name });
    recording ??= await countRecording(gateway, counter, queue);
  }
  return { calls, recording: recording ?? { entry: 0, rollup: 0 } };
}

async function measure(): Promise<void> {
  const load = await startLoad();
  const queue = await startQueue();
  parts.defer(queue.stop);
  const startedAt = performance.now();
  const base = await startLocal({
    catalog: catalogAt(load.url),
    env: { OPENAI_API_KEY: "bench", ...unhurriedQueue },
  });
  const wholeStartMs = performance.now() - startedAt;
  parts.defer(async () => void (await base.stop()));
  const { gateway, startMs } = await attach(base, { sqs: queue.url });
  const pid = gateway.process.pid ?? 0;

  const direct = ({ request, rhythm }: Scenario, seconds: number) =>
    load.run({ url: load.url, key: "bench", request, rhythm, seconds });
  const through = async ({ request, rhythm }: Scenario, seconds: number): Promise<Sample> => {
    const before = cpuSeconds(pid);
    const result = await load.run({ url: gateway.url, key: base.keys.payg, request, rhythm, seconds });
    const after = cpuSeconds(pid);
    if (before === undefined || after === undefined) return result;
    return { ...result, cpuMicroseconds: ((after - before) / result.calls) * 1e6 };
  };
  // What is compiled and cached with the first calls is not what the gateway costs.
  for (const scenario of scenarios) await through(scenario, 0.5);

  const comparisons = scenarios.map((scenario) => ({
    ...scenario,
    control: [] as Sample[],
    gateway: [] as Sample[],
  }));
  for (let turn = 0; turn < rounds; turn++) {
    for (const comparison of comparisons) {
      const [controlSeconds, gatewaySeconds] = comparison.seconds;
      comparison.control.push(await direct(comparison, controlSeconds));
      comparison.gateway.push(await through(comparison, gatewaySeconds));
    }
  }
  const residentMegabytes = residentMb(pid);

  const bundles = await measureBundles(base.endpoints.assembly);
  const callCosts = await measureTransports();
  const metering = await countMetering(base, queue);
  console.log(`Node ${process.version}, ${availableParallelism()} cores, ${rounds} rounds\n`);
  show({ comparisons, residentMegabytes, startMs, wholeStartMs, bundles, callCosts, metering });
  showChunkCosts();
}

try {
  await measure();
} finally {
  await parts.disposeAsync();
}
