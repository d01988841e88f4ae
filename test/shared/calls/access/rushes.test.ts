/** What a process does about a rush: it asks once a second, learns of what came of it, and no call feels any of it. */
import { describe, expect, test } from "vitest";
import { limits } from "#shared/base/limits.ts";
import { type RushedWallet, Rushes } from "#shared/calls/access/rushes.ts";
import { createPipeline } from "#shared/calls/gateway/pipeline.ts";
import { open } from "#test/support/call.ts";
import { chatBody, chatPath, completion, useScenario } from "#test/support/scenario.ts";

const wallet: RushedWallet = { organization: "org_1", meter: "mtr_1", shards: 2 };
const other: RushedWallet = { organization: "org_2", meter: "mtr_2", shards: 1 };
const [asking, learning] = [
  { throttled: true, asks: true },
  { throttled: true, asks: false },
];
const reply = { status: 200, headers: {}, body: "" };

/** A process, what it has asked for and forgotten, and the growth that it waits for. */
function startProcess() {
  const clock = { now: 1_000_000 };
  const asked: [RushedWallet, boolean][] = [];
  const forgotten: string[] = [];
  const logs: string[] = [];
  let growth = Promise.withResolvers<void>();
  const rushes = new Rushes({
    keys: { forget: (organization) => void forgotten.push(organization) },
    grow(...rush) {
      asked.push(rush);
      growth = Promise.withResolvers();
      return growth.promise;
    },
    log: (_, event) => void logs.push(event),
    now: () => clock.now,
  });
  return { rushes, clock, asked, forgotten, logs, growth: () => growth };
}

describe("a process", () => {
  test("asks for a wallet once a second, and of each wallet by itself", () => {
    const { rushes, clock, asked } = startProcess();
    const note = (rushed: RushedWallet) => rushes.note(rushed, asking);
    for (const each of [wallet, wallet, other, wallet]) note(each);
    expect(asked).toEqual([
      [wallet, true],
      [other, true],
    ]);
    clock.now += limits.rushAgainMs - 1;
    note(wallet);
    expect(asked).toHaveLength(2);
    clock.now += 1;
    note(wallet);
    expect(asked).toHaveLength(3);
  });

  test("asks for a throttled wallet although it has just asked for a crowded one", () => {
    const { rushes, asked } = startProcess();
    for (const throttled of [false, false, true, true]) rushes.note(wallet, { throttled, asks: true });
    expect(asked).toEqual([
      [wallet, false],
      [wallet, true],
    ]);
  });

  test("asks although a call before has only learned, and learns once a second", () => {
    const { rushes, clock, asked, forgotten } = startProcess();
    for (let left = 3; left > 0; left--) rushes.note(wallet, learning);
    expect([asked, forgotten]).toEqual([[], ["org_1"]]);
    rushes.note(wallet, asking);
    expect([asked.length, forgotten]).toEqual([1, ["org_1"]]);
    clock.now += limits.rushAgainMs;
    rushes.note(wallet, learning);
    expect(forgotten).toEqual(["org_1", "org_1"]);
  });

  test("forgets the records anew when the shards are there, and lets no reply's work end before", async () => {
    const { rushes, forgotten, growth } = startProcess();
    expect(rushes.endAfter(reply)).toBe(reply);
    rushes.note(wallet, asking);
    expect(forgotten).toEqual(["org_1"]);
    const order: string[] = [];
    const { after } = rushes.endAfter({ ...reply, after: async () => void order.push("settled") });
    const ended = after?.().then(() => order.push("ended"));
    growth().resolve();
    await growth().promise.then(() => order.push("grown"));
    await ended;
    expect(order).toEqual(["settled", "grown", "ended"]);
    expect(forgotten).toEqual(["org_1", "org_1"]);
    expect(rushes.endAfter(reply)).toBe(reply);
  });

  test("only logs that a growth failed", async () => {
    const { rushes, logs, growth } = startProcess();
    rushes.note(wallet, asking);
    growth().reject(new Error("down"));
    await rushes.endAfter(reply).after?.();
    expect(logs).toEqual(["rush_failed"]);
  });
});

describe("a call that meets a rush", () => {
  const scenario = useScenario();

  test("is answered while more shards are asked for, and its process then reads the records anew", async () => {
    const { memory, upstream, bearer } = scenario;
    upstream.json(completion);
    const growth = Promise.withResolvers<void>();
    const { keys, log, now } = memory.deps;
    const asked: RushedWallet[] = [];
    const grow = (rushed: RushedWallet) => {
      asked.push(rushed);
      return growth.promise;
    };
    const serve = createPipeline({} as never, {
      ...memory.deps,
      rushes: new Rushes({ keys, grow, log, now }),
    });
    memory.admission = { admitted: true, limitStatus: {}, rush: { throttled: false, asks: true } };
    const ask = () => open(serve, chatPath, { headers: bearer(), body: chatBody });
    const { reply: first } = await ask();
    expect([first.status, memory.reads]).toEqual([200, 1]);
    expect(asked).toMatchObject([{ organization: memory.owner().organization, shards: 1 }]);
    memory.admission = { admitted: true, limitStatus: {} };
    growth.resolve();
    await first.after?.();
    const { reply: second } = await ask();
    await second.after?.();
    expect(memory.reads).toBe(2);
    const { reply: third } = await ask();
    await third.after?.();
    expect(memory.reads).toBe(2);
  });

  test("is refused at once where it is throttled, whatever becomes of the asking", async () => {
    const { memory, bearer } = scenario;
    const refusal = {
      admitted: false,
      error: "global_rate_limited",
      retryAfterSeconds: 1,
      limitStatus: {},
    } as const;
    memory.admission = { ...refusal, rush: asking };
    const { reply: refused } = await open(scenario.serve, chatPath, { headers: bearer(), body: chatBody });
    expect(refused).toMatchObject({ status: 429, headers: { "retry-after": "1" } });
    expect(memory.rushes).toMatchObject([[{ shards: 1 }, true]]);
    await refused.after?.();
  });
});
