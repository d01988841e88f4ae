/** What a process on this machine has used, from Linux's own accounts; undefined where there are none. */
import { readFileSync } from "node:fs";

/** The kernel counts for its users in hundredths of a second, whatever its own clock. */
const ticksPerSecond = 100;

/** User and system time of all threads, seconds. */
export function cpuSeconds(pid: number): number | undefined {
  const stat = read(`/proc/${pid}/stat`);
  // The name in brackets may hold spaces; behind it come state (3rd) … utime (14th) and stime (15th).
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields && (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** Resident memory, megabytes of 2²⁰ bytes. */
export function residentMb(pid: number): number | undefined {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`) ?? "")?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
