/** Where the log lines of a call are found: in a local gateway's files, and in a stage's log groups. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { logFiles, openLog } from "#infra/local/log-file.ts";
import { type FilterLogEvents, fileLog, stageLog } from "#infra/operator/logs.ts";
import { newId, taskOf } from "#shared/platform/id.ts";

const folder = mkdtempSync(join(tmpdir(), "logs-"));
afterAll(() => rmSync(folder, { recursive: true }));

const now = Date.parse("2026-11-21T12:00:00Z");
const [id, other] = [newId("request", now), newId("request", now)];
const lineOf = (request: string, event: string, at = now) =>
  JSON.stringify({ level: "info", event, at: new Date(at).toISOString(), request });

test("of a local gateway they are in its file, and in the one before", async () => {
  const file = join(folder, "log.jsonl");
  const [before] = logFiles(file);
  writeFileSync(before, `${lineOf(id, "upstream_failed")}\n`);
  const write = openLog(file);
  for (const text of [
    lineOf(other, "call"),
    lineOf(id, "call"),
    `said of ${id}`,
    lineOf(taskOf(id), "task_created"),
  ])
    write(Buffer.from(`${text}\n`));
  const lines = await fileLog(logFiles(file)).linesOf(id);
  expect(lines.map(({ event }) => event)).toEqual(["upstream_failed", "call", "task_created"]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("a local file that is full becomes the one before", () => {
  const file = join(folder, "full.jsonl");
  const write = openLog(file);
  write(Buffer.alloc(64 * 1024 * 1024 + 1));
  write(Buffer.from("next\n"));
  expect(logFiles(file).map((each) => statSync(each).size)).toEqual([64 * 1024 * 1024 + 1, 5]);
});

test("of a stage they are in all groups, around the time of the call, page by page", async () => {
  const asked: Parameters<FilterLogEvents>[0][] = [];
  const filter: FilterLogEvents = async (input) => {
    asked.push(input);
    if (input.logGroupName === "sweep")
      return { events: [{ message: lineOf(id, "hold_seized", now + 900_000) }] };
    return input.nextToken
      ? { events: [{ message: `${lineOf(id, "call", now + 50)}\n` }] }
      : { events: [{ message: `START RequestId ${id}` }], nextToken: "2" };
  };
  const log = stageLog(async () => ["sweep", "gateway"], filter);
  expect((await log.linesOf(id)).map(({ event }) => event)).toEqual(["call", "hold_seized"]);
  const range = { startTime: now - 60_000, endTime: now + 7_200_000, filterPattern: `"${id.slice(4)}"` };
  expect(asked).toEqual([
    { logGroupName: "sweep", ...range },
    { logGroupName: "gateway", ...range },
    { logGroupName: "gateway", ...range, nextToken: "2" },
  ]);
  asked.length = 0;
  await log.linesOf(taskOf(id));
  expect(asked[0]).toMatchObject({ endTime: now + 172_800_000 });
});

test("lines of an event, and of a flag, are found by their names since an instant", async () => {
  const file = join(folder, "named.jsonl");
  const flagged = JSON.stringify({
    ...{ level: "info", event: "call", at: new Date(now).toISOString(), request: id },
    flags: "overrun swept",
  });
  const old = lineOf(other, "settle_gap", now - 7_200_000);
  const said = JSON.stringify({
    level: "warn",
    event: "call",
    at: new Date(now).toISOString(),
    error: "overrun",
  });
  writeFileSync(file, `${[old, lineOf(id, "settle_gap"), flagged, said].join("\n")}\n`);
  const log = fileLog([file]);
  const found = async (name: string) =>
    (await log.linesNamed(name, now - 3_600_000)).map(({ event }) => event);
  expect(await found("settle_gap")).toEqual(["settle_gap"]);
  expect(await found("overrun")).toEqual(["call"]);
  expect(await found("gap")).toEqual([]);
});

test("of a stage they are asked for by a pattern that finds events and flags", async () => {
  const asked: Parameters<FilterLogEvents>[0][] = [];
  const filter: FilterLogEvents = async (input) => {
    asked.push(input);
    return { events: [{ message: lineOf(id, "settle_gap") }] };
  };
  const log = stageLog(async () => ["gateway"], filter);
  expect(await log.linesNamed("settle_gap", now)).toHaveLength(1);
  const filterPattern = '{ ($.event = "settle_gap") || ($.flags = "*settle_gap*") }';
  expect(asked).toEqual([{ logGroupName: "gateway", startTime: now, filterPattern }]);
});
