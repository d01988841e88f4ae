/** Asking for codes with the real guard: what a browser is told, and what a stranger cannot pretend. */
import { expect, test } from "vitest";
import { createVelocity } from "#shared/edges/store/identity/velocity.ts";
import { easyBits, guarded } from "#test/support/guarded.ts";
import { openPeople } from "#test/support/people.ts";
import { useStores } from "#test/support/stores.ts";
import { solve } from "../../../../../console/human-worker.ts";

const { db } = useStores();
const velocity = createVelocity(db.aws, db.tables);

let networks = 0;
/** People whose requests pass the guard, from an address that no other test has. */
function guardedPeople(limits: object) {
  const { guard, clock } = guarded(velocity, { at: Date.parse("2026-11-23T12:00:00Z"), limits });
  const people = openPeople(db, { deps: { guard } });
  const ip = `198.51.${++networks}.1`;
  let last = networks * 1_000;
  /** Asks for a code for a number of another prefix each time. */
  const askForCode = (more: object = {}, headers: Record<string, string> = {}) => {
    const phone = `+86139${String(++last).padStart(4, "0")}0000`;
    return people.ask("POST /api/v1/auth/code", { phone, ...more }, { ip, headers });
  };
  return { ...people, askForCode, guardClock: clock, ip };
}

test("the address is the connection's, whatever the headers say", async () => {
  const people = guardedPeople({ ip_hour: 2 });
  const pretending = (n: number) => ({
    "x-forwarded-for": `203.0.113.${n}`,
    forwarded: `for=203.0.113.${n}`,
    "x-real-ip": `203.0.113.${n}`,
    "cf-connecting-ip": `203.0.113.${n}`,
    "true-client-ip": `203.0.113.${n}`,
  });
  const statuses: number[] = [];
  for (let n = 1; n <= 6; n++) {
    const first = await people.askForCode({}, pretending(n));
    const human = first.body?.error?.human;
    const answer = human ? await people.askForCode({ human: solve(human) }, pretending(n)) : first;
    statuses.push(answer.status);
  }
  expect(statuses).toEqual([202, 202, 429, 429, 429, 429]);
  expect(people.sent).toHaveLength(2);
});

test("a browser that solves the challenge gets its code, and one that does not is asked again", async () => {
  const people = guardedPeople({});
  for (let n = 0; n < 3; n++) expect((await people.askForCode()).status).toBe(202);
  const asked = await people.askForCode();
  expect([asked.status, asked.body.error.code, asked.body.error.human.bits]).toEqual([400, 40000, easyBits]);
  const human = solve(asked.body.error.human);
  expect((await people.askForCode({ human })).status).toBe(202);
  expect((await people.askForCode({ human })).body.error).toMatchObject({
    code: 40000,
    human: { bits: easyBits },
  });
  expect(people.sent).toHaveLength(4);
});

test("a code that is entered counts as completed", async () => {
  const people = guardedPeople({});
  const phone = "+8613712345678";
  await people.ask("POST /api/v1/auth/code", { phone }, { ip: people.ip });
  const block = { what: "block:+8613712", window: "2026-11-23T12" };
  expect(await velocity.read(block)).toMatchObject({ sent: 1, completed: 0 });
  const code = people.sent.at(-1)?.code;
  const { status } = await people.ask("POST /api/v1/auth/sign-up", { phone, code });
  expect(status).toBe(201);
  expect(await velocity.read(block)).toMatchObject({ sent: 1, completed: 1 });
});
