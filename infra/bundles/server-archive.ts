/** The folder of the server as one file, and the program that starts a server out of such a file. It needs Node alone. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

/** The variables that the program reads: where the archive is, and what it must be. */
export const archiveVariables = { file: "SERVER_ARCHIVE", sha256: "SERVER_ARCHIVE_SHA256" } as const;

/** Writes the files below `folder` into the archive `file`. Gives its SHA-256 in hex: the same files have the same. */
export function writeArchive(folder: string, file: string): string {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => statSync(join(folder, name)).isFile())
    .map((name) => name.replaceAll("\\", "/"))
    .sort();
  const files = names.map((name) => [name, readFileSync(join(folder, name), "base64")]);
  const archive = gzipSync(JSON.stringify(files), { level: 9 });
  writeFileSync(file, archive);
  return createHash("sha256").update(archive).digest("hex");
}

/**
 * A program for `node -e`: checks the archive, unpacks it into a new folder, and runs the server in the same process,
 * which so gets the signals of its platform. It ends with 1, and a line that says why, if the archive is another one.
 */
export const startArchive = `
const { createHash } = require("node:crypto");
const { mkdirSync, mkdtempSync, readFileSync, writeFileSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { dirname, join } = require("node:path");
const { gunzipSync } = require("node:zlib");
const archive = readFileSync(process.env.${archiveVariables.file});
const found = createHash("sha256").update(archive).digest("hex");
if (found !== process.env.${archiveVariables.sha256}) {
  console.log(JSON.stringify({ level: "error", event: "not_started", error: "the archive is " + found }));
  process.exit(1);
}
const folder = mkdtempSync(join(tmpdir(), "server-"));
for (const [name, content] of JSON.parse(gunzipSync(archive))) {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), content, "base64");
}
require(join(folder, "index.js"));
`.trim();
