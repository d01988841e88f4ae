/**
 * `npm run audit-bench -- --entries 1000000 [--seed N]`: how long an audit of so many entries takes, what it reads, and how
 * much memory it needs. It audits all of them, and then the last day alone (`--since`). The embedded database has its data
 * in a file.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { prices } from "#infra/cost/prices.ts";
import { hourOf } from "#shared/books/billing/period.ts";
import { startDynamoDb } from "#test/support/dynamodb.ts";
import type { Audited } from "./audit-once.ts";
import { fillBooks, until } from "./audited-books.ts";
import { endBySignal } from "./signals.ts";

const { values } = parseArgs({
  options: { entries: { type: "string", default: "100000" }, seed: { type: "string", default: "1" } },
});
const [entries, seed] = [Number(values.entries), Number(values.seed)];
const dayMs = 86_400_000;

await using parts = new AsyncDisposableStack();
endBySignal(parts);
const folder = parts.adopt(mkdtempSync(join(tmpdir(), "audit-")), (path) =>
  rmSync(path, { recursive: true }),
);
const server = await startDynamoDb(join(folder, "books.db"));
parts.defer(server.stop);
const started = performance.now();
const seconds = () => ((performance.now() - started) / 1000).toFixed(0);
let told = 0;
await fillBooks(server, entries, seed, (written) => {
  if (written - told < 50_000) return;
  told = written;
  console.error(`${seconds().padStart(5)} s  ${written.toLocaleString("en")} entries are written`);
});
console.error(`${seconds().padStart(5)} s  ${entries.toLocaleString("en")} entries, and their sums`);

const run = promisify(execFile);
const once = new URL("./audit-once.ts", import.meta.url).pathname;
console.log(
  `Node ${process.version}, ${availableParallelism()} cores, ${entries.toLocaleString("en")} entries`,
);
for (const [name, since] of [
  ["all", []],
  ["the last day", [hourOf(until - dayMs)]],
] as const) {
  const { stdout } = await run(process.execPath, [once, server.endpoint, ...since]);
  show(name, JSON.parse(stdout) as Audited);
}

function show(name: string, audited: Audited): void {
  const { ok, wrong, readUnits, requests, seals, peakMegabytes, cpuSeconds } = audited;
  const dollars = readUnits * prices.readUnit.usd;
  console.log(`${name}: ${ok ? "clean" : wrong.join("; ")}`);
  console.log(
    `  ${audited.seconds.toFixed(1)} s, ${cpuSeconds.toFixed(1)} s of CPU, at most ${peakMegabytes.toFixed(0)} MB`,
  );
  const read = `${requests} requests, of which ${seals} for one seal, ${readUnits} read units`;
  console.log(`  ${read}: $${dollars.toFixed(4)}`);
}
