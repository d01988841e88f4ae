/** `npm start` ends where it cannot serve. */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startDynamoDb } from "#infra/local/emulators/dynamodb.ts";
import { startLocal } from "#test/support/local.ts";

/** Kills the embedded database that the watchdog of this process has started, and nothing else. */
function killDatabaseOf(owner: number | undefined): void {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" }).split("\n");
  const all = lines.flatMap((line) => {
    const [, pid, parent, command = ""] = /^\s*(\d+)\s+(\d+) (.*)$/.exec(line) ?? [];
    return command.includes("/dynoxide serve ") ? [{ pid: Number(pid), parent: Number(parent) }] : [];
  });
  const watchdogs = all.filter(({ parent }) => parent === owner).map(({ pid }) => pid);
  const [database] = all.filter(({ parent }) => watchdogs.includes(parent));
  if (!database) throw new Error(`process ${owner} has no database`);
  process.kill(database.pid, "SIGKILL");
}

test("a database that ends by itself is told of, and one that was stopped is not", async () => {
  const lost: Error[] = [];
  const told = Promise.withResolvers<void>();
  const stopped = await startDynamoDb(undefined, (error) => lost.push(error));
  await stopped.stop();
  const killed = await startDynamoDb(undefined, (error) => {
    lost.push(error);
    told.resolve();
  });
  onTestFinished(killed.stop);
  killDatabaseOf(process.pid);
  await told.promise;
  expect(lost.map(({ message }) => message)).toEqual([
    expect.stringMatching(/^the embedded DynamoDB has ended/),
  ]);
});

test("without its database it ends with 1", async () => {
  const gateway = await startLocal();
  onTestFinished(async () => void (await gateway.stop()));
  const exit = once(gateway.process, "exit");
  killDatabaseOf(gateway.process.pid);
  expect(await exit).toEqual([1, null]);
  expect(gateway.output()).toContain("the embedded DynamoDB has ended");
});

test("what is thrown while it starts ends it with 1", async () => {
  const folder = mkdtempSync(join(tmpdir(), "start-failures-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const module = join(folder, "throwing.mjs");
  const temporary = mkdtempSync(join(folder, "tmp-"));
  // The first file that a start makes there is its stack.
  const watched = `watch(${JSON.stringify(temporary)}, () => { throw new Error("thrown in the start"); })`;
  writeFileSync(module, `import { watch } from "node:fs";\n${watched};\n`);
  const exits: Promise<unknown[]>[] = [];
  const started = startLocal({
    execArgv: ["--import", module],
    env: { TMPDIR: temporary },
    onSpawn(child) {
      exits.push(once(child, "exit"));
      onTestFinished(() => void child.kill("SIGKILL"));
    },
  });
  await expect(started).rejects.toThrow("thrown in the start");
  expect(await Promise.all(exits)).toEqual([[1, null]]);
});

test("a part that never ends keeps nothing that was written from being removed", async () => {
  const folder = mkdtempSync(join(tmpdir(), "start-failures-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const module = join(folder, "stuck.mjs");
  writeFileSync(
    module,
    `const { disposeAsync } = AsyncDisposableStack.prototype;
    AsyncDisposableStack.prototype.disposeAsync = function () {
      this.defer(() => new Promise(() => {}));
      return disposeAsync.call(this);
    };`,
  );
  const gateway = await startLocal({ execArgv: ["--import", module] });
  const { assembly } = gateway.endpoints;
  const page = gateway.readyFile.replace("ready.json", "snippets.md");
  const written = [assembly, gateway.readyFile, page];
  expect(written.map((path) => existsSync(path))).toEqual([true, true, true]);
  const exit = once(gateway.process, "exit");
  gateway.process.kill("SIGTERM");
  expect(await exit).toEqual([0, null]);
  expect(written.map((path) => existsSync(path))).toEqual([false, false, false]);
  await gateway.stop();
});
