/** What holds of the deploy test without running it: its pins, its linters' exceptions, a machine without Python. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { openApi } from "#test/support/openapi.ts";
import { type FuzzedDocument, forFuzzing, settingsOf } from "./fuzz-document.ts";
import { judge } from "./lint.ts";
import { exceptions } from "./lint-exceptions.ts";

const here = import.meta.dirname;

test.each(["requirements.txt", "requirements-linters.txt", "requirements-fuzz.txt"])(
  "%s pins every package at one version",
  (file) => {
    const lines = readFileSync(join(here, file), "utf8")
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"));
    expect(lines.length).toBeGreaterThan(10);
    expect(lines.filter((line) => !/^[a-z0-9._-]+==[\w.]+(?: ; .*)?$/.test(line))).toEqual([]);
  },
);

describe("the linters", () => {
  const types = new Set(exceptions.map(({ type }) => type));
  const expected = exceptions.map(({ check, type }) => ({
    ...{ check_id: check, check_name: "what it wants", resource: `${type}.Some12345678` },
  }));

  test("may find what has an exception", () => {
    expect(judge(expected, types)).toEqual([]);
  });

  test("may find nothing else, on the same type neither", () => {
    const found = { check_id: "CKV_AWS_1", check_name: "be safe", resource: "AWS::Lambda::Function.Settle" };
    expect(judge([...expected, found], types)).toEqual(["CKV_AWS_1 AWS::Lambda::Function.Settle: be safe"]);
  });

  test("must find what has an exception, if the template has such a resource", () => {
    const [first, ...rest] = expected;
    const [exception] = exceptions;
    const line = `${exception?.check} is not found on ${exception?.type} any more: remove its exception`;
    expect(judge(rest, types)).toEqual([line]);
    expect(judge([], new Set())).toEqual([]);
    expect(first?.check_id).toBe(exception?.check);
  });
});

describe("the fuzzer", () => {
  const document = openApi as unknown as FuzzedDocument;

  test("reads the document with other schemas of event streams, and nothing else", () => {
    const isStream = (at: string) => at.includes("text/event-stream");
    const before = leavesOf(document);
    const after = leavesOf(forFuzzing(document));
    expect(after.filter(({ at }) => !isStream(at))).toEqual(before.filter(({ at }) => !isStream(at)));
    expect(before.filter(({ at }) => isStream(at)).length).toBeGreaterThan(10);
    const types = (leaves: typeof before) =>
      new Set(
        leaves.filter(({ at }) => at.endsWith("text/event-stream/schema/type")).map(({ value }) => value),
      );
    expect([types(before), types(after)]).toEqual([new Set(["string"]), new Set(["object"])]);
  });

  test("names the model of each operation's example", () => {
    const settings = settingsOf(document);
    expect(settings).toContain('postV1Embeddings = { values = ["');
    expect(settings).toContain(
      '[[operations]]\ninclude-operation-id = "postV1ChatCompletions"\n[operations.parameters]\n"body.model" = { dictionary = "postV1ChatCompletions",',
    );
  });
});

/** Everything in a value that has no members, with its place. */
function leavesOf(value: unknown, at = ""): { at: string; value: unknown }[] {
  if (typeof value !== "object" || value === null) return [{ at, value }];
  return Object.entries(value).flatMap(([name, each]) => leavesOf(each, `${at}/${name}`));
}

describe("on a machine without Python", () => {
  const run = async (ci: string) => {
    const env = { ...process.env, CI: ci, PYTHON: join(here, "no-such-python") };
    const outcome = await promisify(execFile)(process.execPath, [join(here, "run.ts")], { env }).then(
      ({ stderr }) => ({ code: 0, stderr }),
      (error: { code: number; stderr: string }) => error,
    );
    return { code: outcome.code, last: outcome.stderr.trim().split("\n").at(-1) };
  };
  const because =
    "the deploy test did not run, because there is no Python 3.10 or newer with venv on this machine.";

  test("it is skipped, and says so", async () => {
    expect(await run("")).toEqual({ code: 0, last: `SKIPPED: ${because}` });
  });

  test("in CI it is a failure", async () => {
    expect(await run("true")).toEqual({ code: 1, last: `FAILED: ${because}` });
  });
});
