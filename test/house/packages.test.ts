/**
 * What npm would warn of when it installs. `.npmrc` keeps its warnings quiet, since npm itself may run
 * on an older Node.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");

test("on the Node that runs the scripts, npm ci has nothing to warn of", () => {
  const env = { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}` };
  const { status, stderr } = spawnSync("npm", ["ci", "--dry-run", "--offline", "--loglevel=warn"], {
    cwd: root,
    env,
    encoding: "utf8",
  });
  const warnings = stderr.split("\n").filter((line) => line.startsWith("npm warn"));
  // Settings of the user's own are no matter of the packages.
  expect(warnings.filter((line) => !/Unknown (?:user|env|global|builtin) config/.test(line))).toEqual([]);
  expect(status).toBe(0);
});

test("no package is deprecated", () => {
  expect(readFileSync(join(root, "package-lock.json"), "utf8")).not.toContain('"deprecated":');
});
