/** The log of the local gateway: what its functions write, as CloudWatch keeps it on AWS. */
import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/** A file may be so long, and then is the one before. */
const bytesMax = 64 * 1024 * 1024;

/** The files of a log, the older one first. */
export function logFiles(file: string): [before: string, now: string] {
  return [`${file}.1`, file];
}

/**
 * Appends to a log, which only its owner can read. The file stays open, because functions write a line for every call.
 * Another gateway beside the first appends to the same file. After a rotation by one, the other goes on in the older
 * file until its own turn, and readers read both.
 */
export function openLog(file: string): (chunk: Uint8Array) => void {
  mkdirSync(dirname(file), { recursive: true });
  let descriptor = openSync(file, "a", 0o600);
  let bytes = fstatSync(descriptor).size;
  return (chunk) => {
    if (bytes > bytesMax) {
      closeSync(descriptor);
      renameSync(file, logFiles(file)[0]);
      descriptor = openSync(file, "a", 0o600);
      bytes = 0;
    }
    writeSync(descriptor, chunk);
    bytes += chunk.length;
  };
}
