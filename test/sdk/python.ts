/**
 * `npm run matrix:python [-- --write] [-- --only NAME]`: the vendors' Python packages and the frameworks over them,
 * against the local gateway with nothing changed but base URL and key. Prints its part of `MATRIX.md` and compares it:
 * exit 1 where they differ, or where a charge or the audit is wrong. `--write` keeps what was seen instead. `--only`
 * runs the clients in whose names the given text is, and leaves the rows of the others alone; `--jobs` says how
 * many run at a time.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import type { Customer } from "#test/support/customer.ts";
import { findPython, prepare, skip, withoutPython } from "#test/support/python-environment.ts";
import { controlPath, type Passed, startFront } from "./front.ts";
import { type EnvironmentName, environments, type Program, programs } from "./python-programs.ts";
import { startWorld, type World } from "./python-world.ts";
import { type Cell, cellsOf, countsOf, differences, partOf, withPart } from "./table.ts";

const { values: flags } = parseArgs({
  options: { write: { type: "boolean" }, only: { type: "string", multiple: true }, jobs: { type: "string" } },
});
const table = join(import.meta.dirname, "MATRIX.md");
const startedAt = performance.now();
const say = (line: string) =>
  console.error(`${Math.round((performance.now() - startedAt) / 1000)} s`.padStart(6), line);

/** The programs of this run. */
const wanted = programs.filter(([, client]) => (flags.only ?? [""]).some((name) => client.includes(name)));

/** Differences that are shown one by one. */
const shownMax = 40;

/** After which a program has hung. */
const programMs = 240_000;

/** Settings that keep the packages from calling home; only loopback is reached. */
const quiet = {
  LITELLM_LOCAL_MODEL_COST_MAP: "True",
  LITELLM_TELEMETRY: "False",
  LANGSMITH_TRACING: "false",
  LANGCHAIN_TRACING_V2: "false",
  OTEL_SDK_DISABLED: "true",
  HF_HUB_OFFLINE: "1",
  DO_NOT_TRACK: "1",
  NO_PROXY: "127.0.0.1,localhost",
  PYTHONUNBUFFERED: "1",
  PYTHONPYCACHEPREFIX: join(import.meta.dirname, "../../.local/python/compiled"),
};

/** What a client's program came to: its cells, whose money it spent, and how many of its calls were answered. */
interface Ran {
  client: string;
  cells: Cell[];
  customer: Customer;
  answered: number;
}

/** Runs the program of one client with a customer of its own. Rejects where it does not end by itself. */
async function runProgram(world: World, interpreter: string, [file, client]: Program): Promise<Ran> {
  const customer = await world.customer();
  const front = await startFront(world.gateway.url, world.providers.wasSent);
  const cells: Cell[] = [];
  try {
    const child = spawn(interpreter, [join(import.meta.dirname, "python", file), client], {
      env: {
        PATH: process.env.PATH ?? "",
        HOME: process.env.HOME ?? "",
        ...quiet,
        GATEWAY_URL: front.url,
        GATEWAY_KEY: customer.key,
        POOR_KEY: world.poor,
        EMPTY_KEY: world.empty,
        CONTROL_URL: front.url + controlPath,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const timer = setTimeout(() => child.kill("SIGKILL"), programMs);
    let told = "";
    child.stderr.on("data", (data) => (told = (told + String(data)).slice(-4000)));
    const closed = once(child, "close");
    for await (const line of createInterface(child.stdout)) {
      if (!line.startsWith("{")) continue;
      const { seconds, ...cell } = JSON.parse(line) as Cell & { seconds: number };
      cells.push(cell);
      if (cell.verdict.startsWith("fails")) say(`${nameOf(cell)}: ${cell.verdict}`);
      if (seconds > 10) say(`${nameOf(cell)} took ${seconds} s`);
    }
    const [code] = (await closed) as [number | null];
    clearTimeout(timer);
    if (code !== 0) throw new Error(`${client}: its program ended with ${code}\n${told}`);
  } finally {
    await front.stop();
  }
  say(`${client}: ${countsOf(cells)}`);
  return { client, cells, customer, answered: front.passed.filter(isAnsweredCall).length };
}

/** Counts of tokens are free and in no report. */
const isAnsweredCall = ({ method, path, status }: Passed) =>
  method === "POST" && status < 300 && !/:countTokens|\/count_tokens/.test(path);

const nameOf = ({ client, feature, provider }: Cell) => `${client}, ${feature}, ${provider}`;

/** Runs all programs, and gives what they came to in the table's order. */
async function runAll(world: World, interpreters: Record<EnvironmentName, string>): Promise<Ran[]> {
  const ran: Ran[] = [];
  const waiting = wanted.map((program, at) => [program, at] as const);
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [program, at] = next;
      ran[at] = await runProgram(world, interpreters[program[2]], program);
    }
  };
  await Promise.all(Array.from({ length: Number(flags.jobs ?? 2) }, worker));
  return ran;
}

/** The cell of a client's charges. */
async function chargesOf(world: World, { client, customer, answered }: Ran): Promise<Cell> {
  const wrong = await world.disagreement(customer, answered);
  if (wrong) say(`${client}: ${wrong}`);
  const verdict = wrong ? (`fails: ${wrong.split(":")[0]}` as const) : "ok";
  return { client, feature: "its own surface", provider: "charges", verdict };
}

/** Gives how many things are wrong. */
async function matrix(): Promise<number> {
  const python = await findPython(say);
  if (!python) return skip("the Python matrix", withoutPython);
  const names = Object.keys(environments) as EnvironmentName[];
  const ready = await Promise.all(
    names.map((name) => prepare(name, join(import.meta.dirname, environments[name]), python, say)),
  );
  const interpreters = Object.fromEntries(names.map((name, at) => [name, ready[at]]));
  say(`Python ${python.version}; starting the gateway`);
  const world = await startWorld();
  try {
    const ran = await runAll(world, interpreters as Record<EnvironmentName, string>);
    // The audit waits until all is settled, so that the sums are whole after it.
    const audit = await world.audit();
    const charges: Cell[] = [];
    for (const one of ran) charges.push(await chargesOf(world, one));
    const cells = inOrder([...ran.flatMap((one) => one.cells), ...charges]);
    console.log(partOf("Python", cells));
    if (audit) console.error(`The audit is not clean: ${audit}`);
    say(`${countsOf(cells)}; the audit is ${audit ? "NOT clean" : "clean"}`);
    return (audit ? 1 : 0) + compare(cells);
  } finally {
    await world.stop();
  }
}

/** Writes the table, or says how it differs from what was seen; gives the number of differences. */
function compare(cells: Cell[]): number {
  const kept = readFileSync(table, "utf8");
  const tried = new Set(wanted.map(([, client]) => client));
  const all = [...cells, ...cellsOf("Python", kept).filter(({ client }) => !tried.has(client))];
  if (flags.write) {
    writeFileSync(table, withPart(kept, "Python", inOrder(all)));
    return 0;
  }
  const found = differences("Python", kept, all);
  for (const difference of found.slice(0, shownMax)) console.error(difference);
  if (found.length > shownMax) console.error(`and ${found.length - shownMax} more differences`);
  if (found.length > 0) console.error("If this is as it should be: npm run matrix:python -- --write");
  return found.length;
}

/** Cells in the order of the programs; the features of each stay in their own. */
function inOrder(cells: Cell[]): Cell[] {
  const at = new Map(programs.map(([, client], index) => [client, index]));
  return cells.toSorted((one, other) => (at.get(one.client) ?? 0) - (at.get(other.client) ?? 0));
}

process.exitCode = (await matrix()) === 0 ? 0 : 1;
