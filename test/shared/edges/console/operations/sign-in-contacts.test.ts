/** A second contact: proved by a code, the same user by either, and one of them stays. */
import { describe, expect, test } from "vitest";
import { codeOf, newEmail, newPhone, openPeople, signedUp } from "#test/support/people.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const route = "POST /api/v1/account/contacts";

/** Somebody with a phone who has added an address. */
async function withBoth() {
  const someone = await signedUp(openPeople(db));
  const email = newEmail();
  const { people, token } = someone;
  const body = { email, code: await people.codeFor(email) };
  const added = await people.ask(route, body, { token });
  return { ...someone, email, added, body };
}

describe("adding a contact", () => {
  test("makes it another way in for the same user", async () => {
    const { people, phone, email, user, added } = await withBoth();
    expect([added.status, added.body.user]).toEqual([
      200,
      expect.objectContaining({ id: user, phone_last_four: phone.slice(-4), email_shown: "p…@example.com" }),
    ]);
    expect((await people.signIn(email)).body.user.id).toBe(user);
    expect((await people.signIn(phone)).body.user.id).toBe(user);
    expect(codeOf(await people.signUp(email))).toBe(40001);
  });

  test("needs its own code, which works once", async () => {
    const { people, token } = await signedUp(openPeople(db));
    const email = newEmail();
    expect(codeOf(await people.ask(route, { email, code: "000000" }, { token }))).toBe(40112);
    const code = await people.codeFor(email);
    const asked = Array.from({ length: 4 }, () => people.ask(route, { email, code }, { token }));
    const codes = (await Promise.all(asked)).map(codeOf);
    expect(codes.filter((each) => each === 200)).toHaveLength(1);
  });

  test("of another user is refused after the right code alone, and leaves theirs", async () => {
    const people = openPeople(db);
    const email = newEmail();
    const { body: theirs } = await people.signUp(email);
    const { token } = await signedUp(people);
    const code = await people.codeFor(email);
    expect(codeOf(await people.ask(route, { email, code }, { token }))).toBe(40001);
    expect((await people.ask("POST /api/v1/auth/sign-in", { email, code })).body.user.id).toBe(
      theirs.user.id,
    );
  });

  test("of a kind that the user has is refused, and the code stays good", async () => {
    const { people, token } = await signedUp(openPeople(db));
    const phone = newPhone();
    const code = await people.codeFor(phone);
    const { status, body } = await people.ask(route, { phone, code }, { token });
    expect([status, body.error.message]).toEqual([400, "You have a phone already. Remove it first."]);
    expect((await people.ask("POST /api/v1/auth/sign-up", { phone, code })).status).toBe(201);
  });

  test("takes a session of the last 15 minutes, as removing does", async () => {
    const { people, cookie } = await signedUp(openPeople(db));
    const email = newEmail();
    people.clock.now += 15 * 60_000;
    const code = await people.codeFor(email);
    const fresh = await people.ask("POST /api/v1/auth/refresh", undefined, { cookie });
    const token = fresh.body.access_token;
    const added = await people.ask(route, { email, code }, { token });
    expect([codeOf(added), added.body.error.reason]).toEqual([40300, "session_old"]);
    expect(codeOf(await people.ask("DELETE /api/v1/account/contacts/phone", undefined, { token }))).toBe(
      40300,
    );
  });
});

describe("removing a contact", () => {
  test("ends that way in at once, and frees it for others", async () => {
    const { people, phone, email, user, token } = await withBoth();
    const { status, body } = await people.ask("DELETE /api/v1/account/contacts/phone", undefined, { token });
    expect([status, body.user.phone_last_four, body.user.email_shown]).toEqual([200, null, "p…@example.com"]);
    expect(codeOf(await people.signIn(phone))).toBe(40113);
    const other = await people.signUp(phone);
    expect(other.status).toBe(201);
    expect(other.body.user.id).not.toBe(user);
    expect((await people.signIn(email)).body.user.id).toBe(user);
  });

  test("leaves one, also of two removals at one moment", async () => {
    const { people, token } = await withBoth();
    const removals = ["phone", "email"].map((kind) =>
      people.ask(`DELETE /api/v1/account/contacts/${kind}`, undefined, { token }),
    );
    const codes = (await Promise.all(removals)).map(codeOf);
    expect(codes.filter((each) => each === 200)).toHaveLength(1);
    const { body } = await people.ask("GET /api/v1/account", undefined, { token });
    expect([body.user.phone_last_four, body.user.email_shown].filter(Boolean)).toHaveLength(1);
    const last = body.user.email_shown ? "email" : "phone";
    const refused = await people.ask(`DELETE /api/v1/account/contacts/${last}`, undefined, { token });
    expect(refused.body.error.reason).toBe("last_contact");
  });

  test("that is not there is 40400", async () => {
    const { people, token } = await signedUp(openPeople(db));
    for (const kind of ["email", "pigeon", "__proto__"])
      expect(codeOf(await people.ask(`DELETE /api/v1/account/contacts/${kind}`, undefined, { token }))).toBe(
        40400,
      );
  });
});
