/**
 * Where `npm start` keeps its synthesized stack for the next start, by a hash of all that the stack is made of. A change
 * of a source, of a package or of Node gives another hash, so a kept stack never has other code than the sources say.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";

/** The folders whose files go into the template or into a bundle, and those that build them. */
export const builtFolders = ["console", "functions", "infra", "shared"];

/** What says which packages there are. The last two tell of packages that were installed without the lock file. */
export const builtFiles = [
  "cdk.json",
  "package.json",
  "package-lock.json",
  "tsconfig.json",
  "node_modules/.package-lock.json",
  "node_modules/esbuild/package.json",
];

/** How many stacks are kept: of this code, and of another one that somebody may go back to. */
const keptMax = 2;

/** A younger stack is left alone: another start may be writing or copying it, which takes seconds. */
const forgottenAfterMs = 3_600_000;

/** The folder for the stack of the project at `root`, whether it is there or not. */
export function stackFolder(root: string, taskLifetimeSeconds = ""): string {
  const found = builtFolders.flatMap((folder) => filesIn(root, folder)).sort();
  const digest = digestOfFiles(root, [...builtFiles, ...found], [process.version, taskLifetimeSeconds]);
  return join(root, "node_modules/.cache/stacks", digest.slice(0, 32));
}

/** The files below a folder, by their paths in `root`. None where the folder is not there. */
function filesIn(root: string, folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [relative(root, join(entry.parentPath, entry.name))] : [],
  );
}

/** SHA-256, as hex, of these words and of the names and contents of those of `names` that are files in `root`. */
export function digestOfFiles(root: string, names: readonly string[], words: readonly string[] = []): string {
  const sum = createHash("sha256");
  const add = (text: string | Buffer) => sum.update(`${text.length}:`).update(text);
  for (const word of words) add(word);
  for (const name of names) {
    const path = join(root, name);
    if (!existsSync(path) || !statSync(path).isFile()) continue;
    add(name);
    add(readFileSync(path));
  }
  return sum.digest("hex");
}

/** Removes the stacks beside this one that are over an hour old, but for the newest of them that are to be kept. */
export function forgetOlderStacks(kept: string): void {
  const place = dirname(kept);
  const others = readdirSync(place)
    .filter((name) => name !== basename(kept))
    // Another start may have removed one meanwhile.
    .map((name) => ({
      path: join(place, name),
      at: statSync(join(place, name), { throwIfNoEntry: false })?.mtimeMs ?? 0,
    }))
    .sort((a, b) => b.at - a.at);
  const old = others.slice(keptMax - 1).filter(({ at }) => Date.now() - at > forgottenAfterMs);
  for (const { path } of old) rmSync(path, { recursive: true, force: true });
}
