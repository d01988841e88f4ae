/** The guard of mails with codes: the bounds of messages, with mailboxes for prefixes, and a day's budget of its own. */
import { describe, expect, test } from "vitest";
import { createVelocity } from "#shared/edges/store/identity/velocity.ts";
import { awsOverMemory } from "#test/support/aws-over.ts";
import { guarded, type Outcome } from "#test/support/guarded.ts";
import { createMemoryDynamoDb } from "#test/support/memory-dynamodb.ts";

const memory = createMemoryDynamoDb();
const velocity = createVelocity(awsOverMemory(memory), memory.tables);
const noon = Date.parse("2026-11-23T12:00:00.000Z");
let days = 0;
/** A day that no other test has. */
const newHour = () => noon + 86_400_000 * ++days;

const phone = (n: number) => `+86138${String(n).padStart(8, "0")}`;
const ipOf = (n: number) => `10.${n >> 8}.${n & 255}.1`;
const keyOf = (outcome: Outcome) => (typeof outcome === "string" ? outcome : outcome.key);
const high = { ip_hour: 1e6, network_hour: 1e6, prefix_hour: 1e6, country_day: 1e6 };

describe("mails", () => {
  const address = (n: number) => `ann+${n}@example.com`;

  test("to one mailbox have a bound together, however its address is written", async () => {
    const made = guarded(velocity, { at: newHour(), limits: { ...high, prefix_hour: 3 } });
    const { askAsBrowser: ask, logs } = made;
    const written = ["ann@example.com", "a.nn@example.com", "ann+1@example.com"];
    for (const [n, each] of written.entries()) expect(await ask(each, ipOf(n))).toBe("sent");
    for (const n of [1, 2, 3]) expect(keyOf(await ask(address(n), ipOf(90 + n)))).toBe("sms_too_often");
    expect(logs.at(-1)).toEqual({ event: "sms_refused", fields: { reason: "mailbox" } });
    expect(await ask("bob@example.com", ipOf(99))).toBe("sent");
  });

  test("and messages share the counts of an address, so a second kind gives it no more", async () => {
    const made = guarded(velocity, { at: newHour(), limits: { ...high, ip_hour: 4 } });
    const { askAsBrowser: ask } = made;
    const [mine] = [ipOf(7)];
    const outcomes = [];
    for (const each of [
      phone(1),
      "a@example.com",
      phone(20_000),
      "b@example.com",
      phone(40_000),
      "c@example.com",
    ])
      outcomes.push(keyOf(await ask(each, mine)));
    expect(outcomes.slice(0, 4)).toEqual(Array(4).fill("sent"));
    expect(outcomes.slice(4)).toEqual(["sms_too_often", "sms_too_often"]);
  });

  test("that nobody completes stop no domain, and use up no message", async () => {
    const { ask, guard, logs } = guarded(velocity, { at: newHour(), limits: high });
    for (let n = 0; n < 60; n++) expect(await ask(`p${n}@example.com`, ipOf(n))).toBe("sent");
    expect(await ask("q@example.com", ipOf(61))).toBe("sent");
    expect(logs).toEqual([]);
    await guard.completed({ contact: { kind: "email", text: "q@example.com" }, name: "q", ip: ipOf(61) });
  });

  test("have a day's budget of their own", async () => {
    const made = guarded(velocity, { at: newHour(), limits: high, perDayMax: 1 });
    expect(await made.ask("a@example.com", ipOf(1))).toBe("sent");
    expect(keyOf(await made.askAsBrowser("b@example.com", ipOf(2)))).toBe("sms_too_often");
    expect(made.logs.at(-1)?.fields).toMatchObject({ reason: "mails" });
    expect(await made.ask(phone(1), ipOf(3))).toBe("sent");
  });
});
