/** What a trace tells of a task, of an idempotency key, and of log lines that have no step of their own. */
import { describe, expect, test } from "vitest";
import { newId, taskOf } from "#shared/base/platform/id.ts";
import type { Entry } from "#shared/books/ledger/ledger.ts";
import type { LogLine } from "#shared/edges/operator/trace-log.ts";
import { eventOf, intentOf, noon } from "#test/support/store.ts";
import { at, entryOf, hold, id, line, meters, place, told } from "#test/support/traces.ts";

describe("an idempotency key", () => {
  const scoped = { ...intentOf(hold), scope: "s" };
  const other = newId("request", noon - 500);
  const deps = (holder: string, entries: Entry[] = []) =>
    place({
      meters: meters({ intent: async () => scoped }),
      replays: { holder: async () => holder },
      ledger: { entriesOf: async () => entries },
      log: { linesOf: async () => [line("replay", 40, { replayed: other })] },
    });

  test("of another call says that this one was not sent", async () => {
    const steps = await told(deps(other));
    expect(steps).toContainEqual([at(0), "once", expect.stringContaining(`it repeats ${other}`)]);
    expect(steps).toContainEqual([at(40), "repeated", `it was given the answer of ${other}`]);
  });

  test("is this call's, or was until it failed", async () => {
    expect(await told(deps(id))).toContainEqual([at(0), "once", "it has its idempotency key"]);
    const entries = [entryOf(eventOf(hold, "0", { outcome: "failed", calls: 0 }))];
    expect(await told(deps(other, entries))).toContainEqual([
      at(0),
      "once",
      `its idempotency key is that of ${other} now`,
    ]);
  });
});

describe("a task", () => {
  const task = {
    id: taskOf(id),
    status: "failed",
    created_at: noon,
    updated_at: noon + 60_000,
    resolution: "720p",
    duration: 5,
    frames: null,
    submission: "submitted",
    upstream: { provider: "acme", model: "m", id: "cgt-1" },
    settled: true,
    error: { code: "Sensitive", message: "The picture is refused." },
    repairs: 2,
  };
  const intent = { ...intentOf(hold), request: task.id, kind: "video" as const };
  const deps = (lines: LogLine[]) =>
    place({
      meters: meters({ intent: async () => intent }),
      tasks: { find: async (_, asked) => (asked === task.id ? task : undefined) },
      log: { linesOf: async () => lines },
    });

  test("is told by its own id and by that of the request that made it", async () => {
    const lines = [
      line("task_created", 10),
      line("task_not_taken", 300, { provider: "first", sent_ms: 100, attempt_ms: 200, error: "503" }),
      line("task_submitted", 450, { provider: "acme", upstream: "cgt-1", sent_ms: 310, attempt_ms: 140 }),
    ];
    const steps = await told(deps(lines), task.id);
    expect(steps.slice(2)).toEqual([
      [at(0), "task kept", `${task.id}: 720p, 5 s`],
      [at(100), "attempt", "first did not take it: 503 after 200 ms"],
      [at(310), "attempt", "acme took it as cgt-1 after 140 ms"],
      [
        at(60_000),
        "task status",
        "failed: Sensitive The picture is refused., its execution was started anew 2 times",
      ],
      [null, "no hold", "its meter holds nothing for it, and nothing is booked"],
    ]);
    expect(await told(deps(lines), id)).toEqual(steps);
  });

  test("says who took it without any log line", async () => {
    expect(await told(deps([]), task.id)).toContainEqual([null, "task submitted", "acme took it as cgt-1"]);
  });
});

test("a line that no step is made of is told with all it says", async () => {
  const failed = line("settle_failed", 1500, { level: "warn", error: "ThrottledError: no" });
  const steps = await told(place({ meters: meters(), log: { linesOf: async () => [failed] } }));
  expect(steps).toContainEqual([at(1500), "settle failed", "error ThrottledError: no"]);
});

test("the end of a failed call says its error, and what the provider answered", async () => {
  const attempts = [{ provider: "acme", outcome: "fault", status: 503, ms: 20 }] as const;
  const event = eventOf(hold, "0", {
    ...{ outcome: "failed", calls: 0, error: "upstream_error" },
    route: { routing: "basic", why: "priority", of: 2, attempts: [...attempts] },
  });
  const known = { meters: meters({ intent: async () => intentOf(hold) }) };
  const steps = await told(place({ ...known, ledger: { entriesOf: async () => [entryOf(event)] } }));
  const [, , detail = ""] = steps.find(([, step]) => step === "ended") ?? [];
  expect(detail).toContain("50001: The model's provider failed.");
  expect(detail).toContain("acme fault (503) after 20 ms");
});
