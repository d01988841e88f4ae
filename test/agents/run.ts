/**
 * `npm run agents [-- --write] [-- --only NAME] [-- --ci] [-- --jobs N]`: coding agents as their registries serve them,
 * against the local gateway with a scripted provider behind it (README.md). It compares what it sees with the results of
 * the last run that was kept: exit 1 where they differ, or where a bill or the audit is wrong. `--write` keeps what was
 * seen instead. `--only` plays what has the given text in the name of the program or the play, and `--ci` two turns
 * of each program alone.
 */
import { readdirSync } from "node:fs";
import { parseArgs } from "node:util";
import type { Customer } from "#test/support/customer.ts";
import { skip } from "#test/support/python-environment.ts";
import type { Passed } from "../sdk/front.ts";
import { countsOf } from "../sdk/table.ts";
import { endOf, ends } from "./ends.ts";
import { keepGolden, kept } from "./goldens.ts";
import { install } from "./install.ts";
import { faultOf, type Play, plays, programMs } from "./plays.ts";
import { laneOf, type Program, programs } from "./programs.ts";
import { inOrder, keepResults, readResults, type Seen } from "./results.ts";
import { playSession } from "./session.ts";
import { playUnnamed } from "./unnamed.ts";
import { models, type ProviderProtocol, protocols, startWorld, type World } from "./world.ts";

const { values: flags } = parseArgs({
  options: {
    write: { type: "boolean" },
    ci: { type: "boolean" },
    only: { type: "string", multiple: true },
    jobs: { type: "string" },
  },
});
const startedAt = performance.now();
const say = (line: string) =>
  console.error(`${Math.round((performance.now() - startedAt) / 1000)} s`.padStart(6), line);

const wanted = (name: string) => !flags.only || flags.only.some((text) => name.includes(text));

/** One cell that is to be played, and its customer. */
interface Task {
  program: Program;
  command: string;
  play: Play;
  protocol: ProviderProtocol;
}

/** What a task came to. */
interface Done extends Task {
  seen: Seen;
  customer: Customer;
  /** How many of its calls were answered. */
  answered: number;
}

async function play(world: World, task: Task): Promise<Done> {
  const { program, command, protocol } = task;
  const customer = await world.books.customer();
  const options = { ...task.play, play: task.play.name, url: world.gateway.url, key: customer.key };
  const wish = { ...options, model: models[protocol], maxMs: programMs };
  const played = await playSession(program, command, wish, (work) => readdirSync(work));
  const heard = world.provider.heard.filter(({ folder }) => folder === played.folder);
  const verdict = faultOf(task.play, program, played, { files: played.seen, heard });
  const seen: Seen = { client: program.name, feature: task.play.title, provider: protocol, verdict };
  say(`${nameOf(seen)}: ${verdict}, after ${played.seconds.toFixed(1)} s`);
  if (verdict !== "ok") say(played.printed.slice(-600));
  else if (flags.write && isKept(task)) {
    const last = played.passed.findLast(({ path }) => program.turns.test(path));
    const about = { program: program.name, version: program.version, play: task.play.name };
    if (last) keepGolden(`${laneOf(program)}-${task.play.name}-${protocol}`, last, about);
  }
  return { ...task, seen, customer, answered: played.passed.filter(isAnsweredCall).length };
}

/**
 * Whether the last turn is kept. Claude Code asks Bedrock's models to think in the older way. After an answer without a
 * thought Anthropic refuses its next turn, so what it sends then is kept of Anthropic's models alone.
 */
function isKept({ program, play, protocol }: Task): boolean {
  const isOlder = program.lane === "claude-bedrock" && protocol !== "anthropic";
  return !isOlder && kept[play.name]?.includes(protocol) === true;
}

/** Counts of tokens are free and in no report. */
const isAnsweredCall = ({ method, path, status }: Passed) =>
  method === "POST" && status < 300 && !/:countTokens|\/count_tokens/.test(path);

/** Plays the errors that are wanted with one program, one after the other. */
async function playEnds(world: World, [program, command]: [Program, string]): Promise<Seen[]> {
  const seen: Seen[] = [];
  for (const end of ends.filter(({ title }) => wanted(`${laneOf(program)} ends ${title}`))) {
    const key = await end.key(world);
    const model = end.model ?? models.anthropic;
    const wish = { play: end.play, url: world.gateway.url, key, model, maxMs: programMs };
    const played = await playSession(program, command, wish, () => undefined);
    const cell = endOf(end, program, played);
    say(`${nameOf(cell)}: ${cell.verdict}, ${cell.told}`);
    seen.push(cell);
  }
  return seen;
}

const nameOf = ({ client, feature, provider }: Seen) => `${client}, ${feature}, ${provider}`;

/** Runs all tasks, so many at a time. */
async function playAll(world: World, tasks: readonly Task[], jobs: number): Promise<Done[]> {
  const done: Done[] = [];
  const waiting = [...tasks.entries()];
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) done[next[0]] = await play(world, next[1]);
  };
  await Promise.all(Array.from({ length: jobs }, worker));
  return done;
}

/**
 * What is wrong with the bill of a session: its ledger, report and balance agree, and each entry has the usage of one
 * answer of the provider. Of a turn that was cut nobody was told the usage.
 */
async function billFault({ books, provider }: World, done: Done): Promise<string | undefined> {
  const wrong = await books.disagreement(done.customer, done.answered);
  if (wrong || done.play.interruptMs !== undefined) return wrong;
  const told = new Set(
    provider.heard.map(({ used }) => used && `${used.input} ${used.cached} ${used.output}`),
  );
  for (const { event } of await books.entries(done.customer)) {
    if (!event) continue;
    const { input_tokens, cache_read_tokens, output_tokens } = event.usage;
    const usage = `${input_tokens} ${cache_read_tokens} ${output_tokens}`;
    if (!told.delete(usage)) return `nobody told the usage ${usage}`;
  }
  return undefined;
}

/** The programs of this run with their commands. Those that cannot be fetched are skipped loudly. */
async function installed(): Promise<{ ready: [Program, string][]; missing: number }> {
  const ready: [Program, string][] = [];
  let missing = 0;
  for (const program of programs) {
    try {
      ready.push([program, await install(program, say)]);
    } catch (error) {
      const [why] = String(error).split("\n");
      missing += skip(program.name, `it could not be installed: ${why}`);
    }
  }
  return { ready, missing };
}

/** The cells of one program that it has means for, and those that it has none for. */
function cellsOf(program: Program, command: string): { tasks: Task[]; cannot: Seen[] } {
  const chosen = plays.filter(({ name }) =>
    flags.ci ? name === "two-turns" : wanted(`${laneOf(program)} ${name}`),
  );
  const tasks: Task[] = [];
  const cannot: Seen[] = [];
  for (const one of chosen) {
    for (const protocol of protocols) {
      const why = program.not[one.name];
      if (why === undefined) tasks.push({ program, command, play: one, protocol });
      else
        cannot.push({
          client: program.name,
          feature: one.title,
          provider: protocol,
          verdict: `n.a.: ${why}`,
        });
    }
  }
  return { tasks, cannot };
}

/** Plays all of one program, audits, and compares. Gives how many things are wrong. */
async function runProgram(world: World, [program, command]: [Program, string]): Promise<number> {
  const { tasks, cannot } = cellsOf(program, command);
  const isEnding = !flags.ci && ends.some(({ title }) => wanted(`${laneOf(program)} ends ${title}`));
  const isUnnamed = !flags.ci && program.not.unnamed === undefined && wanted(`${laneOf(program)} unnamed`);
  if (tasks.length + cannot.length === 0 && !isEnding && !isUnnamed) return 0;
  // A silence costs nothing but time.
  const [silent, busy] = [tasks.filter(isSilent), tasks.filter((task) => !isSilent(task))];
  const both = [playAll(world, busy, Number(flags.jobs ?? 2)), playAll(world, silent, silent.length)];
  const done = (await Promise.all(both)).flat();
  const seen = [...cannot];
  if (isUnnamed) seen.push(...(await playUnnamed(world, [program, command], say)));
  if (isEnding) seen.push(...(await playEnds(world, [program, command])));
  const audit = await world.books.audit();
  if (audit) console.error(`The audit is not clean: ${audit}`);
  for (const one of done) {
    const wrong = await billFault(world, one);
    if (wrong) say(`${nameOf(one.seen)}: ${wrong}`);
    seen.push(wrong && one.seen.verdict === "ok" ? { ...one.seen, verdict: `fails: ${wrong}` } : one.seen);
  }
  say(`${program.name}: ${countsOf(seen)}; the audit is ${audit ? "NOT clean" : "clean"}`);
  return (audit ? 1 : 0) + compare(seen);
}

/** Gives how many things are wrong. */
async function run(): Promise<number> {
  const { ready, missing } = await installed();
  const world = await startWorld();
  let wrong = missing;
  try {
    for (const one of ready) wrong += await runProgram(world, one);
  } finally {
    await world.stop();
  }
  return wrong;
}

const isSilent = (task: Task) => task.play.name === "silence";

/** Keeps what was seen, or says how it differs from what was kept; gives the number of differences. */
function compare(seen: readonly Seen[]): number {
  const last = readResults();
  const before = new Map(last.cells.map((cell) => [nameOf(cell), cell.verdict]));
  if (flags.write) {
    const now = new Set(seen.map(nameOf));
    const cells = inOrder([...last.cells.filter((cell) => !now.has(nameOf(cell))), ...seen]);
    const versions = Object.fromEntries(programs.map(({ name, version }) => [name, version]));
    keepResults({ day: new Date().toISOString().slice(0, 10), versions, cells });
    return 0;
  }
  const changed = seen.filter((cell) => before.get(nameOf(cell)) !== cell.verdict);
  for (const cell of changed) {
    console.error(
      `${nameOf(cell)}: kept is "${before.get(nameOf(cell))}", and this run saw "${cell.verdict}"`,
    );
  }
  if (changed.length > 0) console.error("If this is as it should be: npm run agents -- --write");
  return changed.length;
}

process.exitCode = (await run()) === 0 ? 0 : 1;
