/** The streams of a command that runs in this process: what it writes is kept, and what it reads is given. */
import { PassThrough } from "node:stream";
import { run, type Streams } from "#infra/operator/run.ts";

/** Which of the streams are terminals. */
export interface Terminals {
  stdin?: boolean;
  stdout?: boolean;
  stderr?: boolean;
}

/** Runs the operator's command line in this process. `typed` is what a person types. */
export async function runHere(
  words: readonly string[],
  terminals: Terminals = {},
  typed?: string,
): Promise<{ code: number; out: string; error: string }> {
  const stream = (name: keyof Terminals) =>
    Object.assign(new PassThrough(), { isTTY: terminals[name] === true, columns: 110 });
  const [stdin, stdout, stderr] = [stream("stdin"), stream("stdout"), stream("stderr")];
  const said = { stdout: "", stderr: "" };
  stdout.on("data", (chunk) => (said.stdout += String(chunk)));
  stderr.on("data", (chunk) => (said.stderr += String(chunk)));
  if (typed !== undefined) stdin.end(typed);
  const code = await run(words, { stdin, stdout, stderr } as unknown as Streams);
  return { code, out: said.stdout, error: said.stderr };
}
