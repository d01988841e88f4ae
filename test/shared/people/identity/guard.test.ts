/** The guard of messages with codes, on counts in DynamoDB: it sends, asks for a proof of work, or refuses. */
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { errorReply } from "#shared/base/http/error-styles.ts";
import { createVelocity } from "#shared/edges/store/identity/velocity.ts";
import type { VelocityCount } from "#shared/people/identity/velocity.ts";
import { awsOverMemory } from "#test/support/aws-over.ts";
import { guarded, type Outcome } from "#test/support/guarded.ts";
import { createMemoryDynamoDb } from "#test/support/memory-dynamodb.ts";
import { useStores } from "#test/support/stores.ts";
import { solve } from "../../../../console/human-worker.ts";

const { db } = useStores();
const velocity = createVelocity(db.aws, db.tables);

const noon = Date.parse("2026-11-23T12:00:00.000Z");
let hours = 0;
/** An hour that no other test has, so that all of them can share a table. */
const newHour = () => noon + 86_400_000 * ++hours;

const phone = (n: number) => `+86138${String(n).padStart(8, "0")}`;
const ipOf = (n: number) => `10.${n >> 8}.${n & 255}.1`;
const sentOf = (outcomes: Outcome[]) => outcomes.filter((outcome) => outcome === "sent").length;
const keyOf = (outcome: Outcome) => (typeof outcome === "string" ? outcome : outcome.key);
const high = { ip_hour: 1e6, network_hour: 1e6, prefix_hour: 1e6, country_day: 1e6 };

describe("toll fraud", () => {
  test("10,000 requests for one prefix from 10,000 addresses send no more than the prefix may have", async () => {
    const memory = createMemoryDynamoDb();
    const { askAsBrowser } = guarded(createVelocity(awsOverMemory(memory), memory.tables), { at: noon });
    const outcomes: Outcome[] = [];
    for (let round = 0; round < 100; round++) {
      const requests = Array.from({ length: 100 }, (_, i) => round * 100 + i);
      outcomes.push(...(await Promise.all(requests.map((n) => askAsBrowser(phone(n), ipOf(n))))));
    }
    expect(sentOf(outcomes)).toBe(20);
    expect(new Set(outcomes.map(keyOf))).toEqual(new Set(["sent", "sms_too_often"]));
    const all = memory.items("accounts").find(({ pk }) => pk?.S?.startsWith("Q#all#"));
    expect(all?.sent).toEqual({ N: "20" });
  });

  test("200 at one moment send no more either, on the embedded database", async () => {
    const { askAsBrowser } = guarded(velocity, { at: newHour() });
    const outcomes = await Promise.all(
      Array.from({ length: 200 }, (_, n) => askAsBrowser(phone(n), ipOf(n))),
    );
    expect(sentOf(outcomes)).toBeLessThanOrEqual(20);
    const more = await Promise.all(
      Array.from({ length: 30 }, (_, n) => askAsBrowser(phone(n), ipOf(500 + n))),
    );
    // What the first ones had to give back, others could have.
    expect(sentOf([...outcomes, ...more])).toBe(20);
  });

  test.each([
    ["address", { ip_hour: 3 }, (n: number) => [phone(n * 1e4), ipOf(1)], 3],
    ["network", { network_hour: 3 }, (n: number) => [phone(n * 1e4), `10.0.0.${n}`], 3],
    ["country", { country_day: 3 }, (n: number) => [phone(n * 1e4), ipOf(n)], 3],
    ["stage", { perDayMax: 3 }, (n: number) => [phone(n * 1e4), ipOf(n)], 3],
    ["/64 of IPv6", { ip_hour: 3 }, (n: number) => [phone(n * 1e4), `2001:db8:0:1::${n}`], 3],
    ["/48 of IPv6", { network_hour: 3 }, (n: number) => [phone(n * 1e4), `2001:db8:0:${n}::1`], 3],
  ] as const)("an %s has its own limit", async (_, limits, requestOf, most) => {
    const { askAsBrowser } = guarded(velocity, { at: newHour(), limits: { ...high, ...limits }, ...limits });
    const outcomes: Outcome[] = [];
    for (let n = 1; n <= 6; n++) {
      const [number = "", ip = ""] = requestOf(n);
      outcomes.push(await askAsBrowser(number, ip));
    }
    expect(outcomes.map(keyOf)).toEqual([
      ...Array<string>(most).fill("sent"),
      ...Array<string>(6 - most).fill("sms_too_often"),
    ]);
  });

  test("a refusal says when the window ends, and then there is room again", async () => {
    const at = newHour() + 20 * 60_000;
    const { ask, clock } = guarded(velocity, { at, limits: { ...high, ip_hour: 0 } });
    const refused = await ask(phone(1), ipOf(1));
    expect(refused).toMatchObject({ key: "sms_too_often", detail: { wait_ms: 40 * 60_000 } });
    if (typeof refused === "string") throw new Error("it was sent");
    expect(errorReply("standard", refused.key, refused.detail)).toMatchObject({
      status: 429,
      headers: { "retry-after": "2400" },
      body: expect.stringContaining('"code":42910'),
    });
    const other = guarded(velocity, { at, limits: { ...high, ip_hour: 1 } });
    expect(await other.ask(phone(1), ipOf(1))).toBe("sent");
    expect(keyOf(await other.askAsBrowser(phone(1), ipOf(1)))).toBe("sms_too_often");
    clock.at = at + 40 * 60_000;
    other.clock.at = clock.at;
    expect(await other.ask(phone(1), ipOf(1))).toBe("sent");
  });

  test("numbers of countries that are not on the list cost nothing", async () => {
    const at = newHour();
    const { ask } = guarded(velocity, { at, countries: ["+86", "+852"] });
    expect(await ask("+8613800000001", ipOf(1))).toBe("sent");
    expect(await ask("+85261234567", ipOf(1))).toBe("sent");
    expect(await ask("+882161234567", ipOf(1))).toMatchObject({
      key: "invalid_request",
      detail: { param: "phone" },
    });
    const day = new Date(at).toISOString().slice(0, 10);
    expect(await velocity.read({ what: "all", window: day })).toMatchObject({ sent: 2, completed: 0 });
    expect(await velocity.countries(at)).toEqual({ "+86": 1, "+852": 1 });
  });
});

describe("who is refused", () => {
  test("is in the log with the reason, and without the number", async () => {
    const at = newHour();
    const asking = async (options: object, number: string, ip: string) => {
      const { ask, logs } = guarded(velocity, { at, ...options });
      await ask(number, ip);
      return logs;
    };
    const line = (reason: string) => [{ event: "sms_refused", fields: { reason } }];
    expect(await asking({ limits: { ip_hour: 0 } }, phone(1), ipOf(1))).toEqual(line("ip"));
    expect(await asking({ limits: { network_hour: 0 } }, phone(1), ipOf(1))).toEqual(line("network"));
    expect(await asking({ limits: { prefix_hour: 0 } }, phone(1), ipOf(1))).toEqual(line("prefix"));
    const low = (budget: string) => [{ event: "sms_budget_low", fields: { budget } }, ...line(budget)];
    expect(await asking({ limits: { country_day: 0 } }, phone(1), ipOf(1))).toEqual(low("country"));
    expect(await asking({ perDayMax: 0 }, phone(1), ipOf(1))).toEqual(low("all"));
    expect(await asking({ countries: ["+1"] }, phone(1), ipOf(1))).toEqual(line("country"));
    expect(await asking({ limits: { ip_hour: 1 } }, phone(1), ipOf(1))).toEqual([]);
    await asking({}, phone(1), ipOf(2));
    await asking({}, phone(1), ipOf(2));
    await asking({}, phone(1), ipOf(2));
    expect(await asking({}, phone(1), ipOf(2))).toEqual(line("human"));
  });

  test("takes no room from others", async () => {
    const at = newHour();
    const day = new Date(at).toISOString().slice(0, 10);
    const { askAsBrowser } = guarded(velocity, { at, limits: { ...high, ip_hour: 2 } });
    for (let n = 0; n < 30; n++) await askAsBrowser(phone(n * 1e4), ipOf(7));
    await Promise.all(Array.from({ length: 30 }, (_, n) => askAsBrowser(phone(n * 1e4), ipOf(8))));
    expect(await velocity.read({ what: "all", window: day })).toMatchObject({ sent: 4, completed: 0 });
    expect(await velocity.countries(at)).toEqual({ "+86": 4 });
  });

  test("has given back what he was given, also where a write fails", async () => {
    const at = newHour();
    const day = new Date(at).toISOString().slice(0, 10);
    const failing = {
      ...velocity,
      take: async (count: VelocityCount) => {
        if (count.what === "countries") throw new Error("the database is away");
        return await velocity.take(count);
      },
    };
    const { ask } = guarded(failing, { at });
    await expect(ask(phone(1), ipOf(1))).rejects.toThrow("the database is away");
    expect(await velocity.read({ what: "all", window: day })).toMatchObject({ sent: 0, completed: 0 });
  });
});

describe("a proof of work", () => {
  test("is asked for from the fourth message of an address on", async () => {
    const { ask } = guarded(velocity, { at: newHour() });
    const outcomes: Outcome[] = [];
    for (let n = 0; n < 4; n++) outcomes.push(await ask(phone(n * 1e4), ipOf(1)));
    expect(outcomes.map(keyOf)).toEqual(["sent", "sent", "sent", "invalid_request"]);
    const [last] = outcomes.slice(-1);
    if (!last || typeof last === "string") throw new Error("it was sent");
    expect(JSON.parse(String(errorReply("standard", last.key, last.detail).body))).toEqual({
      error: {
        type: "invalid_request_error",
        code: 40000,
        message: expect.stringContaining("human"),
        human: { challenge: expect.stringMatching(/^[\w.-]{40,42}$/), bits: 4 },
      },
    });
  });

  /** A guard whose address 1 is warm, and a challenge for it. */
  async function warm() {
    const made = guarded(velocity, { at: newHour() });
    for (let n = 0; n < 3; n++) await made.ask(phone(n * 1e4), ipOf(1));
    const refused = await made.ask(phone(9e4), ipOf(1));
    if (typeof refused === "string" || !refused.detail.human) throw new Error("no proof was asked for");
    return { ...made, task: refused.detail.human };
  }

  /** An answer of the same challenge whose hash does not begin with four zero bits, as one in sixteen does by chance. */
  function wrongOf(answer: string): string {
    const others = [..."0123456789"].map((digit) => `${answer}${digit}`);
    const wrong = others.find((text) => (createHash("sha256").update(text).digest()[0] ?? 0) >= 16);
    if (wrong === undefined) throw new Error("every other number is an answer too");
    return wrong;
  }

  test("lets one message pass, and is used up by it", async () => {
    const { ask, task } = await warm();
    const answer = solve(task);
    expect(await ask(phone(5e4), ipOf(1), answer)).toBe("sent");
    expect(await ask(phone(6e4), ipOf(1), answer)).toMatchObject({ detail: { human: { bits: 4 } } });
  });

  test("that is used many times at one moment lets one message pass", async () => {
    const { ask, task } = await warm();
    const answer = solve(task);
    const outcomes = await Promise.all(
      Array.from({ length: 6 }, (_, n) => ask(phone(n * 1e4), ipOf(1), answer)),
    );
    expect(outcomes.map(keyOf).sort()).toEqual([...Array(5).fill("invalid_request"), "sent"]);
  });

  test("that is wrong, late or for another address is asked for anew", async () => {
    const { ask, clock, task } = await warm();
    const answer = solve(task);
    for (let n = 0; n < 3; n++) await ask(phone(n * 1e4), ipOf(2));
    const anew = { key: "invalid_request", detail: { human: { bits: 4 } } };
    expect(await ask(phone(5e4), ipOf(2), answer)).toMatchObject(anew);
    expect(await ask(phone(5e4), ipOf(1), wrongOf(answer))).toMatchObject(anew);
    expect(await ask(phone(5e4), ipOf(1), "anything")).toMatchObject(anew);
    clock.at += 120_000;
    expect(await ask(phone(5e4), ipOf(1), answer)).toMatchObject(anew);
    clock.at -= 60_000;
    expect(await ask(phone(5e4), ipOf(1), answer)).toBe("sent");
  });

  test("stays good where the message is refused for another reason", async () => {
    const { ask, task } = await warm();
    const answer = solve(task);
    const full = guarded(velocity, { at: noon + 86_400_000 * hours, perDayMax: 0 });
    expect(keyOf(await full.ask(phone(5e4), ipOf(1), answer))).toBe("sms_too_often");
    expect(await ask(phone(5e4), ipOf(1), answer)).toBe("sent");
  });
});

describe("pumping", () => {
  /** Has 49 messages sent to one block, so many of which are completed. */
  async function pumped(completed: number) {
    const made = guarded(velocity, { at: newHour(), limits: high });
    for (let n = 0; n < 49; n++) {
      expect(await made.ask(phone(n), ipOf(n))).toBe("sent");
      if (n < completed)
        await made.guard.completed({
          contact: { kind: "phone", text: phone(n) },
          name: phone(n),
          ip: ipOf(n),
        });
    }
    return made;
  }

  test("stops the block for an hour, and is told once", async () => {
    const { ask, clock, logs } = await pumped(9);
    expect(logs).toEqual([]);
    const [last] = await Promise.all([
      ask(phone(49), ipOf(49)),
      ask(phone(50), ipOf(50)),
      ask(phone(51), ipOf(51)),
    ]);
    expect(last).toBe("sent");
    expect(logs).toEqual([{ event: "sms_prefix_stopped", fields: { country: "+86", block: "+8613800" } }]);
    expect(await ask(phone(60), ipOf(60))).toMatchObject({
      key: "sms_too_often",
      detail: { wait_ms: 3_600_000 },
    });
    expect(await ask("+8613900000001", ipOf(60))).toBe("sent");
    clock.at += 3_599_999;
    expect(keyOf(await ask(phone(60), ipOf(60)))).toBe("sms_too_often");
    clock.at += 1;
    expect(await ask(phone(60), ipOf(60))).toBe("sent");
  });

  test("is not what a block does where one in five is completed", async () => {
    const { ask, logs } = await pumped(10);
    expect(await ask(phone(49), ipOf(49))).toBe("sent");
    expect(await ask(phone(50), ipOf(50))).toBe("sent");
    // 10 of 50 were 20 %, and 10 of 51 are less.
    expect(logs).toHaveLength(1);
  });

  test("that begins before midnight is stopped after it", async () => {
    const made = guarded(velocity, { at: newHour() + 11.5 * 3_600_000, limits: high });
    for (let n = 0; n < 50; n++) await made.ask(phone(n), ipOf(n));
    made.clock.at += 45 * 60_000;
    expect(await made.ask(phone(60), ipOf(60))).toMatchObject({ detail: { wait_ms: 15 * 60_000 } });
  });
});
