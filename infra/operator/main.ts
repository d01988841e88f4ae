/**
 * The operator's command line: organizations, keys, money, tasks and the catalog of a gateway. `--local` works on the
 * gateway that `npm start` runs, otherwise it is a deployed stage. Exit codes: 0 done, 1 a check failed, 2 refused.
 */
import { pipeline } from "node:stream/promises";
import type { Call, Command, Outcome } from "./command.ts";
import { canAsk, confirm } from "./confirm.ts";
import type { Connection } from "./connection.ts";
import { render } from "./output.ts";
import { type Asked, type Common, HelpShown, parse, Refused } from "./program.ts";
import { type ProgressLine, progressOn, silent } from "./progress.ts";
import { allGroups, groupsFor } from "./table.ts";

// Who has read enough, such as `head`, closes the pipe: that is the end, and no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

async function main(words: readonly string[]): Promise<number> {
  const { command, operands, given, common } = await ask(words);
  checkPlace(common);
  const progress = progressFor(command, common);
  const call: Call = {
    flags: valuesOf(command, given),
    operands,
    json: common.json,
    catalogFile: common.catalog,
    progress,
    place: () => placeOf(common),
  };
  const lasting = command.forGood?.(call);
  const terminal = { input: process.stdin, output: process.stderr };
  if (lasting !== undefined && canAsk(terminal, common) && !(await confirm(lasting, terminal))) {
    console.error("nothing was done");
    return 2;
  }
  const outcome = await command.run(call).finally(() => progress.clear());
  await print(outcome, common, progress);
  return outcome.ok ? 0 : 1;
}

/** What the words ask for. A refusal may name any command and any flag, so then all of them are loaded. */
async function ask(words: readonly string[]): Promise<Asked> {
  const groups = await groupsFor(words);
  try {
    return parse(words, groups);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return parse(words, await allGroups());
  }
}

function checkPlace({ local, stage, readyFile }: Common): void {
  if (local && stage !== undefined) throw new Refused("give either --local or --stage");
  if (readyFile !== undefined && !local) throw new Refused("--ready-file goes with --local");
}

async function placeOf({ local, readyFile, stage }: Common): Promise<Connection> {
  const { connectLocally, connectToStack, localReadyFile } = await import("./connection.ts");
  return local ? connectLocally(readyFile ?? localReadyFile) : await connectToStack(stage ?? "prod");
}

/** What a command's own flags say. Throws for a value that a flag cannot take, and without one that is needed. */
function valuesOf({ flags }: Command, given: Asked["given"]): Record<string, unknown> {
  const read = Object.entries(flags).map(([name, each]) => [name, each.read(given[name], `--${name}`)]);
  return Object.fromEntries(read) as Record<string, unknown>;
}

/** Progress is for people who wait, and must not run into what a command prints piece by piece on the same terminal. */
function progressFor({ words }: Command, { json }: Common): ProgressLine {
  const shared = words === "ledger export" && process.stdout.isTTY;
  return process.stderr.isTTY && !json && !shared ? progressOn(process.stderr) : silent;
}

async function print(outcome: Outcome, { json }: Common, progress: ProgressLine): Promise<void> {
  // A pipeline waits for a slow reader, so an export of any length takes no more memory than a page of it.
  if ("text" in outcome) {
    await pipeline(outcome.text, process.stdout, { end: false }).finally(() => progress.clear());
    return;
  }
  const { value, shown = value } = outcome;
  console.log(json ? JSON.stringify(value) : render(shown));
}

/** What a person is told of an error. A file that was named wrongly is no fault of the program. */
function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, path } = error as NodeJS.ErrnoException;
  return code === "ENOENT" && path ? `there is no file ${path}` : error.message;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof HelpShown)) console.error(sentenceOf(error));
  process.exitCode = error instanceof HelpShown ? error.exitCode : 2;
}
