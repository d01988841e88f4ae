/** What a process on this machine has used, from Linux's own accounts; undefined where there are none. */
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";

/** The kernel counts for its users in hundredths of a second, where it does not tell nanoseconds. */
const ticksPerSecond = 100;

/** Seconds of CPU by the name of the thread; threads of one name are added up. */
export type CpuByThread = ReadonlyMap<string, number>;

/** User and system time of each thread that lives. Undefined where there is no such account. */
export function cpuByThread(pid: number): CpuByThread | undefined {
  const seconds = new Map<string, number>();
  for (const thread of entries(`/proc/${pid}/task`)) {
    const folder = `/proc/${pid}/task/${thread}`;
    const name = read(`${folder}/comm`)?.trim();
    // A thread may have ended since the folder was read.
    if (name === undefined) continue;
    seconds.set(name, (seconds.get(name) ?? 0) + threadSeconds(folder));
  }
  return seconds.size === 0 ? undefined : seconds;
}

function threadSeconds(folder: string): number {
  const nanoseconds = read(`${folder}/schedstat`)?.split(" ")[0];
  if (nanoseconds !== undefined) return Number(nanoseconds) / 1e9;
  const stat = read(`${folder}/stat`) ?? "";
  // The name in brackets may hold spaces; behind it come state (3rd) … utime (14th) and stime (15th).
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** What was used between two readings, by thread. A thread that came in between has used all of its time. */
export function cpuBetween(before: CpuByThread, after: CpuByThread): CpuByThread {
  return new Map([...after].map(([name, seconds]) => [name, seconds - (before.get(name) ?? 0)]));
}

/** Resident memory, megabytes of 2²⁰ bytes. */
export function residentMb(pid: number): number | undefined {
  return statusMb(pid, "VmRSS");
}

/** The most that was resident since the peak was forgotten, or since the start. */
export function peakMb(pid: number): number | undefined {
  return statusMb(pid, "VmHWM");
}

/** Makes what is resident now the peak. Tells whether the kernel did so. */
export function forgetPeak(pid: number): boolean {
  try {
    // Linux's own word for it: 5 resets the peak (proc(5), clear_refs).
    writeFileSync(`/proc/${pid}/clear_refs`, "5");
    return true;
  } catch {
    return false;
  }
}

/** How many of its open files are sockets. */
export function openSockets(pid: number): number {
  return entries(`/proc/${pid}/fd`).filter((file) =>
    targetOf(`/proc/${pid}/fd/${file}`).startsWith("socket:"),
  ).length;
}

function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return "";
  }
}

function statusMb(pid: number, field: string): number | undefined {
  const status = read(`/proc/${pid}/status`) ?? "";
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(status)?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
