/** Cores of the bench: one that each measured process has for itself in its turn, and the others for everything else. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface Pinning {
  /** What the report says of it. */
  told: string;
  /** Puts all threads of a measured process on the measured core, and those that it will have. */
  pin(pid: number): Promise<void>;
}

/**
 * Takes this process off the last core that it may use, with all that it starts from now on. Where there is one core or
 * no `taskset`, nothing is pinned, and `told` says so.
 */
export async function pinBench(): Promise<Pinning> {
  const cores = allowedCores();
  const own = cores.at(-1);
  if (own === undefined || cores.length < 2) return unpinned("this process has one core");
  const pin = async (pid: number, to: readonly number[]) =>
    void (await run("taskset", ["-acp", to.join(","), String(pid)]));
  const others = cores.slice(0, -1);
  try {
    await pin(process.pid, others);
  } catch {
    return unpinned("there is no taskset");
  }
  return {
    told: `each measured process has core ${own} for itself in its turn; clients, provider, database and queue have core ${others.join(", ")}`,
    pin: (pid) => pin(pid, [own]),
  };
}

function unpinned(reason: string): Pinning {
  return { told: `nothing is pinned to a core, because ${reason}: all share the cores`, pin: async () => {} };
}

/** The cores that Linux lets this process use; none where it does not say. */
export function allowedCores(
  status: () => string = () => readFileSync("/proc/self/status", "utf8"),
): number[] {
  let text: string;
  try {
    text = status();
  } catch {
    return [];
  }
  const [, list] = /^Cpus_allowed_list:\s*(\S+)$/m.exec(text) ?? [];
  if (list === undefined) return [];
  return list.split(",").flatMap((range) => {
    const [first = Number.NaN, last = first] = range.split("-").map(Number);
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
}
