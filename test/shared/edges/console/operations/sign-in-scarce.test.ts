/** Who gets a code where many were asked for: a phone that was sent many, and a stage whose messages are scarce. */
import { describe, expect, test } from "vitest";
import { GatewayError } from "#shared/base/errors.ts";
import type { SendRequest } from "#shared/people/identity/sending.ts";
import { newPhone, openPeople } from "#test/support/people.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();

test("a phone gets ten codes that nobody enters, and another one every three hours", async () => {
  const people = openPeople(db);
  const phone = newPhone();
  for (let sent = 1; sent <= 10; sent++) await people.codeFor(phone);
  people.clock.now = Date.parse("2026-11-23T14:59:00Z");
  const full = await people.ask("POST /api/v1/auth/code", { phone });
  expect([full.body.error.code, full.headers["retry-after"]]).toEqual([42910, "60"]);
  for (const hour of ["15:00", "18:00", "21:00"]) {
    people.clock.now = Date.parse(`2026-11-23T${hour}:00Z`);
    expect((await people.ask("POST /api/v1/auth/code", { phone })).status).toBe(202);
    people.clock.now += 60_000;
    expect((await people.ask("POST /api/v1/auth/code", { phone })).body.error.code).toBe(42910);
  }
  people.clock.now = Date.parse("2026-11-25T03:00:00Z");
  for (let sent = 1; sent <= 10; sent++) await people.codeFor(phone);
  expect((await people.ask("POST /api/v1/auth/code", { phone })).body.error.code).toBe(42910);
});

test("a code that is entered does not count for its phone", async () => {
  const people = openPeople(db);
  const phone = newPhone();
  await people.signUp(phone);
  for (let time = 1; time <= 12; time++) {
    const code = await people.codeFor(phone);
    expect((await people.ask("POST /api/v1/auth/sign-in", { phone, code })).status).toBe(200);
  }
});

describe("while only phones with an account get messages", () => {
  const scarce = (asked: boolean[] = []) => ({
    async admit({ hasAccount }: SendRequest) {
      const isSent = await hasAccount();
      asked.push(isSent);
      return { isSent, scarce_until: Date.parse("2026-11-23T13:00:00Z") };
    },
    completed: async () => {},
  });

  test("nobody sees by answer or time who has one", async () => {
    const [known, unknown] = [newPhone(), newPhone()];
    await openPeople(db).signUp(known);
    const waits: number[] = [];
    const asked: boolean[] = [];
    const pause = async (ms: number) => void waits.push(ms);
    const people = openPeople(db, { deps: { guard: scarce(asked), pause } });
    people.clock.now += 300_000;
    const answers = [];
    for (const phone of [known, unknown]) {
      answers.push(await people.ask("POST /api/v1/auth/code", { phone }));
      answers.push(await people.ask("POST /api/v1/auth/code", { phone }));
    }
    const told = answers.map(({ status, body }) => [status, body]);
    expect(told.slice(0, 2)).toEqual(told.slice(2));
    expect(told[0]).toEqual([202, { expires_in: 300, resend_in: 60, sign_up_in: 3_300 }]);
    expect(people.sent.map(({ phone }) => phone)).toEqual([known]);
    expect(asked).toEqual([true, false]);
    expect(waits).toEqual([5_000, 5_000]);
  });

  test("a message that cannot be sent is answered like one that is not", async () => {
    const phone = newPhone();
    await openPeople(db).signUp(phone);
    const sms = { send: () => Promise.reject(new GatewayError("internal")) };
    const people = openPeople(db, { deps: { guard: scarce(), senders: { phone: sms, email: null } } });
    people.clock.now += 300_000;
    expect((await people.ask("POST /api/v1/auth/code", { phone })).status).toBe(202);
  });
});
