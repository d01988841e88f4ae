/** What a trace tells of a call, from what each store and the log have of it. */
import { describe, expect, test } from "vitest";
import type { CallRoute } from "#shared/books/ledger/usage-event.ts";
import { trace } from "#shared/edges/operator/trace.ts";
import { eventOf, intentOf, noon, planHold, planLimits, walletHold } from "#test/support/store.ts";
import { at, emptyMeter, entryOf, hold, id, line, meters, place, told } from "#test/support/traces.ts";

describe("a call that is over", () => {
  const failed = { provider: "first", attempts: 1, sent_ms: 5, attempt_ms: 20, upstream_status: 503 };
  const answered = { provider: "second", attempts: 2, sent_ms: 30, attempt_ms: 200, status: 200 };
  const lines = [
    line("upstream_failed", 25, { ...failed, level: "warn", error: "Error: status 503" }),
    line("call", 1010, { ...answered, route: "/v1/chat/completions", duration_ms: 1000 }),
  ];
  const event = eventOf(hold, "0.25", { provider: "second", attempts: 2 });
  const deps = place({
    meters: meters(),
    ledger: { entriesOf: async () => [entryOf(event)] },
    log: { linesOf: async () => lines },
  });

  test("is told in order, each attempt at the instant it was sent", async () => {
    expect(await told(deps)).toEqual([
      [at(0), "arrived", `a call from org_1 with ${hold.key}`],
      [
        at(0),
        "admitted",
        expect.stringMatching(
          /^acme\/Sonic-1-5, payg, holding 2 points, on mtr_1 shard 0, price [0-9a-f]{12}$/,
        ),
      ],
      [at(5), "attempt", "1: first answered 503 after 20 ms"],
      [at(30), "attempt", "2: second began to answer after 200 ms"],
      [
        at(1000),
        "ended",
        "completed by second, attempt 2; 10 input tokens, 5 output tokens (reported); worth 0.25 points, charged 0.25",
      ],
      [at(1010), "answered", "200 on /v1/chat/completions, 1000 ms in all"],
      [at(2000), "booked", `0.25 points from customer:org_1 to revenue:acme/Sonic-1-5, entry ${id}`],
      [null, "settled", "its meter holds nothing for it any more"],
    ]);
  });

  test("tells how it found its channel, where its entry says so", async () => {
    const attempts = [
      { provider: "first", outcome: "fault", ms: 20 },
      { provider: "second", outcome: "answered", ms: 200 },
    ] as const;
    const route: CallRoute = { routing: "smart", why: "failover", of: 3, attempts: [...attempts] };
    const ended = async (change: Partial<CallRoute>) => {
      const routed = { ...event, route: { ...route, ...change } };
      const steps = await trace(id, undefined, {
        ...deps,
        ledger: { entriesOf: async () => [entryOf(routed)] },
      });
      return steps.find(({ step }) => step === "ended");
    };
    const asked = "first fault after 20 ms, second answered after 200 ms";
    expect(await ended({})).toMatchObject({
      detail: expect.stringContaining(`; smart routing among 3 channels (failover): ${asked}; 10 input`),
      facts: { route },
    });
    const one = { routing: "basic" as const, of: 1, why: "alone", attempts: [] };
    expect((await ended(one))?.detail).toContain(
      "; basic routing among 1 channel (alone): nobody was asked;",
    );
  });

  test("tells which model answered in place of which, and whose channels failed", async () => {
    const requested_model = "acme/Ballad-1";
    const attempts = [
      { provider: "first", outcome: "fault", ms: 20, model: requested_model },
      { provider: "second", outcome: "answered", ms: 200 },
    ] as const;
    const route: CallRoute = { routing: "basic", why: "fallback", of: 1, attempts: [...attempts] };
    const answeredInstead = { ...event, requested_model, route };
    const ledger = { entriesOf: async () => [entryOf(answeredInstead)] };
    const steps = await trace(id, undefined, { ...deps, ledger });
    expect(steps.find(({ step }) => step === "ended")).toMatchObject({
      detail: expect.stringContaining(
        "completed by second, attempt 2; acme/Sonic-1-5 in place of acme/Ballad-1; " +
          "basic routing among 1 channel (fallback): first for acme/Ballad-1 fault after 20 ms, " +
          "second answered after 200 ms; 10 input",
      ),
      facts: { model: "acme/Sonic-1-5", requested_model },
    });
  });

  test("tells whom it asked for which model, where the model and its fallbacks have all failed", async () => {
    const requested_model = "acme/Ballad-1";
    const lines = [requested_model, "acme/Sonic-1-5", "acme/Sonic-1-5"].map((model, index) =>
      line("upstream_failed", 25, { ...failed, level: "warn", model, attempts: index + 1 }),
    );
    const lastAsked = meters({ intent: async () => ({ ...intentOf(hold), requested_model }) });
    const failing = { ...deps, meters: lastAsked, log: { linesOf: async () => lines } };
    const steps = await told({ ...failing, ledger: { entriesOf: async () => [] } });
    expect(steps.find(([, step]) => step === "admitted")?.[2]).toMatch(
      /^acme\/Ballad-1, and at last acme\/Sonic-1-5 in its place, payg, holding /,
    );
    expect(steps.filter(([, step]) => step === "attempt").map(([, , detail]) => detail)).toEqual([
      expect.stringMatching(/^1: \S+ for acme\/Ballad-1 answered /),
      expect.stringMatching(/^2: \S+ for acme\/Sonic-1-5 answered /),
      expect.stringMatching(/^3: \S+ for acme\/Sonic-1-5 answered /),
    ]);
    expect(steps.at(-1)).toEqual([
      null,
      "failed",
      "nobody answered: all 3 attempts at acme/Ballad-1, then acme/Sonic-1-5 failed; " +
        "its meter holds nothing for it, and nothing is booked",
    ]);
    const answered = await told(failing);
    expect(answered.map(([, step]) => step)).not.toContain("failed");
  });

  test("has all figures for programs", async () => {
    const steps = await trace(id, undefined, deps);
    expect(steps.find(({ step }) => step === "attempt")).toMatchObject({ source: "log", facts: failed });
    expect(steps.find(({ step }) => step === "ended")).toMatchObject({
      source: "ledger",
      facts: { usage: event.usage, cost_points: "0.25", attempts: 2 },
    });
  });

  test("says that its attempts are not known where no log line is left, or why they could not be read", async () => {
    const without = await told({ ...deps, log: { linesOf: async () => [] } });
    expect(without).toContainEqual([null, "log", "no line is kept: what each attempt took is not known"]);
    const denied = { linesOf: () => Promise.reject(new Error("AccessDenied")) };
    expect(await told({ ...deps, log: denied })).toContainEqual([
      null,
      "log",
      "it could not be read: AccessDenied",
    ]);
  });
});

describe("a call of long ago", () => {
  const entriesOf = async (organization: string, request: string) =>
    organization === "org_2" && request === id
      ? [entryOf(eventOf(hold, "0.25", { organization: "org_2" }), { organization: "org_2" })]
      : [];
  const asked: string[] = [];
  const organization = (each: string, created_at: number) => ({ id: each, created_at }) as never;
  const accounts = {
    organizations: async function* () {
      yield organization("org_1", noon - 2000);
      yield organization("org_2", noon - 1000);
      yield organization("org_3", noon + 1);
    },
  };
  const ledger = {
    entriesOf: (each: string, request: string) => {
      asked.push(each);
      return entriesOf(each, request);
    },
  };

  test("is found by asking each organization that there was at the time", async () => {
    asked.length = 0;
    const steps = await told(place({ accounts, ledger }));
    expect(asked).toEqual(["org_1", "org_2"]);
    expect(steps.map(([, step]) => step)).toEqual([
      "arrived",
      "admitted",
      "ended",
      "booked",
      "log",
      "settled",
    ]);
    expect(steps[1]?.[2]).not.toContain("holding");
  });

  test("is looked for in one organization alone if that is named", async () => {
    asked.length = 0;
    await trace(id, "org_2", place({ accounts, ledger }));
    expect(asked).toEqual(["org_2"]);
    const elsewhere = trace(id, "org_1", place({ accounts, ledger }));
    await expect(elsewhere).rejects.toThrow(`nothing is known of ${id} of org_1: no store`);
  });
});

describe("an id", () => {
  test("that is unknown is said to be, with the instant it would have come at", async () => {
    await expect(trace(id, undefined, place())).rejects.toThrow(
      `nothing is known of ${id}: no store and no log line has it. It would have come at ${at(0)}.`,
    );
  });

  test.each(["req_1", "key_01M81Z5H6R6E3CQBCFXFYS02HZ", id.slice(4)])("that is none of a call: %s", (other) =>
    expect(trace(other, undefined, place())).rejects.toThrow(`${other} is no request and no task`),
  );
});

describe("a call that is not settled", () => {
  test("shows what it holds", async () => {
    const held = { points: hold.points, tokens: 0, period: "" };
    const item = { ...emptyMeter, holds: new Map([[id, held]]) };
    const steps = await told(place({ meters: meters({ readMeter: async () => item }) }));
    expect(steps.at(-1)).toEqual([null, "held", "it holds 2 points: it is not settled"]);
    const seized = { ...emptyMeter, seized: new Map([[id, held]]) };
    const swept = await told(place({ meters: meters({ readMeter: async () => seized }) }));
    expect(swept.at(-1)).toEqual([
      null,
      "seized",
      "the sweeper has its hold of 2 points and has not settled it yet",
    ]);
  });

  test("shows its quota month and its tokens on a subscription", async () => {
    const own = planHold("mtr_2", planLimits(), 150);
    const held = { points: 0n, tokens: 150, period: own.planLimits?.period.id ?? "" };
    const item = { ...emptyMeter, holds: new Map([[own.request, held]]) };
    const deps = place({ meters: { intent: async () => intentOf(own), readMeter: async () => item } });
    const steps = await told(deps, own.request);
    expect(steps[1]?.[2]).toContain("subscription, one call in the quota month 20261121, on mtr_2 shard 0");
    expect(steps.at(-1)?.[2]).toBe("it holds 150 tokens: it is not settled");
  });

  test("shows its dead letter, or how many messages it may be among", async () => {
    const body = JSON.stringify(eventOf(hold, "1"));
    const letter = { id: "m1", body, organization: "org_1", sent_at: noon + 5000 };
    const queue = (deadLetters: (typeof letter)[], waiting: number) => ({
      depth: async () => waiting,
      deadLetters: async () => ({ deadLetters, unread: 0 }),
    });
    const dead = await told(place({ meters: meters(), queue: queue([letter], 3) }));
    expect(dead).toContainEqual([
      at(5000),
      "dead letter",
      "its usage event could not be booked: remove the cause, then redrive",
    ]);
    const others = { ...letter, body: JSON.stringify(eventOf(walletHold("mtr_1", "1"), "1")) };
    const waiting = await told(place({ meters: meters(), queue: queue([others], 3) }));
    expect(waiting.map(([, step]) => step)).not.toContain("dead letter");
    expect(waiting).toContainEqual([
      null,
      "queue",
      "its usage event may be among 3 queued messages and 0 dead letters that others look at",
    ]);
  });
});

describe("a call that was guessed at", () => {
  const guess = entryOf(eventOf(hold, "2", { source: "sweeper", evidence: "none", flags: ["swept"] }));
  const real = entryOf(eventOf(hold, "0.5"), {
    ...{ id: `${id}#adj`, kind: "adjustment", points: "-1.5", posted_at: noon + 9000 },
  });

  test("shows the guess, the real end and the correction", async () => {
    const entriesOf = async () => [guess, real];
    const steps = await told(place({ meters: meters(), ledger: { entriesOf } }));
    expect(steps.map(([time, step]) => [time, step])).toEqual([
      [at(0), "arrived"],
      [at(0), "admitted"],
      [at(1000), "swept"],
      [at(1000), "really ended"],
      [at(2000), "booked"],
      [at(9000), "corrected"],
      [null, "log"],
      [null, "settled"],
    ]);
    expect(steps.at(5)?.[2]).toContain("-1.5 points from");
  });

  test("has its dead letters looked at as long as it is not corrected", async () => {
    let looked = 0;
    const deadLetters = async () => {
      looked += 1;
      return { deadLetters: [], unread: 0 };
    };
    const queue = { depth: async () => 0, deadLetters };
    await trace(
      id,
      undefined,
      place({ meters: meters(), queue, ledger: { entriesOf: async () => [guess] } }),
    );
    expect(looked).toBe(1);
    await trace(
      id,
      undefined,
      place({ meters: meters(), queue, ledger: { entriesOf: async () => [guess, real] } }),
    );
    expect(looked).toBe(1);
  });
});

test("a refused call is told by its line alone: whose it was, for which model, and what it got", async () => {
  const names = { organization: "org_1", key: "key_1", model: "test/model-1" };
  const refused = line("refused", 3, { ...names, route: "/v1/messages", code: 40300 });
  expect(await told(place({ log: { linesOf: async () => [refused] } }))).toEqual([
    [at(0), "arrived", "a call from org_1 with key_1"],
    [
      at(3),
      "refused",
      "403 with 40300 on /v1/messages (organization org_1, key key_1, model test/model-1): The API key has no permission for this.",
    ],
  ]);
});
