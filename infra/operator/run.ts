/** Runs one command line: reads it, asks where something cannot be undone, shows progress, and prints what came of it. */
import { pipeline } from "node:stream/promises";
import { styleText } from "node:util";
import type { Command, CommandCall, CommandOutcome, Where } from "./command.ts";
import { canAsk, confirm } from "./confirm.ts";
import type { StackConnection } from "./connection.ts";
import { type Paint, render } from "./output.ts";
import { type CommandLine, type CommonFlags, parse } from "./program.ts";
import { type ProgressLine, progressOn, silent } from "./progress.ts";
import { CommandRefused, HelpShown, refuseUnknown } from "./refusals.ts";
import { readSecretValue } from "./secret-input.ts";
import { allGroups, commandsOf, groupsFor } from "./table.ts";

/** Where a command reads and writes: a terminal, a pipe or a file each. */
export interface Streams {
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
}

/** Runs the words after `operator`, and gives the exit code: 0 done, 1 a check failed, 2 refused, 3 a difference. Never rejects. */
export async function run(words: readonly string[], streams: Streams): Promise<number> {
  try {
    return await runCommand(words, streams);
  } catch (error) {
    if (error instanceof HelpShown) return error.exitCode;
    streams.stderr.write(`${sentenceOf(error)}\n`);
    return 2;
  }
}

async function runCommand(words: readonly string[], streams: Streams): Promise<number> {
  const { command, operands, given, common } = await ask(words, streams);
  checkPlace(command, common);
  const progress = progressFor(command, streams);
  const call: CommandCall = {
    flags: valuesOf(command, given),
    operands,
    operand: operands[0] ?? "",
    json: common.json,
    catalogFile: common.catalog,
    progress,
    where: whereOf(common),
    place: () => placeOf(whereOf(common)),
    secretValue: (question) => readSecretValue(question, { input: streams.stdin, output: streams.stderr }),
  };
  if (!(await isConfirmed(command, call, common, streams))) {
    streams.stderr.write("nothing was done\n");
    return 2;
  }
  const outcome = await command.run(call).finally(() => progress.clear());
  await print(outcome, common, progress, streams);
  if (outcome.ok === false) return 1;
  return "differs" in outcome && outcome.differs ? 3 : 0;
}

/** Whether a command may run: nothing is to be confirmed, nobody can be asked, or the answer is yes. */
async function isConfirmed(
  command: Command,
  call: CommandCall,
  common: CommonFlags,
  { stdin: input, stderr: output }: Streams,
): Promise<boolean> {
  const terminal = { input, output };
  if (!canAsk(terminal, common)) return true;
  const sentence = command.forGood?.(call) ?? (await command.foreseen?.(call));
  return sentence === undefined || (await confirm(sentence, terminal));
}

/** What the words ask for. What is unknown may be a mistyped command or flag of any group, so then all are loaded. */
async function ask(words: readonly string[], streams: Streams): Promise<CommandLine> {
  const groups = await groupsFor(words);
  try {
    refuseUnknown(words, commandsOf(groups));
    return parse(words, groups, streams);
  } catch (error) {
    if (!(error instanceof CommandRefused && error.isUnknown)) throw error;
    const all = await allGroups();
    refuseUnknown(words, commandsOf(all));
    return parse(words, all, streams);
  }
}

function checkPlace({ words, only }: Command, { local, stage, readyFile }: CommonFlags): void {
  if (local && only === "stage")
    throw new CommandRefused(`${words} works on a deployed stage, and not with --local`);
  if (local && stage !== undefined) throw new CommandRefused("give either --local or --stage");
  if (readyFile !== undefined && !local) throw new CommandRefused("--ready-file goes with --local");
}

function whereOf({ local, readyFile, stage = "prod" }: CommonFlags): Where {
  return { local, readyFile, stage };
}

async function placeOf({ local, readyFile, stage }: Where): Promise<StackConnection> {
  const { connectLocally, connectToStack, localReadyFile } = await import("./connection.ts");
  return local ? connectLocally(readyFile ?? localReadyFile) : await connectToStack(stage);
}

/** What a command's own flags say. Throws for a value that a flag cannot take, and without one that is needed. */
function valuesOf({ flags }: Command, given: CommandLine["given"]): Record<string, unknown> {
  const read = Object.entries(flags).map(([name, each]) => [name, each.read(given[name], `--${name}`)]);
  return Object.fromEntries(read) as Record<string, unknown>;
}

/** Progress is for people who wait, and must not run into what a command prints piece by piece on the same terminal. */
function progressFor({ prints }: Command, { stdout, stderr }: Streams): ProgressLine {
  return prints === "text" && stdout.isTTY && stderr.isTTY ? silent : progressOn(stderr);
}

async function print(
  outcome: CommandOutcome,
  { json }: CommonFlags,
  progress: ProgressLine,
  { stdout }: Streams,
): Promise<void> {
  // A pipeline waits for a slow reader, so an export of any length takes no more memory than a page of it.
  if ("text" in outcome) {
    await pipeline(outcome.text, stdout, { end: false }).finally(() => progress.clear());
    return;
  }
  const { value, shown = value } = outcome;
  const paint: Paint = (style, text) => styleText(style, text, { stream: stdout });
  const text = () => (typeof shown === "function" ? String(shown(paint)) : render(shown, paint));
  stdout.write(`${json ? JSON.stringify(value) : text()}\n`);
}

/** What a person is told of an error. A file that was named wrongly is no fault of the program. */
function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, path } = error as NodeJS.ErrnoException;
  return code === "ENOENT" && path ? `there is no file ${path}` : error.message;
}
