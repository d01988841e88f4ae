/**
 * What holds of the Python matrix without running it: its pins, its rows in the table, and a machine without Python.
 */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { environments, programs } from "./python-programs.ts";
import { cellsOf, countsOf } from "./table.ts";

const here = import.meta.dirname;
const read = (file: string) => readFileSync(join(here, file), "utf8");

test.each(Object.values(environments))("%s pins every package at one version", (file) => {
  const lines = read(file)
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  expect(lines.length).toBeGreaterThan(10);
  expect(lines.filter((line) => !/^[a-z0-9._-]+(?:\[[a-z,]+\])?==[\w.]+(?: ;.*)?$/.test(line))).toEqual([]);
});

test("the table has a row of every client, and no other", () => {
  const clients = new Set(cellsOf("Python", read("MATRIX.md")).map(({ client }) => client));
  expect([...clients]).toEqual(programs.map(([, client]) => client));
});

test("every row has charges that agree, and most of its cells are ok", () => {
  const cells = cellsOf("Python", read("MATRIX.md"));
  const charges = cells.filter(({ provider }) => provider === "charges");
  expect(charges.map(({ verdict }) => verdict)).toEqual(programs.map(() => "ok"));
  expect(countsOf(cells)).toMatch(/^\d{3,} ok/);
});

describe("on a machine without Python", () => {
  const run = async (ci: string) => {
    const env = { ...process.env, CI: ci, PYTHON: join(here, "no-such-python") };
    const outcome = await promisify(execFile)(process.execPath, [join(here, "python.ts")], { env }).then(
      ({ stderr }) => ({ code: 0, stderr }),
      (error: { code: number; stderr: string }) => error,
    );
    return { code: outcome.code, last: outcome.stderr.trim().split("\n").at(-1) };
  };
  const because =
    "the Python matrix did not run, because there is no Python 3.10 or newer with venv on this machine.";

  test("it is skipped, and says so", async () => {
    expect(await run("")).toEqual({ code: 0, last: `SKIPPED: ${because}` });
  });

  test("in CI it is a failure", async () => {
    expect(await run("true")).toEqual({ code: 1, last: `FAILED: ${because}` });
  });
});
