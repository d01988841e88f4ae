/**
 * kill −9 of the running gateway, again and again on the same data: it starts, closes what the dead one left,
 * serves, and dies at a random instant, also while it starts. After each start the books must be clean, and
 * every client's own account of its calls must agree with the ledger (billing.md §7).
 */
import type { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connectLocally } from "#infra/connection.ts";
import type { Entry } from "#shared/billing/ledger.ts";
import { audit } from "#shared/operations/audit.ts";
import { createAccounts } from "#shared/store/accounts.ts";
import { createLedger } from "#shared/store/ledger.ts";
import { createMeters } from "#shared/store/meters.ts";
import { createTasks } from "#shared/store/tasks.ts";
import { createQueueView } from "#shared/store/usage-queue.ts";
import { type LocalGateway, startLocal } from "../support/local.ts";
import { testCatalog } from "../support/memory.ts";
import { providerKey } from "../support/money.ts";
import { seeded } from "../support/random.ts";
import { type Call, callUntilGone, type Provider, startProvider, tokensIn } from "./clients.ts";

export interface KillOptions {
  runs: number;
  seed: number;
  /** Told of each run when it is over. */
  say?: (text: string) => void;
}

export interface KillSummary {
  /** Runs that died before they served. */
  killedAtStart: number;
  calls: number;
  /** Calls whose client saw the end. */
  ended: number;
  /** Calls that the kill cut. */
  cut: number;
  entries: number;
  estimated: number;
  /** What must never be, a sentence each; no run follows one. */
  violations: string[];
}

const clients = 16;
/** Load lasts at most so long before the kill. */
const loadMs = 500;
/** So many runs share their data; then the books, which are read whole after each, begin anew. */
const runsPerFolder = 100;

/** Runs until all are done or a violation is found. */
export async function killRounds({ runs, seed, say = () => {} }: KillOptions): Promise<KillSummary> {
  const provider = await startProvider(seed);
  const summary: KillSummary = {
    killedAtStart: 0,
    calls: 0,
    ended: 0,
    cut: 0,
    entries: 0,
    estimated: 0,
    violations: [],
  };
  try {
    for (let done = 0; done < runs && summary.violations.length === 0; done += runsPerFolder) {
      const dataDir = mkdtempSync(join(tmpdir(), "kill-"));
      const count = Math.min(runsPerFolder, runs - done);
      await killOn(dataDir, { provider, summary, say, first: done, last: done + count, seed });
      if (summary.violations.length === 0) rmSync(dataDir, { recursive: true, force: true });
      else say(`the data of the violation is kept in ${dataDir}`);
    }
  } finally {
    await provider.stop();
  }
  return summary;
}

interface Series {
  provider: Provider;
  summary: KillSummary;
  say: (text: string) => void;
  first: number;
  last: number;
  seed: number;
}

async function killOn(dataDir: string, { provider, summary, say, first, last, seed }: Series): Promise<void> {
  const calls: Call[] = [];
  let startMs = 0;
  for (let run = first; run <= last; run++) {
    const random = seeded(seed * 1_000_003 + run);
    const killStart = run > first && run < last && random(5) === 0;
    const startedAt = performance.now();
    const gateway = await start(dataDir, provider.url, killStart ? random(Math.ceil(startMs)) : undefined);
    if (!gateway) {
      summary.killedAtStart += 1;
      say(`run ${run}: killed while it started`);
      continue;
    }
    startMs = performance.now() - startedAt;
    const found = await check(gateway, calls, provider.reached);
    summary.violations.push(...found.violations.map((text) => `run ${run}, seed ${seed}: ${text}`));
    if (run === last || found.violations.length > 0) {
      summary.entries += found.entries;
      summary.estimated += found.estimated;
      await gateway.stop();
      return;
    }
    const { payg, subscription } = gateway.keys;
    const made = callUntilGone(gateway.url, [payg, subscription], clients, seed + run, summary.calls);
    await sleep(random(loadMs));
    await gateway.stop("SIGKILL");
    const own = await made;
    calls.push(...own);
    const ended = own.filter(({ fate }) => fate === "ended").length;
    const cut = own.filter(({ fate }) => fate === "cut").length;
    summary.calls += own.length;
    summary.ended += ended;
    summary.cut += cut;
    say(`run ${run}: started in ${Math.round(startMs)} ms, ${ended} calls ended, ${cut} cut`);
  }
}

/** Starts the gateway; undefined when it was killed, after so many milliseconds, before it was ready. */
async function start(
  dataDir: string,
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
    const gateway = await startLocal({ catalog: catalogAt(providerUrl), dataDir, env: providerKey, onSpawn });
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
  const report = await audit({ ...stores, tasks, queue, now: Date.now });
  const violations = report.invariants
    .filter(({ holds }) => !holds)
    .map(({ name, detail }) => `${name}: ${detail}`);
  if (report.pending) violations.push("the audit is still pending");

  const entries = (await Array.fromAsync(ledger.everyEntry())).filter(({ kind }) => kind !== "credit");
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
