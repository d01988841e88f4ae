import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { joinLines } from "#shared/base/platform/log.ts";

const endOfTurn = () => new Promise((resolve) => setImmediate(resolve));

describe("joined lines", () => {
  test("those of one turn are written together, in their order, and those of the next turn by themselves", async () => {
    const written: string[] = [];
    const write = joinLines((lines) => written.push(lines));
    write("one\n");
    await Promise.resolve();
    write("two\n");
    expect(written).toEqual([]);
    await endOfTurn();
    expect(written).toEqual(["one\ntwo\n"]);
    write("three\n");
    await endOfTurn();
    expect(written).toEqual(["one\ntwo\n", "three\n"]);
  });

  test.each([
    ["exits", "process.exit(3)", 3],
    ["ends by an error", "throw new Error('not caught')", 1],
  ])("a process that %s writes what waits", (_, end, status) => {
    const program = `
      import { createLog, joinLines } from "#shared/base/platform/log.ts";
      const log = createLog(joinLines((lines) => process.stdout.write(lines)));
      log("info", "draining");
      ${end};`;
    const ended = spawnSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" });
    expect(ended.status).toBe(status);
    expect(JSON.parse(ended.stdout)).toMatchObject({ level: "info", event: "draining" });
  });
});
