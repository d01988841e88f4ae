/** Signing up and in by e-mail: the same steps, bounds and silence as by phone, and one account an address. */
import { describe, expect, test } from "vitest";
import { contactName } from "#shared/people/identity/contact.ts";
import { keysOf } from "#shared/people/identity/identity-keys.ts";
import type { User } from "#shared/people/identity/user.ts";
import {
  bothSecrets,
  codeOf,
  firstSecret,
  newEmail,
  newPhone,
  openPeople,
  secondSecret,
  usersOf,
  wrongCode,
} from "#test/support/people.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();

describe("by e-mail", () => {
  test("somebody signs up with a code, is told their masked address, and signs in again", async () => {
    const people = openPeople(db);
    const email = newEmail();
    const made = await people.signUp(email, { name: "Ann", locale: "zh" });
    expect([made.status, made.body.user.phone_last_four, made.body.user.email_shown]).toEqual([
      201,
      null,
      "p…@example.com",
    ]);
    const again = await people.signIn(email);
    expect([again.status, again.body.user.id]).toEqual([200, made.body.user.id]);
    expect(people.completed).toEqual([email, email]);
    expect(people.sent).toEqual([]);
  });

  test("capitals and an international domain in any writing lead to one account, and a plus to another", async () => {
    const people = openPeople(db);
    const { body: made } = await people.signUp("Zoe@bücher.example");
    const same = await people.signIn(" ZOE@BÜCHER.example ");
    const ascii = await people.signIn("zoe@xn--bcher-kva.example");
    expect([same.body.user.id, ascii.body.user.id]).toEqual([made.user.id, made.user.id]);
    expect(codeOf(await people.signIn("zoe+1@bücher.example"))).toBe(40113);
    expect(codeOf(await people.signIn("zoe@xn--bcher-kva.example.com"))).toBe(40113);
  });

  test("nobody has an address without its code: another's code, or the code of a phone, is wrong", async () => {
    const people = openPeople(db);
    const [ann, bob, phone] = [newEmail(), newEmail(), newPhone()];
    await people.signUp(ann);
    const [mine, right] = [await people.codeFor(bob), await people.codeFor(ann)];
    const tried = [mine === right ? wrongCode(right) : mine, wrongCode(right)];
    for (const code of tried)
      expect(codeOf(await people.ask("POST /api/v1/auth/sign-in", { email: ann, code }))).toBe(40111);
    const texted = await people.codeFor(phone);
    expect(codeOf(await people.ask("POST /api/v1/auth/sign-in", { email: ann, code: texted }))).toBe(40111);
    expect(codeOf(await people.ask("POST /api/v1/auth/sign-up", { email: newEmail(), code: right }))).toBe(
      40112,
    );
  });

  test("a right code alone tells whether an address has an account, and stays good for the other route", async () => {
    const people = openPeople(db);
    const email = newEmail();
    const code = await people.codeFor(email);
    const first = await people.ask("POST /api/v1/auth/sign-in", { email, code });
    expect([codeOf(first), first.body.error.message]).toEqual([
      40113,
      "The e-mail address is not registered.",
    ]);
    expect((await people.ask("POST /api/v1/auth/sign-up", { email, code })).status).toBe(201);
    const next = await people.codeFor(email);
    const taken = await people.ask("POST /api/v1/auth/sign-up", { email, code: next });
    expect([codeOf(taken), taken.body.error.message]).toEqual([
      40001,
      "This e-mail address is registered already. Sign in with it; the code is good for that.",
    ]);
    expect((await people.ask("POST /api/v1/auth/sign-in", { email, code: next })).status).toBe(200);
  });

  test("status, headers and bytes are equal for addresses that are known and others", async () => {
    const people = openPeople(db);
    const known = Array.from({ length: 20 }, newEmail);
    for (const email of known) await people.signUp(email);
    people.clock.now += 60_000;
    const seen = new Set<string>();
    for (const email of [...known, ...Array.from({ length: 20 }, newEmail)])
      for (const [route, body] of [
        ["POST /api/v1/auth/code", { email }],
        ["POST /api/v1/auth/sign-in", { email, code: "000000" }],
      ] as const) {
        const { status, headers, body: answer } = await people.ask(route, body);
        if (status === 401 && answer.error.code !== 40111) throw new Error("a code was guessed");
        seen.add(`${route} ${status} ${JSON.stringify({ ...headers, "x-request-id": "" })}`);
      }
    expect([...seen]).toHaveLength(2);
  });

  test("of sign-ups at one moment one makes the account", async () => {
    const people = openPeople(db);
    const email = newEmail();
    const code = await people.codeFor(email);
    const asked = Array.from({ length: 4 }, () => people.ask("POST /api/v1/auth/sign-up", { email, code }));
    expect((await Promise.all(asked)).filter(({ status }) => status === 201)).toHaveLength(1);
    expect(await usersOf(db, email)).toHaveLength(1);
  });

  test("a user is found under every version of the secret, and moves when they sign in", async () => {
    const email = newEmail();
    const { body: made } = await openPeople(db).signUp(email);
    const read = async () => (await openPeople(db).deps.users.read(made.user.id))?.user as User;
    expect((await read()).email_version).toBe(1);
    const during = openPeople(db, { secret: bothSecrets });
    during.clock.now += 3_600_000;
    expect((await during.signIn(email)).body.user.id).toBe(made.user.id);
    expect((await read()).email_version).toBe(2);
    const after = openPeople(db, { secret: secondSecret });
    after.clock.now += 7_200_000;
    expect((await after.signIn(email)).body.user.id).toBe(made.user.id);
    expect(await usersOf(db, email)).toEqual([made.user.id]);
  });

  test("nothing that is stored has the address", async () => {
    const email = `secret.person.${Date.now()}@example.com`;
    await openPeople(db).signUp(email);
    const { Items = [] } = await db.aws("dynamodb", "Scan", { TableName: db.tables.accounts });
    expect(JSON.stringify(Items)).not.toContain("secret.person");
    const name = contactName({ kind: "email", text: email }, keysOf(firstSecret).current);
    expect(JSON.stringify(Items)).toContain(`P#${name}`);
  });
});

describe("a request", () => {
  test.each([
    [{}, "`phone` must be a non-empty string."],
    [{ email: "ann@example.com", phone: "+8613800138000" }, "`email` must be absent where there is `phone`."],
    [
      { email: "ann@example.com\r\nBcc: bob@example.com" },
      "`email` must be an e-mail address, such as ann@example.com.",
    ],
  ])("of %j sends nothing", async (body, message) => {
    const people = openPeople(db);
    const answer = await people.ask("POST /api/v1/auth/code", body);
    expect([answer.status, codeOf(answer), answer.body.error.message]).toEqual([400, 40000, message]);
    expect([people.sent, people.mails]).toEqual([[], []]);
  });

  test("by e-mail is refused where the stage sends none, whatever is asked for", async () => {
    const people = openPeople(db, { deps: { contacts: { kinds: ["phone"], countries: ["+86"] } } });
    for (const route of ["code", "sign-in", "sign-up"]) {
      const answer = await people.ask(`POST /api/v1/auth/${route}`, { email: "a@b.example", code: "123456" });
      expect(answer.status).toBe(400);
    }
    const { body } = await people.ask("POST /api/v1/auth/code", { email: "a@b.example" });
    expect(body.error.message).toBe("`email` must be absent: this console takes `phone`.");
  });
});
