/** The bound on the calls that a process serves at a time: a call counts until the work after its answer is done. */
import { expect, test, vi } from "vitest";
import type { HttpReply } from "#shared/base/http/message.ts";
import { limits } from "#shared/base/limits.ts";
import { limitCallsInFlight } from "#shared/calls/gateway/calls-in-flight.ts";
import { rejection } from "#shared/calls/gateway/rejection.ts";
import { call, open } from "#test/support/call.ts";
import { chatBody, chatPath, useScenario } from "#test/support/scenario.ts";

const scenario = useScenario();
const reply: HttpReply = { status: 200, headers: {}, body: "" };

test("as many calls as may be are let in, and the next one once one of them has ended", async () => {
  const calls = limitCallsInFlight(2);
  const answered = [calls.enter(), calls.enter()].map(() => calls.leaveAfter(reply));
  expect(calls.enter()).toBe(false);
  await answered[0]?.after?.();
  expect([calls.enter(), calls.enter()]).toEqual([true, false]);
});

test("a call has ended too where the work after its answer fails", async () => {
  const calls = limitCallsInFlight(1);
  calls.enter();
  const failing = vi.fn(() => Promise.reject(new Error("no settlement")));
  await expect(calls.leaveAfter({ ...reply, after: failing }).after?.()).rejects.toThrow("no settlement");
  expect(failing).toHaveBeenCalledOnce();
  expect(calls.enter()).toBe(true);
});

test("a call beyond the bound is refused in the route's form, and counted", () => {
  const log = vi.fn();
  const route = { path: "/v1/messages", style: "anthropic" } as const;
  const refusal = rejection(limitCallsInFlight(0).refusal(), { id: "req_1" }, route, { log });
  expect(refusal).toMatchObject({ status: 429, headers: { "retry-after": "1" } });
  expect(JSON.parse(String(refusal.body))).toMatchObject({ type: "error", request_id: "req_1" });
  expect(log).toHaveBeenCalledExactlyOnceWith("info", "refused", {
    request: "req_1",
    route: "/v1/messages",
    code: 42900,
  });
});

test("the pipeline refuses a call beyond the bound before it looks at the key, and counts calls out", async () => {
  const ended: (() => Promise<void>)[] = [];
  for (let count = 0; count < limits.callsInFlightMax; count++) {
    const { reply } = await open(scenario.serve, chatPath, { body: chatBody });
    expect(reply.status).toBe(401);
    if (reply.after) ended.push(reply.after);
  }
  const asked = () => call(scenario.serve, chatPath, { body: chatBody });
  expect((await asked()).json()).toMatchObject({ error: { code: "42900" } });
  await ended[0]?.();
  expect((await asked()).status).toBe(401);
});
