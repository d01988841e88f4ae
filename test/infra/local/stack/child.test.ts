/** A child that is ended early has ended when that is said, however low its priority. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type EndChild, runChild } from "#infra/local/stack/child.ts";
import { cleanUp, cleanups } from "#test/support/local/fixture.ts";

afterEach(cleanUp);

test("an early end waits for the process, and the work rejects", async () => {
  const folder = mkdtempSync(join(tmpdir(), "child-"));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  const module = join(folder, "endless.mjs");
  writeFileSync(module, "process.send(process.pid); setInterval(() => {}, 1000);");
  const started = Promise.withResolvers<number>();
  let end: EndChild = async () => {};
  const work = runChild(module, [], {
    what: "it was ended",
    onMessage: (pid) => started.resolve(Number(pid)),
    onStart: (given) => {
      end = given;
    },
  });
  const told = expect(work).rejects.toThrow("it was ended");
  const pid = await started.promise;
  await end();
  expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  await told;
});
