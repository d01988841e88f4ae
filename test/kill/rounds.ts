/**
 * Kills the running gateway with `kill −9`, again and again on the same data. The gateway starts, closes what the
 * dead one left, serves, and dies at a random instant. Sometimes it dies while it starts. After each start the
 * books must be clean, and every client's own account of its calls must agree with the ledger (billing.md §7).
 */
import type { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connectLocally } from "#infra/operator/connection.ts";
import type { Entry } from "#shared/books/ledger/ledger.ts";
import { audit } from "#shared/edges/audit/audit.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { createKeptBooks } from "#shared/edges/store/audited.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { createTasks } from "#shared/edges/store/tasks.ts";
import { createQueueView, redrive } from "#shared/edges/store/usage-queue.ts";
import { type LocalGateway, startLocal, unhurriedQueue } from "#test/support/local.ts";
import { testCatalog } from "#test/support/memory.ts";
import { providerKey } from "#test/support/money.ts";
import { seeded } from "#test/support/random.ts";
import { type Call, callUntilGone, type Provider, startProvider, tokensIn } from "./clients.ts";

interface KillOptions {
  runs: number;
  seed: number;
  /** Told of each run when it is over. */
  say?: (text: string) => void;
}

interface KillSummary {
  /** Runs that count: they died under load, when at least `endedMin` of their calls had ended. */
  counted: number;
  /** Runs that died before they served. They come on top. */
  killedAtStart: number;
  /** Runs that died with fewer calls ended than count, because the machine was slow. Each was repeated. */
  repeated: number;
  calls: number;
  /** Calls whose client saw the end. */
  ended: number;
  /** Calls that the kill cut. */
  cut: number;
  entries: number;
  estimated: number;
  /**
   * Events that SQS moved to the dead letters, because the gateway died five times with each in hand.
   * Each was redriven.
   */
  redriven: number;
  /** What must never be, a sentence each; no run follows one. */
  violations: string[];
}

const clients = 16;
/** A kill before any call has ended proves little: a run counts only with so many. */
export const endedMin = 10;
/** Up to so many more end before the kill, by chance, and up to so many milliseconds pass. */
const endedMore = 30;
const killJitterMs = 30;
/** What a slow machine is given to see so many ends. */
const loadMaxMs = 10_000;
/** So many runs share their data; then the books, which are read whole after each, begin anew. */
const runsPerFolder = 100;

/** Runs until so many count or a violation is found. Throws when half of all runs do not count. */
export async function killRounds({ runs, seed, say = () => {} }: KillOptions): Promise<KillSummary> {
  const provider = await startProvider(seed);
  const summary: KillSummary = {
    counted: 0,
    killedAtStart: 0,
    repeated: 0,
    calls: 0,
    ended: 0,
    cut: 0,
    entries: 0,
    estimated: 0,
    redriven: 0,
    violations: [],
  };
  // What dies is the gateway that runs: the stack is synthesized once for all runs, or for all tests.
  const own = mkdtempSync(join(tmpdir(), "kill-assembly-"));
  const assembly = process.env.TEST_ASSEMBLY ?? join(own, "kept");
  try {
    while (summary.counted < runs && summary.violations.length === 0) {
      const dataDir = mkdtempSync(join(tmpdir(), "kill-"));
      const until = Math.min(runs, summary.counted + runsPerFolder);
      await killOn(dataDir, { provider, assembly, summary, say, until, seed });
      if (summary.violations.length === 0) rmSync(dataDir, { recursive: true, force: true });
      else say(`the data of the violation is kept in ${dataDir}`);
    }
  } finally {
    await provider.stop();
    rmSync(own, { recursive: true, force: true });
  }
  return summary;
}

interface Series {
  provider: Provider;
  /** Where the synthesized stack is kept from run to run. */
  assembly: string;
  summary: KillSummary;
  say: (text: string) => void;
  /** How many runs have counted when these are over. */
  until: number;
  seed: number;
}

async function killOn(
  dataDir: string,
  { provider, assembly, summary, say, until, seed }: Series,
): Promise<void> {
  const calls: Call[] = [];
  let startMs = 0;
  for (;;) {
    const run = summary.counted + summary.killedAtStart + summary.repeated;
    const random = seeded(seed * 1_000_003 + run);
    const isLast = summary.counted === until;
    const killStart = startMs > 0 && !isLast && random(5) === 0;
    const startedAt = performance.now();
    const killAfterMs = killStart ? random(Math.ceil(startMs)) : undefined;
    const gateway = await start({ dataDir, assembly }, provider.url, killAfterMs);
    if (!gateway) {
      summary.killedAtStart += 1;
      say(`run ${run}: killed while it started`);
      continue;
    }
    startMs = performance.now() - startedAt;
    summary.redriven += await redriveOn(gateway);
    const found = await check(gateway, calls, provider.reached);
    summary.violations.push(...found.violations.map((text) => `run ${run}, seed ${seed}: ${text}`));
    if (isLast || found.violations.length > 0) {
      summary.entries += found.entries;
      summary.estimated += found.estimated;
      await gateway.stop();
      return;
    }
    const own = await killUnderLoad(gateway, { random, seed: seed + run, nameFrom: summary.calls });
    calls.push(...own);
    const { ended, cut, counts } = tally(own, summary);
    const verdict = counts ? "" : `, fewer than ${endedMin}: repeated`;
    say(`run ${run}: started in ${Math.round(startMs)} ms, ${ended} calls ended, ${cut} cut${verdict}`);
    if (summary.repeated > 20 + summary.counted)
      throw new Error("this machine is too slow for the kill test");
  }
}

/** The calls of clients whose gateway dies at a random instant, once enough of them have ended. */
async function killUnderLoad(
  gateway: LocalGateway,
  { random, seed, nameFrom }: { random: (below: number) => number; seed: number; nameFrom: number },
): Promise<Call[]> {
  const { payg, subscription } = gateway.keys;
  const wanted = endedMin + random(endedMore);
  const enough = Promise.withResolvers<void>();
  let ended = 0;
  const onEnded = () => {
    ended += 1;
    if (ended >= wanted) enough.resolve();
  };
  const made = callUntilGone(gateway.url, [payg, subscription], { clients, seed, nameFrom, onEnded });
  const slow = new AbortController();
  await Promise.race([
    enough.promise,
    sleep(loadMaxMs, undefined, { signal: slow.signal }).catch(() => undefined),
  ]);
  slow.abort();
  await sleep(random(killJitterMs));
  await gateway.stop("SIGKILL");
  return await made;
}

function tally(calls: Call[], summary: KillSummary): { ended: number; cut: number; counts: boolean } {
  const ended = calls.filter(({ fate }) => fate === "ended").length;
  const cut = calls.filter(({ fate }) => fate === "cut").length;
  const counts = ended >= endedMin;
  if (counts) summary.counted += 1;
  else summary.repeated += 1;
  summary.calls += calls.length;
  summary.ended += ended;
  summary.cut += cut;
  return { ended, cut, counts };
}

/** Starts the gateway; undefined when it was killed, after so many milliseconds, before it was ready. */
async function start(
  place: { dataDir: string; assembly: string },
  providerUrl: string,
  killAfterMs: number | undefined,
): Promise<LocalGateway | undefined> {
  const kill = (child: ChildProcess) => {
    if (killAfterMs !== undefined) setTimeout(() => child.kill("SIGKILL"), killAfterMs);
  };
  let child: ChildProcess | undefined;
  const onSpawn = (spawned: ChildProcess) => {
    child = spawned;
    kill(spawned);
  };
  try {
    const gateway = await startLocal({
      catalog: catalogAt(providerUrl),
      dataDir: place.dataDir,
      env: { ...providerKey, ...unhurriedQueue, ASSEMBLY: place.assembly },
      onSpawn,
    });
    if (killAfterMs === undefined) return gateway;
    // It was quicker than the one before: it dies all the same, having served nobody.
    await gateway.stop("SIGKILL");
    return undefined;
  } catch (error) {
    if (killAfterMs === undefined || child?.signalCode !== "SIGKILL") throw error;
    return undefined;
  }
}

/** One model, and plans that refuse nothing: every call that is made is admitted. */
function catalogAt(url: string): unknown {
  const everyPeriod = (value: unknown) => ({ monthly: value, quarterly: value, yearly: value });
  const plan = { quota: everyPeriod(1e9), rpm: null, tpm: null, tpd: null, price: everyPeriod("0") };
  return { ...(testCatalog(url) as object), plans: { free: plan, lite: plan, pro: plan } };
}

/**
 * Does what `operator redrive` does, and gives how many events it moved. A gateway that dies five times in a row
 * while it starts leaves such events: SQS counts each start as a failed delivery.
 */
async function redriveOn(gateway: LocalGateway): Promise<number> {
  const { aws, usageQueueUrl, deadLetterQueueUrl } = connectLocally(gateway.readyFile);
  return await redrive(aws, { queue: usageQueueUrl, deadLetters: deadLetterQueueUrl });
}

/** What is wrong between the ledger, its own invariants, and what clients and provider know of every call so far. */
async function check(
  gateway: LocalGateway,
  calls: Call[],
  reached: Set<string>,
): Promise<{ violations: string[]; entries: number; estimated: number }> {
  const { aws, tables, usageQueueUrl, deadLetterQueueUrl } = connectLocally(gateway.readyFile);
  const ledger = createLedger(aws, tables);
  const queue = createQueueView(aws, { usage: usageQueueUrl, deadLetters: deadLetterQueueUrl });
  const stores = { accounts: createAccounts(aws, tables), meters: createMeters(aws, tables), ledger };
  const tasks = createTasks(aws, tables);
  const kept = createKeptBooks(aws, tables);
  const report = await audit({ ...stores, kept, tasks, queue, now: Date.now });
  const violations = report.invariants
    .filter(({ holds }) => !holds)
    .map(({ name, detail }) => `${name}: ${detail}`);
  if (report.pending) violations.push("the audit is still pending");

  const entries = (await Array.fromAsync(ledger.everyEntry())).filter(({ event }) => event !== null);
  const byName = Map.groupBy(entries, ({ event }) => event?.user ?? "");
  for (const call of calls) violations.push(...judge(call, byName.get(call.name) ?? [], reached));
  const known = new Set(calls.map(({ name }) => name));
  for (const name of byName.keys())
    if (!known.has(name)) violations.push(`an entry of nobody's call: ${name}`);
  const estimated = entries.filter(({ event }) => event?.source === "sweeper").length;
  return { violations, entries: entries.length, estimated };
}

/** What is wrong with one call's entries. */
function judge(call: Call, entries: Entry[], reached: Set<string>): string[] {
  const bases = entries.filter(({ kind }) => kind === "usage");
  const corrections = entries.filter(({ kind }) => kind === "adjustment");
  const wrong: string[] = [];
  const complain = (what: string) => wrong.push(`call ${call.name} (${call.request}, ${call.fate}): ${what}`);
  if (call.fate === "refused") complain("was refused");
  if (bases.length > 1 || corrections.length > 1) complain(`is billed ${entries.length} times`);
  if (reached.has(call.name) && bases.length === 0) complain("reached the provider and is billed to nobody");
  if (call.fate !== "ended") return wrong;
  const event = (corrections[0] ?? bases[0])?.event;
  const told = { prompt_tokens: event?.usage.input_tokens, completion_tokens: event?.usage.output_tokens };
  for (const usage of [call.seen, told]) {
    if (JSON.stringify(usage) !== JSON.stringify(tokensIn(call.name)))
      complain(`ended, and its usage is ${JSON.stringify(usage)}`);
  }
  if (event?.id !== call.request) complain(`ended, and its entry is ${event?.id}`);
  if (event?.evidence !== "reported") complain(`ended, and its evidence is ${event?.evidence}`);
  return wrong;
}
