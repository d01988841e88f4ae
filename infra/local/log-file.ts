/** The log of the local gateway: what its functions write, as CloudWatch keeps it on AWS. */
import { appendFileSync, mkdirSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** A file may be so long, and then is the one before. */
const bytesMax = 64 * 1024 * 1024;

/** The files of a log, the older one first. */
export function logFiles(file: string): [before: string, now: string] {
  return [`${file}.1`, file];
}

/** Appends to a log, which only its owner can read. Another gateway beside the first appends to the same file. */
export function openLog(file: string): (chunk: Uint8Array) => void {
  mkdirSync(dirname(file), { recursive: true });
  let bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return (chunk) => {
    if (bytes > bytesMax) {
      renameSync(file, logFiles(file)[0]);
      bytes = 0;
    }
    appendFileSync(file, chunk, { mode: 0o600 });
    bytes += chunk.length;
  };
}
