/**
 * Where `npm start` keeps its synthesized stack for the next start, by a hash of all that the stack is made of. A change
 * of a source, of a package or of Node gives another hash, so a kept stack never has other code than the sources say.
 */
import { createHash } from "node:crypto";
import { existsSync, globSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** The folders whose files go into the template or into a bundle, and those that build them. */
const folders = ["console", "functions", "infra", "shared"];

/** What says which packages there are. The last two tell of packages that were installed without the lock file. */
const files = [
  "cdk.json",
  "package.json",
  "package-lock.json",
  "tsconfig.json",
  "node_modules/.package-lock.json",
  "node_modules/esbuild/package.json",
];

/** How many stacks are kept: of this code, and of another one that somebody may go back to. */
const keptMax = 2;

/** The folder for the stack of the project at `root`, whether it is there or not. */
export function stackFolder(root: string, taskLifetimeSeconds = ""): string {
  const sum = createHash("sha256");
  const add = (text: string | Buffer) => sum.update(`${text.length}:`).update(text);
  add(process.version);
  add(taskLifetimeSeconds);
  const found = globSync(
    folders.map((folder) => `${folder}/**/*`),
    { cwd: root },
  );
  for (const name of [...files, ...found.sort()]) {
    const path = join(root, name);
    if (!existsSync(path) || !statSync(path).isFile()) continue;
    add(name);
    add(readFileSync(path));
  }
  return join(root, "node_modules/.cache/stacks", sum.digest("hex").slice(0, 32));
}

/** Removes the stacks beside this one that are older than the others, but for so many. */
export function forgetOlderStacks(kept: string): void {
  const place = dirname(kept);
  const others = readdirSync(place)
    .filter((name) => name !== basename(kept))
    .map((name) => ({ path: join(place, name), at: statSync(join(place, name)).mtimeMs }))
    .sort((a, b) => b.at - a.at);
  for (const { path } of others.slice(keptMax - 1)) rmSync(path, { recursive: true, force: true });
}
