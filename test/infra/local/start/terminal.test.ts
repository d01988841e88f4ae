/** What `npm start` prints of its functions' log. */
import { expect, test } from "vitest";
import { shortLines } from "#infra/local/start/terminal.ts";
import { createLog } from "#shared/base/platform/log.ts";

test("a call, a refusal and trouble have a short line each, and the rest of the log none", () => {
  let text = "";
  const log = createLog((line) => (text += line));
  const names = { request: "req_1", organization: "org_1", key: "key_1", model: "test/model-1" };
  log("info", "call", { ...names, status: 200, duration_ms: 120, cost_points: "0.25", tokens: 9 });
  log("info", "refused", { ...names, route: "/v1/messages", code: 40300 });
  log("info", "refused", { request: "req_2", route: "/v1/messages", code: 40100 });
  // Of another version, whose errors nobody here knows.
  log("info", "refused", { request: "req_4", route: "/v1/messages", code: 48888 });
  log("info", "settled", { count: 10 });
  log("warn", "queue_failed", { request: "req_3", error: "Error: no queue" });
  const told = shortLines(`${text}a word of a library\n`).replace(/^\d\d:\d\d:\d\d {2}/gm, "");
  expect(told.split("\n")).toEqual([
    "200  test/model-1  120 ms  0.25 points  req_1",
    "403  test/model-1  error 40300  req_1",
    "401  /v1/messages  error 40100  req_2",
    "/v1/messages  error 48888  req_4",
    "warn  queue_failed  Error: no queue  req_3",
    "a word of a library",
    "",
  ]);
  expect(shortLines("")).toBe("");
});
