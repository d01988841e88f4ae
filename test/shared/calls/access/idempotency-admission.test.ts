/** An idempotency key is claimed beside admission: neither waits for the other, and who loses the key holds nothing. */
import { describe, expect, test } from "vitest";
import { limits } from "#shared/base/limits.ts";
import { newId, timeOf } from "#shared/base/platform/id.ts";
import { noUsage } from "#shared/books/billing/usage.ts";
import type { Intent } from "#shared/books/meters/intent.ts";
import type { ReplayRecord } from "#shared/calls/access/replays.ts";
import { sweep } from "#shared/edges/jobs/sweep.ts";
import { chatBody, completion, useScenario } from "#test/support/scenario.ts";
import {
  eventOf,
  expectBalanced,
  expectSums,
  intentOf,
  noon,
  openPlan,
  openWallet,
  period,
  planHold,
  planLimits,
  walletHold,
} from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";

const scenario = useScenario();
const chat = (key = "k-1", body: object = chatBody) =>
  scenario.chat({ headers: { ...scenario.bearer(), "idempotency-key": key }, body });

type Port = (...values: unknown[]) => Promise<unknown>;

/** Keeps a port from answering until `open` is called. */
function close(room: "replays" | "meters", name: string): { asked: Promise<void>; open: () => void } {
  const ports = scenario.memory.deps[room] as unknown as Record<string, Port>;
  const sound = ports[name] as Port;
  const asked = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  ports[name] = async (...values) => {
    asked.resolve();
    await opened.promise;
    return await sound(...values);
  };
  return { asked: asked.promise, open: opened.resolve };
}

test("hold, intent and claim are asked for at once, and nothing is sent before all three are there", async () => {
  const ports = [close("meters", "admit"), close("meters", "intend"), close("replays", "claim")];
  scenario.upstream.json(completion);
  const reply = chat();
  await Promise.all(ports.map(({ asked }) => asked));
  for (const { open } of ports) {
    expect(scenario.upstream.requests).toHaveLength(0);
    open();
    await new Promise(setImmediate);
  }
  expect((await reply).status).toBe(200);
  expect(scenario.upstream.requests).toHaveLength(1);
});

test("an intent names the key that its call must have, and only then", async () => {
  scenario.upstream.json(completion);
  await chat();
  await scenario.chat();
  const [keyed, plain] = scenario.memory.intents;
  expect(keyed?.scope).toMatch(/^[0-9a-f]{64}$/);
  expect(plain).not.toHaveProperty("scope");
});

describe("a call that loses its key", () => {
  const givenBack = () => scenario.memory.settled.filter(({ settlement }) => settlement.giveBack);

  test("gives its hold back before it is answered, whatever it is answered", async () => {
    scenario.upstream.json(completion);
    await chat();
    expect(givenBack()).toHaveLength(0);
    expect((await chat()).headers["x-gateway-replayed"]).toBeDefined();
    expect(givenBack()).toHaveLength(1);
    expect((await chat("k-1", { ...chatBody, temperature: 1 })).status).toBe(400);
    expect(givenBack()).toHaveLength(2);
    const [first, ...others] = scenario.memory.holds;
    expect(givenBack().map(({ ticket }) => ticket.hold)).toEqual(others);
    expect(first).toBeDefined();
  });

  test.each(["insufficient_balance", "quota_exhausted", "rate_limited", "global_rate_limited"] as const)(
    "is given the first one's answer although its own admission says %s",
    async (error) => {
      scenario.upstream.json(completion);
      const first = await chat();
      scenario.memory.admission = { admitted: false, error, limitStatus: {} };
      const again = await chat();
      expect([again.status, again.text]).toEqual([200, first.text]);
      expect(givenBack()).toHaveLength(0);
    },
  );

  test("is not told that its meter failed, either", async () => {
    scenario.upstream.json(completion);
    const first = await chat();
    scenario.memory.admission = new Error("store down");
    expect((await chat()).text).toBe(first.text);
  });
});

test("a call whose claim fails gives its hold back", async () => {
  scenario.memory.deps.replays.claim = () => Promise.reject(new Error("store down"));
  expect((await chat()).status).toBe(500);
  expect(scenario.memory.settled).toMatchObject([{ settlement: { giveBack: true } }]);
  expect(scenario.upstream.requests).toHaveLength(0);
});

test("a call whose claim fails, and whose hold cannot be given back either, is written down as never sent", async () => {
  const { memory } = scenario;
  memory.deps.replays.claim = () => Promise.reject(new Error("store down"));
  memory.deps.meters.abandon = async () => false;
  expect((await chat()).status).toBe(500);
  expect(memory.events).toMatchObject([{ outcome: "failed", calls: 0, cost_points: "0", attempts: 0 }]);
});

describe("the sweep of a call that died with its hold", () => {
  const { db, accounts, ledger, meters, replays } = useStores();
  const stores = { accounts, ledger, meters, replays, log: () => {}, now: () => noon + 2_000_000 };

  /** A call with a key, held, of which nothing more is heard. */
  async function die(mode: "payg" | "subscription") {
    const organization = newId("organization", noon);
    const scope = newId("request", noon);
    const meter = mode === "payg" ? await openWallet(db, "10", organization) : await openPlan(db);
    const hold = mode === "payg" ? walletHold(meter, "1") : planHold(meter, planLimits(), 50);
    const intent: Intent = { ...intentOf(hold, organization), scope };
    await Promise.all([meters.admit(hold), meters.intend(intent)]);
    const entry = () => ledger.entry(organization, hold.request);
    return { organization, scope, meter, hold, entry };
  }
  const recordOf = (request: string): ReplayRecord => ({ request, fingerprint: "f", state: "running" });

  test.each([
    ["never claimed its key", async () => {}],
    ["lost its key", (scope: string) => replays.claim(scope, recordOf(newId("request", noon)), noon)],
    [
      "has another in its place",
      async (scope: string, request: string) => {
        await replays.claim(scope, recordOf(request), noon);
        await replays.claim(scope, recordOf(newId("request", noon)), noon, request);
      },
    ],
  ])("charges nothing when it %s, and the hold goes back", async (_, claim) => {
    const { organization, scope, meter, hold, entry } = await die("payg");
    await claim(scope, hold.request);
    expect(await sweep({}, stores)).toMatchObject({ seized: 1, estimated: 1 });
    expect(await meters.readMeter(meter, 0)).toMatchObject({ avail: 10n ** 19n, used: 0n });
    expect(await entry()).toMatchObject({
      points: "0",
      event: { calls: 0, list_points: "0", outcome: "failed", usage: noUsage, flags: ["swept"] },
    });
    await expectSums(ledger, organization);
  });

  test("charges its input when it had its key", async () => {
    const { scope, hold, entry } = await die("payg");
    await replays.claim(scope, recordOf(hold.request), noon);
    await sweep({}, stores);
    expect(await entry()).toMatchObject({ points: "0.00025", event: { calls: 1, outcome: "truncated" } });
  });

  test("gives a call of a subscription back", async () => {
    const { meter } = await die("subscription");
    await sweep({}, stores);
    expect((await meters.readMeter(meter, 0))?.periods.get(period.id)).toBe(0);
  });

  test.each(["payg", "subscription"] as const)("is put right by what comes late of it (%s)", async (mode) => {
    const { organization, meter, hold } = await die(mode);
    await sweep({}, stores);
    const cost = mode === "payg" ? "1.5" : "0";
    const real = eventOf(hold, cost, { organization, ended_at: timeOf(hold.request) + limits.pingMs });
    expect(await ledger.record([real])).toEqual(["corrected"]);
    const item = await meters.readMeter(meter, 0);
    if (mode === "payg") expect(item).toMatchObject({ avail: 85n * 10n ** 17n, used: 15n * 10n ** 17n });
    else expect(item?.periods.get(period.id)).toBe(1);
    if (mode === "payg") await expectBalanced(db, meter);
    await expectSums(ledger, organization);
  });
});
