/**
 * `npm run guards [-- ID…]`: deletes each guard that says what is there without it, one at a time in a copy of
 * the project, and runs the test that is named for it. A test that still passes proves nothing: exit 1.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { callFaults } from "./call-faults.ts";
import { type Guard, halves, type Row } from "./guard.ts";
import { storeFaults } from "./store-faults.ts";
import { threats } from "./threats.ts";

const root = new URL("../..", import.meta.url).pathname;
const copy = mkdtempSync(join(tmpdir(), "guards-"));
const wanted = new Set(process.argv.slice(2));

type Tried = Guard & { id: string; without: string };

const isTried = (row: Row): row is Tried => "without" in row && row.without !== undefined;
const rows = [...storeFaults, ...callFaults, ...threats]
  .filter(isTried)
  .filter(({ id }) => wanted.size === 0 || wanted.has(id));

/** Whether the test passes in the copy. */
function passes(file: string, name: string): boolean {
  // `%s` and the like stand for what a table puts there.
  const pattern = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/%[#\w]/g, ".*");
  const words = ["--config", "test/vitest.config.ts", `test/${file}.test.ts`, "-t", pattern];
  const vitest = join(root, "node_modules/.bin/vitest");
  return spawnSync(vitest, ["run", ...words], { cwd: copy, stdio: "ignore" }).status === 0;
}

function survives({ test, guard, without }: Tried): boolean {
  const [file, text] = halves(guard, ": ");
  const path = join(copy, file);
  const before = readFileSync(path, "utf8");
  writeFileSync(
    path,
    before.replace(text, () => without),
  );
  const [suite, name] = halves(test, " › ");
  const passed = passes(suite, name);
  writeFileSync(path, before);
  return passed;
}

try {
  for (const part of [
    "shared",
    "functions",
    "infra",
    "test",
    "package.json",
    "package-lock.json",
    "tsconfig.json",
    "cdk.json",
  ])
    cpSync(join(root, part), join(copy, part), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  const survivors = rows.filter((row) => {
    const lives = survives(row);
    console.log(`${row.id.padEnd(4)} ${lives ? "STILL PASSES" : "fails, as it must"}  ${row.test}`);
    return lives;
  });
  console.log(`${rows.length - survivors.length} of ${rows.length} tests fail without their guard`);
  process.exitCode = survivors.length === 0 ? 0 : 1;
} finally {
  rmSync(copy, { recursive: true, force: true });
}
