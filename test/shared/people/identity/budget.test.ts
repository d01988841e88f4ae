/** The budget of messages: how it is given out, what it keeps for those with an account, and what an attack gets of it. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { consoleLimits } from "#shared/base/console-limits.ts";
import { createVelocity } from "#shared/edges/store/identity/velocity.ts";
import { allowedBy, hardness, nextRefill, ofStrangers } from "#shared/people/identity/budget.ts";
import { dayCount } from "#shared/people/identity/send-counts.ts";
import { awsOverMemory } from "#test/support/aws-over.ts";
import { easyBits, guarded, type Outcome } from "#test/support/guarded.ts";
import { createMemoryDynamoDb } from "#test/support/memory-dynamodb.ts";
import { solve } from "../../../../console/human-worker.ts";

const midnight = Date.parse("2026-11-28T00:00:00.000Z");
const hourMs = 3_600_000;
const high = { ip_hour: 1e6, network_hour: 1e6, prefix_hour: 1e6 };
/** Numbers of blocks and addresses of networks that are all different. */
const phone = (n: number) => `+8613${String(n % 1_000).padStart(3, "0")}${String(n).padStart(6, "0")}`;
const ipOf = (n: number) => `10.${n >> 8}.${n & 255}.1`;
const sentOf = (outcomes: Outcome[]) => outcomes.filter((outcome) => outcome === "sent").length;
const keyOf = (outcome: Outcome) => (typeof outcome === "string" ? outcome : outcome.key);

/** A stage of 100 messages a day, over counts of its own. */
function stage({ at = midnight, perDayMax = 100 } = {}) {
  const memory = createMemoryDynamoDb();
  const velocity = createVelocity(awsOverMemory(memory), memory.tables);
  const made = guarded(velocity, { at, perDayMax, limits: { ...high, country_day: 1e6 } });
  let next = 0;
  /** Requests of so many strangers, each with a phone and an address of its own. */
  const strangers = async (count: number, solves: boolean): Promise<Outcome[]> => {
    const outcomes: Outcome[] = [];
    for (let asked = 0; asked < count; asked++) {
      const n = next++;
      const ask = solves ? made.askAsBrowser : made.ask;
      outcomes.push(await ask(phone(n), ipOf(n)));
    }
    return outcomes;
  };
  return { ...made, velocity, strangers };
}

describe("a day's budget", () => {
  test("is half at once, grows from hour to hour, and is all of it in the last one", () => {
    fc.assert(
      fc.property(fc.nat(1e6), fc.nat(365), (most, day) => {
        const from = midnight + day * 24 * hourMs;
        const hours = Array.from({ length: 24 }, (_, hour) => allowedBy(from + hour * hourMs, most));
        expect(hours[0]).toBe(Math.ceil(most / 2));
        expect(hours[23]).toBe(most);
        const steps = hours.slice(1).map((allowed, at) => allowed - (hours[at] ?? 0));
        for (const step of steps) expect(Math.abs(step - most / 46)).toBeLessThan(1);
        expect(allowedBy(from + hourMs - 1, most)).toBe(hours[0]);
      }),
    );
  });

  test.each([
    [0, undefined],
    [249, undefined],
    [250, 0],
    [399, 0],
    [400, 1],
    [550, 2],
    [700, 3],
    [1_000, 3],
  ])("of 1,000 with %i sent asks for %s bits more", (sent, bits) => {
    expect(hardness(sent, 1_000)).toBe(bits);
  });

  test("keeps three in ten for phones with an account", () => {
    expect([ofStrangers(1_000), ofStrangers(500), ofStrangers(1), ofStrangers(0)]).toEqual([700, 350, 1, 0]);
  });
});

describe("requests for codes from distinct addresses", () => {
  test("without a proof of work get a quarter of what is allowed by now", async () => {
    const { strangers, velocity } = stage();
    const outcomes = await strangers(100, false);
    expect(sentOf(outcomes)).toBe(13);
    expect(new Set(outcomes.map(keyOf))).toEqual(new Set(["sent", "invalid_request"]));
    expect((await velocity.read(dayCount("phone", midnight))).sent).toBe(13);
  });

  test("with ever harder ones get what strangers have, and people with an account sign in", async () => {
    const { strangers, ask, askAsBrowser, withAccounts, scarce, logs } = stage();
    const bits = new Set<number>();
    const outcomes: Outcome[] = [];
    for (let n = 0; n < 40; n++) {
      const refused = await ask(phone(n), ipOf(n));
      const human = typeof refused === "string" ? undefined : refused.detail.human;
      if (human) bits.add(human.bits);
      outcomes.push(human ? await ask(phone(n), ipOf(n), solve(human)) : refused);
    }
    expect([...bits]).toEqual([0, 1, 2, 3].map((more) => easyBits + more));
    expect(outcomes.map(keyOf)).toEqual([...Array(35).fill("sent"), ...Array(5).fill("withheld")]);
    expect(scarce.until).toBe(midnight + hourMs);
    for (let n = 1_000; n < 1_015; n++) withAccounts.add(phone(n));
    const people = await Promise.all([...withAccounts].map((each, n) => askAsBrowser(each, ipOf(1_000 + n))));
    expect(sentOf(people)).toBe(15);
    expect(scarce.until).toBe(midnight + hourMs);
    const lines = logs.filter(({ event }) => event === "sms_budget_low");
    expect(lines[0]).toEqual({
      event: "sms_budget_low",
      fields: { budget: "all", sent: 25, allowed: 50 },
    });
    // Now there is nothing left for anybody until the hour ends.
    const late = await strangers(1, true);
    expect(late).toMatchObject([{ key: "sms_too_often", detail: { wait_ms: hourMs } }]);
  });

  test("leave more for the next hour", async () => {
    const { strangers, clock } = stage();
    expect(sentOf(await strangers(40, true))).toBe(35);
    clock.at = nextRefill(clock.at);
    expect(sentOf(await strangers(10, true))).toBe(3);
    clock.at = midnight + 23 * hourMs;
    expect(sentOf(await strangers(40, true))).toBe(70 - 38);
  });

  test("are answered at once by an operator who lets more out", async () => {
    const { strangers, velocity, scarce } = stage();
    await strangers(36, true);
    expect(await velocity.raise(dayCount("phone", midnight), 10)).toBe(10);
    expect(sentOf(await strangers(1, true))).toBe(1);
    expect(scarce.until).toBe(undefined);
    expect(sentOf(await strangers(10, true))).toBe(6);
    expect(await velocity.raise(dayCount("phone", midnight), 10)).toBe(20);
    expect(sentOf(await strangers(10, true))).toBe(7);
  });

  test("at one moment get no more either", async () => {
    const { ask, velocity } = stage({ perDayMax: 20 });
    const outcomes = await Promise.all(Array.from({ length: 60 }, (_, n) => ask(phone(n), ipOf(n))));
    expect(sentOf(outcomes)).toBe(7);
    expect((await velocity.read(dayCount("phone", midnight))).sent).toBe(7);
  });
});

describe("an answer to an easier challenge", () => {
  test("is good while the budget goes down, as long as the challenge is", async () => {
    const { strangers, ask, clock } = stage();
    await strangers(13, true);
    const refused = await ask(phone(5_000), ipOf(5_000));
    if (typeof refused === "string" || !refused.detail.human) throw new Error("no proof was asked for");
    expect(refused.detail.human.bits).toBe(easyBits);
    const answer = solve(refused.detail.human);
    await strangers(15, true);
    expect(await ask(phone(5_000), ipOf(5_000), answer)).toBe("sent");
    clock.at += consoleLimits.humanSeconds * 1_000;
    expect(await ask(phone(5_001), ipOf(5_000), answer)).toMatchObject({
      detail: { human: { bits: easyBits + 2 } },
    });
  });
});

describe("one phone", () => {
  const [victim, attacker, own] = [phone(1), "192.0.2.1", "198.51.100.1"];

  test("gets five codes a day that one address asks for, and others from elsewhere", async () => {
    const { askAsBrowser } = stage();
    const outcomes: Outcome[] = [];
    for (let n = 0; n < 10; n++) outcomes.push(await askAsBrowser(victim, attacker));
    expect(sentOf(outcomes)).toBe(5);
    expect(outcomes.at(-1)).toMatchObject({
      key: "sms_too_often",
      detail: { reason: "codes_of_day", wait_ms: 24 * hourMs },
    });
    expect(await askAsBrowser(victim, own)).toBe("sent");
    expect(await askAsBrowser(phone(2), attacker)).toBe("sent");
  });

  test("gets as many as it enters", async () => {
    const { askAsBrowser, guard } = stage();
    for (let n = 0; n < 20; n++) {
      expect(await askAsBrowser(victim, own)).toBe("sent");
      await guard.completed({ contact: { kind: "phone", text: victim }, name: victim, ip: own });
    }
  });
});
