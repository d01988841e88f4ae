/** Which lines of a log are ours. */
import { expect, test } from "vitest";
import { readLogLine, stepsOfLog } from "#shared/edges/operator/trace-log.ts";

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

test("the loser of a race is an attempt of its call", () => {
  const id = "req_01KAQZ8Q000000000000000000";
  const line = {
    level: "info",
    event: "race_lost",
    at: "2026-11-21T12:30:00.000Z",
    request: id,
    provider: "acme",
    attempts: 1,
    sent_ms: 12,
    attempt_ms: 2_400,
    input_tokens: 900,
  } as const;
  const steps = stepsOfLog([line], { id, known: true });
  expect(steps).toMatchObject([
    { step: "attempt", detail: "1: acme was broken off, because another one was faster, after 2400 ms" },
  ]);
  expect(steps[0]?.facts).toMatchObject({ input_tokens: 900 });
});
