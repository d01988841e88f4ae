/** Work in a process of its own, which gives its memory back, and ends with this one. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { setPriority } from "node:os";

/** Ends the work early, with all processes that it has started. Resolves once it writes nothing more. */
export type EndChild = () => Promise<void>;

interface ChildOptions {
  /** What could not be done, in the message of the error. */
  what: string;
  env?: NodeJS.ProcessEnv;
  priority?: number;
  onMessage?: (message: unknown) => void;
  /** Given a way to end it early. */
  onStart: (end: EndChild) => void;
}

/** Runs a module with these arguments to its end. Rejects with what it printed where it fails. */
export async function runChild(
  module: string,
  args: readonly string[],
  options: ChildOptions,
): Promise<void> {
  const { what, env = process.env, priority, onMessage, onStart } = options;
  const child = fork(module, args, {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    execArgv: [],
    env,
    // A group of its own, so that what it has started ends with it.
    detached: true,
  });
  const ended = once(child, "close");
  const { pid } = child;
  if (pid !== undefined) {
    const kill = () => endGroup(pid);
    // An exit that waits no longer has what is left removed, and nothing may write there then.
    process.prependOnceListener("exit", kill);
    const forget = () => process.off("exit", kill);
    ended.then(forget, forget);
    onStart(async () => {
      kill();
      // A busy machine takes a while to end a process of low priority, which goes on writing until then.
      await ended;
    });
    if (priority !== undefined) lower(pid, priority);
  }
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  if (onMessage) child.on("message", onMessage);
  const [code] = (await ended) as [number | null];
  if (code !== 0) throw new Error(`${what}:\n${output}`);
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

function lower(pid: number, priority: number): void {
  try {
    setPriority(pid, priority);
  } catch {
    // It has ended, or the system gives no other priority.
  }
}
