/** Where the log lines of a call are found: in a local gateway's files, and in a stage's log groups. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { inGroup, logFiles, openLog } from "#infra/local/stack/log-file.ts";
import { type FilterLogEvents, fileLog, stageLog } from "#infra/operator/logs.ts";
import { newId, taskOf } from "#shared/base/platform/id.ts";

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
  const write = inGroup("GatewayLogs", openLog(file));
  for (const text of [
    lineOf(other, "call"),
    lineOf(id, "call"),
    `said of ${id}`,
    lineOf(taskOf(id), "task_created"),
  ])
    write(Buffer.from(`${text}\n`));
  const lines = await fileLog(logFiles(file)).linesOf(id);
  expect(lines.map(({ event }) => event)).toEqual(["upstream_failed", "call", "task_created"]);
  // The operator is told what a line on AWS tells.
  for (const line of lines) expect(line).not.toHaveProperty("log_group");
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("a local line says the log group that it would be in, however its bytes arrive", () => {
  const appended: string[] = [];
  const write = inGroup("SettleLogs", (text) => appended.push(text));
  const bytes = Buffer.from('{"event":"é"}\nplain\n{"event":"b"}\n');
  for (const byte of bytes) write(Buffer.of(byte));
  write('{"event":"c"}\n');
  expect(appended.join("")).toBe(
    '{"log_group":"SettleLogs","event":"é"}\nplain\n{"log_group":"SettleLogs","event":"b"}\n{"log_group":"SettleLogs","event":"c"}\n',
  );
});

test("a local file that is full becomes the one before", () => {
  const file = join(folder, "full.jsonl");
  const write = openLog(file);
  write("x".repeat(64 * 1024 * 1024 + 1));
  write("next\n");
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

test("what a restore takes stock of is the ends of calls and the lines of keys, since an instant", async () => {
  const file = join(folder, "stock.jsonl");
  const lines = [
    lineOf(id, "call", now - 1),
    lineOf(id, "call"),
    lineOf(id, "upstream_failed"),
    lineOf(id, "key_revoked"),
  ];
  writeFileSync(file, `${lines.join("\n")}\n`);
  const found = await Array.fromAsync(fileLog([file, join(folder, "none.jsonl")]).since(now));
  expect(found.map(({ event }) => event)).toEqual(["call", "key_revoked"]);

  const asked: Parameters<FilterLogEvents>[0][] = [];
  const filter: FilterLogEvents = async (input) => {
    asked.push(input);
    return { events: [{ message: lineOf(id, "call") }, { message: "REPORT" }] };
  };
  const of = stageLog(async () => ["gateway", "settle"], filter);
  expect(await Array.fromAsync(of.since(now))).toHaveLength(2);
  const filterPattern =
    '{ ($.event = "call") || ($.event = "task_settled") || ($.event = "key_created") || ($.event = "key_revoked") }';
  expect(asked).toEqual([
    { logGroupName: "gateway", startTime: now, filterPattern },
    { logGroupName: "settle", startTime: now, filterPattern },
  ]);
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
