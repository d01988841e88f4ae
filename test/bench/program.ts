/** The process of a side: that it serves, and that it ends. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** A peer's own program, and how it is started. */
export interface Program {
  name: string;
  command: string;
  words: string[];
  env?: Record<string, string>;
  /** A process that does not serve after so long will never do so. */
  startMs: number;
}

/** Starts it, and gives its process id once it serves on `port`. The disposal of `parts` ends it. */
export async function startProgram(
  { name, command, words, env = {}, startMs }: Program,
  port: number,
  parts: AsyncDisposableStack,
): Promise<number> {
  const child = spawn(command, words, { env: { ...process.env, ...env }, stdio: "ignore" });
  parts.defer(() => stop(child));
  const startedAt = performance.now();
  while (!(await accepts(port))) {
    const isOver = performance.now() - startedAt > startMs;
    if (isOver || child.exitCode !== null) throw new Error(`${name} does not start`);
    await sleep(50);
  }
  return child.pid ?? 0;
}

/** Ends a process that has not ended, and waits until it has. */
export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill();
  await once(child, "exit");
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(socket.destroy() !== undefined));
    socket.once("error", () => resolve(false));
  });
}
