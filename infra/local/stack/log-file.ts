/**
 * The log of the local gateway: what its functions write, as CloudWatch keeps it on AWS. Each line also says the log group
 * that it would be in, because the template's metric filters belong to log groups.
 */

import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { StringDecoder } from "node:string_decoder";

/** A file may be so long, and then is the one before. */
const bytesMax = 64 * 1024 * 1024;

/** The files of a log, the older one first. */
export function logFiles(file: string): [before: string, now: string] {
  return [`${file}.1`, file];
}

/**
 * Appends to a log, which only its owner can read. The file stays open. A second gateway appends to it too, and after a
 * rotation to the older file until its own turn, so readers read both.
 */
export function openLog(file: string): (text: string) => void {
  mkdirSync(dirname(file), { recursive: true });
  let descriptor = openSync(file, "a", 0o600);
  let bytes = fstatSync(descriptor).size;
  return (text) => {
    if (bytes > bytesMax) {
      closeSync(descriptor);
      renameSync(file, logFiles(file)[0]);
      descriptor = openSync(file, "a", 0o600);
      bytes = 0;
    }
    bytes += writeSync(descriptor, text);
  };
}

/** Gives what appends a function's output to a log by whole lines. A line of JSON gets the log group in front. */
export function inGroup(
  group: string,
  append: (text: string) => void,
): (output: string | Uint8Array) => void {
  const head = `{"log_group":${JSON.stringify(group)},`;
  const decoder = new StringDecoder("utf8");
  let rest = "";
  return (output) => {
    const text = rest + (typeof output === "string" ? output : decoder.write(Buffer.from(output)));
    const end = text.lastIndexOf("\n") + 1;
    rest = text.slice(end);
    if (end > 0) append(text.slice(0, end).replace(/^\{(?=")/gm, head));
  };
}
