/**
 * `npm run soak -- --minutes 30`: all of `npm start` under a mixed load, and whether its memory, handles and sockets
 * stay level. It prints them each minute, and the trends at the end. Its exit code is 1 when something has grown, or
 * when a call failed in the gateway or got no answer.
 *
 * The providers and the clients are a process of their own, so that what they need is not among the figures.
 */
import { fork } from "node:child_process";
import { on } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { catalogFile } from "#test/support/default-catalog.ts";
import { type LocalGateway, operator, startLocal } from "#test/support/local.ts";
import { type Sampled, type Tolerance, trendOf } from "./level.ts";
import type { ThreadMemory } from "./probe.ts";
import { type Probe, prepareProbe } from "./probed.ts";
import { openSockets, residentMb } from "./resources.ts";
import { endBySignal } from "./signals.ts";
import { brokenProvider } from "./soak-calls.ts";
import type { Answers, FromSoakLoad, SoakOrder } from "./soak-load.ts";
import { printNumber, spreadOf } from "./spread.ts";

const clients = 12;
const seed = 1;
const sampleMs = 5_000;
const minuteMs = 60_000;

/**
 * What is sampled: megabytes of 2²⁰ bytes, and counts. What V8 has taken for the heaps of all threads is larger than
 * what lies there. `rest` is what is resident beside these heaps and the buffers outside of them: code, stacks, and
 * what native code has taken from its allocator. What is used goes up and down with every collection.
 */
const kinds = {
  resident: { title: "resident, MB", tolerance: { share: 0.03, atLeast: 3 } },
  taken: { title: "heaps taken", tolerance: { share: 0.1, atLeast: 5 } },
  used: { title: "heaps used", tolerance: { share: 0.1, atLeast: 5 } },
  external: { title: "external", tolerance: { share: 0.1, atLeast: 3 } },
  rest: { title: "rest", tolerance: { share: 0.1, atLeast: 5 } },
  handles: { title: "handles", tolerance: { share: 0.1, atLeast: 10 } },
  sockets: { title: "sockets", tolerance: { share: 0.1, atLeast: 10 } },
} as const satisfies Record<string, { title: string; tolerance: Tolerance }>;
type Kind = keyof typeof kinds;
const kindNames = Object.keys(kinds) as Kind[];

type Sample = Record<Kind, number> & { hours: number };

const parts = new AsyncDisposableStack();
endBySignal(parts);

interface Load {
  /** Of the demo provider. */
  url: string;
  begin(order: SoakOrder): void;
  answers(): Promise<Answers>;
}

async function startLoad(): Promise<Load> {
  const child = fork(new URL("soak-load.ts", import.meta.url));
  parts.defer(() => void child.kill());
  const inbox = on(child, "message", { close: ["exit"] });
  const hear = async (): Promise<FromSoakLoad> => {
    const { done, value } = await inbox.next();
    if (done) throw new Error("the load has ended");
    return value[0] as FromSoakLoad;
  };
  const ready = await hear();
  return {
    url: ready.kind === "ready" ? ready.url : "",
    begin: (order) => void child.send(order),
    async answers() {
      child.send("count");
      const told = await hear();
      return told.kind === "answers" ? told.answers : {};
    },
  };
}

interface Provider {
  secret: string;
  protocols: Record<string, string>;
}

/** The catalog that ships, with all providers at `url`, but one where nobody listens; and their credentials. */
function catalogAt(url: string): { catalog: unknown; env: Record<string, string> } {
  const catalog = structuredClone(catalogFile) as { providers: Record<string, Provider> };
  const providers = Object.entries(catalog.providers).map(([name, provider]) => {
    const base = name === brokenProvider ? "http://127.0.0.1:9" : url;
    const protocols = Object.keys(provider.protocols).map((protocol) => [
      protocol,
      `${base}/${name}/${protocol}`,
    ]);
    return [name, { ...provider, protocols: Object.fromEntries(protocols) }];
  });
  const secrets = Object.values(catalog.providers).map(({ secret }) => [secret, "soak"]);
  return {
    catalog: { ...catalog, providers: Object.fromEntries(providers) },
    env: Object.fromEntries(secrets) as Record<string, string>,
  };
}

/** A key whose wallet pays for all of it. */
async function makeKey(gateway: LocalGateway): Promise<string> {
  const operate = async (...words: string[]) => {
    const { value, code, error } = await operator(gateway, ...words);
    if (code !== 0) throw new Error(error);
    return value;
  };
  const { id } = await operate("org", "create", "--name", "Soak", "--points", "100000000");
  return String((await operate("key", "create", "--org", String(id), "--mode", "payg", "--manage-keys")).key);
}

async function sample(gateway: LocalGateway, probe: Probe, hours: number): Promise<Sample> {
  const pid = gateway.process.pid ?? 0;
  const threads = [...(await probe.ask<ThreadMemory>("/memory")).values()];
  const sum = (field: Exclude<keyof ThreadMemory, "name">) =>
    threads.reduce((whole, thread) => whole + thread[field], 0);
  const [taken, used, external] = (["heapTotal", "heapUsed", "external"] as const).map(
    (field) => sum(field) / 2 ** 20,
  ) as [number, number, number];
  const resident = residentMb(pid) ?? 0;
  return {
    hours,
    resident,
    taken,
    used,
    external,
    rest: resident - taken - external,
    handles: sum("handles"),
    sockets: openSockets(pid),
  };
}

const cells = (values: readonly string[]) => values.map((value) => value.padStart(14)).join("");
const medianOf = (samples: readonly Sample[], kind: Kind) =>
  spreadOf(samples.map((each) => each[kind]))?.median ?? 0;

function showMinute(minute: number, calls: number, samples: readonly Sample[]): void {
  const medians = kindNames.map((kind) => printNumber(medianOf(samples, kind)));
  console.log(String(minute).padStart(6) + cells([printNumber(calls), ...medians]));
}

/** Whose memory it is: of each thread what its heap has taken, and what really lives there. */
async function showThreads(gateway: LocalGateway, probe: Probe): Promise<void> {
  const before = await probe.ask<ThreadMemory>("/memory");
  const after = await probe.ask<ThreadMemory>("/memory/collected");
  console.log("\nThreads at the end, MB; and what is left after a full collection");
  const titles = ["taken", "young", "used", "external", "live", "live external"];
  console.log(`  ${"".padEnd(28)}${cells(titles)}`);
  for (const [thread, { name, heapTotal, young, heapUsed, external }] of before) {
    const left = after.get(thread);
    const figures = [heapTotal, young, heapUsed, external, left?.heapUsed ?? 0, left?.external ?? 0];
    console.log(`  ${name.padEnd(28)}${cells(figures.map((bytes) => printNumber(bytes / 2 ** 20)))}`);
  }
  const resident = residentMb(gateway.process.pid ?? 0) ?? 0;
  console.log(`  resident after the collection: ${printNumber(resident)} MB`);
}

/** Tells whether all kinds are level. */
function showTrends(samples: readonly Sample[]): boolean {
  console.log("\nMedians of the thirds, and what the last two thirds gain in an hour");
  const verdicts = kindNames.map((kind) => {
    const { title, tolerance } = kinds[kind];
    const sampled: Sampled[] = samples.map((each) => ({ hours: each.hours, value: each[kind] }));
    const { medians, slope, isLevel } = trendOf(sampled, tolerance);
    const figures = [...medians, slope].map((value) => printNumber(value));
    console.log(`  ${title.padEnd(16)}${cells(figures)}   ${isLevel ? "level" : "has grown"}`);
    return isLevel;
  });
  return verdicts.every(Boolean);
}

/** Calls that failed in the gateway, or got no answer. */
function unexpected(answers: Answers): [string, number][] {
  return Object.entries(answers).filter(
    ([end]) => (end.startsWith("5") && !end.endsWith("unserved")) || end === "broken",
  );
}

async function soak(minutes: number): Promise<boolean> {
  const load = await startLoad();
  const probe = prepareProbe(parts);
  const { catalog, env } = catalogAt(load.url);
  const gateway = await startLocal({
    catalog,
    env: { ...env, TASK_WAIT_SCALE: "0.01" },
    execArgv: probe.execArgv,
  });
  parts.defer(async () => void (await gateway.stop()));
  load.begin({ url: gateway.url, key: await makeKey(gateway), clients, seed });

  console.log(`${"minute".padStart(6)}${cells(["calls", ...kindNames.map((kind) => kinds[kind].title)])}`);
  const samples: Sample[] = [];
  const startedAt = performance.now();
  let shown = 0;
  for (let minute = 1; minute <= minutes; minute++) {
    while (performance.now() - startedAt < minute * minuteMs) {
      await sleep(sampleMs);
      samples.push(await sample(gateway, probe, (performance.now() - startedAt) / 3_600_000));
    }
    const calls = Object.values(await load.answers()).reduce((sum, each) => sum + each, 0);
    showMinute(minute, calls, samples.slice(shown));
    shown = samples.length;
  }
  const answers = await load.answers();
  console.log(`\nAnswers: ${JSON.stringify(answers)}`);
  const isLevel = showTrends(samples);
  await showThreads(gateway, probe);
  const wrong = unexpected(answers);
  for (const [end, calls] of wrong) console.log(`${calls} calls ended with ${end}`);
  return isLevel && wrong.length === 0;
}

const { values } = parseArgs({ options: { minutes: { type: "string", default: "30" } } });
try {
  process.exitCode = (await soak(Number(values.minutes))) ? 0 : 1;
} finally {
  await parts.disposeAsync();
}
