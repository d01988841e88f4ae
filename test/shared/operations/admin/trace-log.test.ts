/** Which lines of a log are ours. */
import { expect, test } from "vitest";
import { readLogLine } from "#shared/operations/admin/trace-log.ts";

test("a line of ours is read as it was written", () => {
  const line = { level: "info", event: "call", at: "2026-11-21T12:30:00.000Z", request: "req_1", sent_ms: 4 };
  expect(readLogLine(JSON.stringify(line))).toEqual(line);
});

test.each([
  "START RequestId: 1",
  '{"level":"info","event":"call"}',
  '{"type":"platform.report"}',
  '{"level":"info","eve',
])("a line of others is none: %s", (text) => {
  expect(readLogLine(text)).toBeUndefined();
});
