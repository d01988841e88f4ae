/** Verification codes on the real store: how often they are sent and guessed, and that they tell nobody who is a user. */
import { describe, expect, test } from "vitest";
import { GatewayError } from "#shared/base/errors.ts";
import type { SendRequest } from "#shared/people/identity/sending.ts";
import { type Answer, newPhone, openPeople, wrongCode } from "#test/support/people.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();

/** `count` answers to requests of one moment. */
const atOnce = async (count: number, ask: () => Promise<Answer>): Promise<Answer[]> =>
  await Promise.all(Array.from({ length: count }, ask));

/** How many answers have each status and code. */
const tally = (answers: Answer[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { status, body } of answers) {
    const name = String(body?.error?.code ?? status);
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
};

describe("sending", () => {
  test("one of 50 requests of one moment is sent", async () => {
    const people = openPeople(db);
    const phone = newPhone();
    const answers = await atOnce(50, () => people.ask("POST /api/v1/auth/code", { phone }));
    expect(tally(answers)).toEqual({ 202: 1, 42910: 49 });
    expect(people.sent).toHaveLength(1);
    expect(answers.find(({ status }) => status === 202)?.body).toEqual({ expires_in: 300, resend_in: 60 });
  });

  test("at 59 seconds nothing is sent, at 60 the next code", async () => {
    const people = openPeople(db);
    const phone = newPhone();
    await people.codeFor(phone);
    people.clock.now += 59_000;
    const early = await people.ask("POST /api/v1/auth/code", { phone });
    expect([early.status, early.body.error.code, early.headers["retry-after"]]).toEqual([429, 42910, "1"]);
    people.clock.now += 1_000;
    expect((await people.ask("POST /api/v1/auth/code", { phone })).status).toBe(202);
    expect(people.sent).toHaveLength(2);
  });

  test("what the guard refuses leaves the phone as it was", async () => {
    const refusal = new GatewayError("sms_too_often", { wait_ms: 5_000 });
    const guard = { admit: () => Promise.reject(refusal), completed: async () => {} };
    const people = openPeople(db, { deps: { guard } });
    const phone = newPhone();
    expect((await people.ask("POST /api/v1/auth/code", { phone })).body.error.code).toBe(42910);
    expect((await openPeople(db).ask("POST /api/v1/auth/code", { phone })).status).toBe(202);
  });

  test("the guard sees the connection's address, whatever a header says", async () => {
    const seen: object[] = [];
    const guard = {
      async admit({ contact, ip, human }: SendRequest) {
        seen.push({ contact, ip, human });
        return { isSent: true, scarce_until: undefined };
      },
      completed: async () => {},
    };
    const people = openPeople(db, { deps: { guard } });
    const phone = newPhone();
    const headers = { "x-forwarded-for": "192.0.2.1", "x-real-ip": "192.0.2.1" };
    await people.ask("POST /api/v1/auth/code", { phone, human: "proof" }, { headers, ip: "198.51.100.9" });
    expect(seen).toEqual([{ contact: { kind: "phone", text: phone }, ip: "198.51.100.9", human: "proof" }]);
  });

  test("a message that the sender could not send can be asked for again after a minute, and its code is good", async () => {
    const codes: string[] = [];
    const sms = {
      async send(_phone: string, code: string) {
        codes.push(code);
        throw new GatewayError("internal");
      },
    };
    const people = openPeople(db, { deps: { senders: { phone: sms, email: null } } });
    const phone = newPhone();
    expect((await people.ask("POST /api/v1/auth/code", { phone })).status).toBe(500);
    expect((await people.ask("POST /api/v1/auth/code", { phone })).body.error.code).toBe(42910);
    const answer = await people.ask("POST /api/v1/auth/sign-up", { phone, code: codes[0] });
    expect(answer.status).toBe(201);
    people.clock.now += 60_000;
    expect((await people.ask("POST /api/v1/auth/code", { phone })).status).toBe(500);
    expect(codes).toHaveLength(2);
  });

  test("without a service that sends messages nobody gets a code, and the answer says so", async () => {
    const { ask } = openPeople(db, { deps: { senders: { phone: null, email: null } } });
    const { status, body } = await ask("POST /api/v1/auth/code", { phone: newPhone() });
    expect([status, body.error.message]).toEqual([500, "This stage has no service that sends messages."]);
  });

  test("the message is in the language of the request, else of the browser", async () => {
    const people = openPeople(db);
    const headers = { "accept-language": "zh-CN,zh;q=0.9" };
    await people.ask("POST /api/v1/auth/code", { phone: newPhone() }, { headers });
    await people.ask("POST /api/v1/auth/code", { phone: newPhone(), locale: "en" }, { headers });
    await people.ask("POST /api/v1/auth/code", { phone: newPhone() });
    expect(people.sent.map(({ locale }) => locale)).toEqual(["zh", "en", "en"]);
  });

  test.each([
    [{}, "`phone`"],
    [{ phone: "13800138000" }, "`phone`"],
    [{ phone: "+4915112345678" }, "+86"],
    [{ phone: "+861082345678" }, "mobile"],
    [{ phone: 86 }, "`phone`"],
    [{ phone: "+8613800138000", locale: "fr" }, "`locale`"],
    [{ phone: "+8613800138000", to: "x" }, "`to`"],
  ])("%j is refused and sends nothing", async (body, told) => {
    const people = openPeople(db);
    const { status, body: said } = await people.ask("POST /api/v1/auth/code", body);
    expect([status, said.error.code]).toEqual([400, 40000]);
    expect(said.error.message).toContain(told);
    expect(people.sent).toEqual([]);
  });
});

describe("guessing", () => {
  test("of 200 wrong guesses at once five are counted, and then the right code is over too", async () => {
    const people = openPeople(db);
    const phone = newPhone();
    const code = await people.codeFor(phone);
    const wrong = { phone, code: wrongCode(code) };
    const answers = await atOnce(200, () => people.ask("POST /api/v1/auth/sign-in", wrong));
    expect(tally(answers)).toEqual({ 40111: 5, 40112: 195 });
    expect(tally([await people.ask("POST /api/v1/auth/sign-in", { phone, code })])).toEqual({ 40112: 1 });
  });

  test("the right code four times at once signs in once", async () => {
    const people = openPeople(db);
    const phone = newPhone();
    await people.signUp(phone);
    const body = { phone, code: await people.codeFor(phone) };
    expect(tally(await atOnce(4, () => people.ask("POST /api/v1/auth/sign-in", body)))).toEqual({
      200: 1,
      40112: 3,
    });
    expect(people.completed).toEqual([phone, phone]);
  });

  test("a code is good for five minutes less a moment", async () => {
    const people = openPeople(db);
    const phone = newPhone();
    await people.signUp(phone);
    const first = await people.codeFor(phone);
    people.clock.now += 299_999;
    expect((await people.ask("POST /api/v1/auth/sign-in", { phone, code: first })).status).toBe(200);
    const second = await people.codeFor(phone);
    people.clock.now += 300_000;
    const late = await people.ask("POST /api/v1/auth/sign-in", { phone, code: second });
    expect([late.status, late.body.error.code]).toEqual([401, 40112]);
  });

  test("the next code takes the place of the one before, with five guesses of its own", async () => {
    const people = openPeople(db);
    const phone = newPhone();
    const first = await people.codeFor(phone);
    const wrong = { phone, code: wrongCode(first) };
    await atOnce(5, () => people.ask("POST /api/v1/auth/sign-up", wrong));
    const second = await people.codeFor(phone);
    if (first !== second)
      expect(tally([await people.ask("POST /api/v1/auth/sign-up", { phone, code: first })])).toEqual({
        40111: 1,
      });
    expect((await people.ask("POST /api/v1/auth/sign-up", { phone, code: second })).status).toBe(201);
  });

  test("another phone's code is wrong", async () => {
    const people = openPeople(db);
    const [one, other] = [newPhone(), newPhone()];
    const theirs = await people.codeFor(one);
    const own = await people.codeFor(other);
    if (theirs === own) return;
    const answer = await people.ask("POST /api/v1/auth/sign-up", { phone: other, code: theirs });
    expect(answer.body.error.code).toBe(40111);
  });

  test.each(["12345", "1234567", "12345a", "１２３４５６", 123456, ""])(
    "%j is no code, and no guess",
    async (code) => {
      const people = openPeople(db);
      const phone = newPhone();
      const right = await people.codeFor(phone);
      for (let guess = 1; guess <= 6; guess++)
        expect((await people.ask("POST /api/v1/auth/sign-up", { phone, code })).body.error.code).toBe(40000);
      expect((await people.ask("POST /api/v1/auth/sign-up", { phone, code: right })).status).toBe(201);
    },
  );

  test("codes are stored as HMACs, which need the secret", async () => {
    const people = openPeople(db);
    const phone = newPhone();
    const code = await people.codeFor(phone);
    const { Items = [] } = await db.aws("dynamodb", "Scan", { TableName: db.tables.accounts });
    const text = JSON.stringify(Items);
    expect(text).not.toContain(`"${code}"`);
    expect(text).not.toContain(phone.slice(1));
  });
});

describe("a stranger learns nothing about a phone without its code", () => {
  /** Every answer for a phone that is asked, without the ids of requests. */
  async function told(isKnown: boolean, samples: number): Promise<string[]> {
    const people = openPeople(db);
    const all: string[] = [];
    for (let sample = 0; sample < samples; sample++) {
      const phone = newPhone();
      if (isKnown) await people.signUp(phone);
      people.clock.now += 60_000;
      const answers = [await people.ask("POST /api/v1/auth/code", { phone })];
      const wrong = { phone, code: wrongCode(people.sent.at(-1)?.code ?? "") };
      answers.push(await people.ask("POST /api/v1/auth/sign-in", wrong));
      answers.push(await people.ask("POST /api/v1/auth/sign-up", wrong));
      answers.push(await people.ask("POST /api/v1/auth/code", { phone }));
      people.clock.now += 300_000;
      answers.push(await people.ask("POST /api/v1/auth/sign-in", wrong));
      all.push(
        JSON.stringify(answers.map(({ headers, ...rest }) => [rest, { ...headers, "x-request-id": "" }])),
      );
    }
    return all;
  }

  test("status, headers and bytes are equal for 200 phones that are known and 200 that are not", async () => {
    const [known, unknown] = [await told(true, 200), await told(false, 200)];
    expect(new Set([...known, ...unknown]).size).toBe(1);
    expect(known[0]).toContain("40111");
    expect(known[0]).toContain("40112");
  });

  test("the store is asked for the same, so the time is equal too", async () => {
    const askedFor = async (isKnown: boolean): Promise<string[]> => {
      const phone = newPhone();
      if (isKnown) await openPeople(db).signUp(phone);
      const actions: string[] = [];
      const aws: typeof db.aws = (...call) => {
        actions.push(call[1]);
        return db.aws(...call);
      };
      const people = openPeople(db, { aws });
      people.clock.now += 3_600_000;
      const wrong = { phone, code: wrongCode(await people.codeFor(phone)) };
      await people.ask("POST /api/v1/auth/sign-in", wrong);
      await people.ask("POST /api/v1/auth/sign-up", wrong);
      return actions;
    };
    const known = await askedFor(true);
    expect(known).toEqual(await askedFor(false));
    expect(known.length).toBeGreaterThan(4);
  });

  test("after a right code both routes tell, and the code stays good for the other one", async () => {
    const people = openPeople(db);
    const phone = newPhone();
    const code = await people.codeFor(phone);
    // More often than there are guesses: a right one that does not fit is given back.
    for (let time = 1; time <= 6; time++) {
      const unknown = await people.ask("POST /api/v1/auth/sign-in", { phone, code });
      expect([unknown.status, unknown.body.error.code]).toEqual([401, 40113]);
    }
    expect((await people.ask("POST /api/v1/auth/sign-up", { phone, code })).status).toBe(201);
    const next = await people.codeFor(phone);
    for (let time = 1; time <= 6; time++) {
      const known = await people.ask("POST /api/v1/auth/sign-up", { phone, code: next });
      expect([known.status, known.body.error.code]).toEqual([400, 40001]);
    }
    expect((await people.ask("POST /api/v1/auth/sign-in", { phone, code: next })).status).toBe(200);
  });
});
