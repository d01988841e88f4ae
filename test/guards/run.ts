/**
 * `npm run guards [-- ID…]`: deletes each guard of the table in a copy of the project, one at a time, and runs the
 * test that the row names. It exits 1 where a test still passes, because that test proves nothing, and where a
 * file cannot be loaded any more.
 */
import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { fileOf, readSources } from "./anchor.ts";
import { halves, isProved, type Proved } from "./guard.ts";
import { rows as all } from "./rows.ts";

const root = new URL("../..", import.meta.url).pathname;
const place = mkdtempSync(join(tmpdir(), "guards-"));
const code = ["shared", "functions", "infra", "console", "test"];
const parts = [...code, "package.json", "package-lock.json", "tsconfig.json"];
const wanted = new Set(process.argv.slice(2));
const rows = all.filter(isProved).filter(({ id }) => wanted.size === 0 || wanted.has(id));

const sources = readSources(root);

type Verdict = "fails, as it must" | "STILL PASSES" | "CANNOT BE LOADED";

/** A copy of the project, in which one guard at a time is missing. */
function copyProject(name: string): string {
  const copy = join(place, name);
  for (const part of [...parts, "cdk.json"]) cpSync(join(root, part), join(copy, part), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  return copy;
}

/** What becomes of a row's test without its guard. */
async function withoutGuard(row: Proved, copy: string): Promise<Verdict> {
  const { test, guard, without } = row;
  const path = join(copy, fileOf(row, sources));
  const before = readFileSync(path, "utf8");
  writeFileSync(
    path,
    before.replace(guard, () => without),
  );
  try {
    return await outcomeOf(test, copy);
  } finally {
    writeFileSync(path, before);
  }
}

async function outcomeOf(test: string, copy: string): Promise<Verdict> {
  const [suite, name] = halves(test);
  // `%s` and the like stand for what a table puts there.
  const pattern = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/%[#\w]/g, ".*");
  const told = join(copy, "outcome.json");
  const selected = [`test/${suite}.test.ts`, "-t", pattern, "--bail", "1"];
  const reporter = ["--reporter", "json", "--outputFile", told];
  const words = ["run", "--config", "test/vitest.config.ts", ...selected, ...reporter];
  rmSync(told, { force: true });
  try {
    await promisify(execFile)(join(root, "node_modules/.bin/vitest"), words, { cwd: copy });
    return "STILL PASSES";
  } catch {
    const { numFailedTests } = JSON.parse(readFileSync(told, "utf8")) as { numFailedTests: number };
    return numFailedTests > 0 ? "fails, as it must" : "CANNOT BE LOADED";
  }
}

try {
  const waiting = [...rows];
  let proved = 0;
  const worker = async (copy: string) => {
    for (let row = waiting.shift(); row; row = waiting.shift()) {
      const verdict = await withoutGuard(row, copy);
      if (verdict === "fails, as it must") proved += 1;
      console.log(`${row.id.padEnd(4)} ${verdict.padEnd(17)}  ${row.test}`);
    }
  };
  const copies = Array.from({ length: Math.min(availableParallelism(), rows.length) }, (_, at) => `${at}`);
  await Promise.all(copies.map((name) => worker(copyProject(name))));
  console.log(`${proved} of ${rows.length} tests fail without their guard`);
  process.exitCode = proved === rows.length ? 0 : 1;
} finally {
  rmSync(place, { recursive: true, force: true });
}
