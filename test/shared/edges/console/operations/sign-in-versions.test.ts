/** Signing up and in while the secret is rotated, and after a process has died: still one account a phone. */
import { describe, expect, test } from "vitest";
import type { Aws } from "#shared/base/platform/aws.ts";
import type { Organization } from "#shared/books/accounts/account.ts";
import { contactsOf, type KeptContact, openContact } from "#shared/people/identity/contact.ts";
import type { User } from "#shared/people/identity/user.ts";
import {
  bothSecrets,
  codeOf,
  firstSecret,
  keysFrom,
  newPhone,
  openPeople,
  secondSecret,
  usersOf,
  wrongCode,
} from "#test/support/people.ts";
import { useStores } from "#test/support/stores.ts";

const { db, accounts, meters } = useStores();

describe("versions of the secret", () => {
  test("while it is rotated, old and new processes make one account a phone", async () => {
    for (let round = 1; round <= 10; round++) {
      const phone = newPhone();
      const older = openPeople(db);
      const newer = openPeople(db, { secret: bothSecrets });
      // The code goes by the oldest version that both know.
      const code = await newer.codeFor(phone);
      older.clock.now = newer.clock.now;
      const body = { phone, code };
      const asked = [older, newer, older, newer].map((each) => each.ask("POST /api/v1/auth/sign-up", body));
      const codes = (await Promise.all(asked)).map(codeOf);
      expect(codes.filter((each) => each === 201)).toHaveLength(1);
      expect(await usersOf(db, phone)).toHaveLength(1);
    }
  });

  test("a user is found under every version, and moves to the current one when they sign in", async () => {
    const phone = newPhone();
    const { body: made } = await openPeople(db).signUp(phone);
    const read = async () => (await openPeople(db).deps.users.read(made.user.id))?.user as User;
    expect((await read()).phone_version).toBe(1);
    const during = openPeople(db, { secret: bothSecrets });
    during.clock.now += 3_600_000;
    expect((await during.signIn(phone)).body.user.id).toBe(made.user.id);
    expect((await read()).phone_version).toBe(2);
    // A process with an older copy finds the user too, and does not take the number back to the version before.
    const older = openPeople(db);
    older.clock.now += 7_200_000;
    expect((await older.signIn(phone)).body.user.id).toBe(made.user.id);
    expect((await read()).phone_version).toBe(2);
    const after = openPeople(db, { secret: secondSecret });
    after.clock.now += 10_800_000;
    expect((await after.signIn(phone)).body.user.id).toBe(made.user.id);
    expect(codeOf(await after.signUp(phone))).toBe(40001);
    const [kept] = contactsOf(await read());
    const opened = await openContact(made.user.id, kept as KeptContact, keysFrom(secondSecret));
    expect(opened).toEqual({ kind: "phone", text: phone });
    expect(await usersOf(db, phone)).toEqual([made.user.id]);
  });

  test("a user who signs up during the rotation is known to old processes, and after the drop", async () => {
    const phone = newPhone();
    const { body: made } = await openPeople(db, { secret: bothSecrets }).signUp(phone);
    const older = openPeople(db, { secret: firstSecret });
    older.clock.now += 3_600_000;
    expect(codeOf(await older.signUp(phone))).toBe(40001);
    const after = openPeople(db, { secret: secondSecret });
    after.clock.now += 7_200_000;
    expect((await after.signIn(phone)).body.user.id).toBe(made.user.id);
  });

  test("a code that was sent before the rotation is good after it, and guessed no more often", async () => {
    const [phone, older] = [newPhone(), openPeople(db)];
    const newer = openPeople(db, { secret: bothSecrets });
    const code = await older.codeFor(phone);
    newer.clock.now = older.clock.now;
    const wrong = { phone, code: wrongCode(code) };
    const asked = Array.from({ length: 20 }, (_, at) =>
      (at % 2 === 0 ? older : newer).ask("POST /api/v1/auth/sign-up", wrong),
    );
    const codes = (await Promise.all(asked)).map(codeOf);
    expect(codes.filter((each) => each === 40111)).toHaveLength(5);
    expect(codeOf(await newer.ask("POST /api/v1/auth/code", { phone }))).toBe(42910);
    const next = await newer.codeFor(phone);
    older.clock.now = newer.clock.now;
    expect(codeOf(await older.ask("POST /api/v1/auth/sign-up", { phone, code: next }))).toBe(201);
  });
});

test("a code that is sent after the drop is good on a process that still has both versions", async () => {
  const phone = newPhone();
  const stale = openPeople(db, { secret: bothSecrets });
  await stale.codeFor(phone);
  const after = openPeople(db, { secret: secondSecret });
  after.clock.now = stale.clock.now + 3_600_000;
  const code = await after.codeFor(phone);
  stale.clock.now = after.clock.now;
  expect(codeOf(await stale.ask("POST /api/v1/auth/sign-up", { phone, code }))).toBe(201);
});

test("within minutes of the drop a code of either version is good where both are known", async () => {
  const stale = openPeople(db, { secret: bothSecrets });
  const after = openPeople(db, { secret: secondSecret });
  for (const first of [stale, after]) {
    const second = first === stale ? after : stale;
    const phone = newPhone();
    const one = await first.codeFor(phone);
    second.clock.now = first.clock.now;
    const two = await second.codeFor(phone);
    stale.clock.now = after.clock.now = second.clock.now;
    const wrong = ["000000", "000001", "000002"].find((code) => code !== one && code !== two);
    const guess = async (code?: string) =>
      codeOf(await stale.ask("POST /api/v1/auth/sign-in", { phone, code }));
    for (const code of [one, two]) expect(await guess(code)).toBe(40113);
    const guesses = [];
    for (let time = 1; time <= 5; time++) guesses.push(await guess(wrong));
    // A right guess under one version counts as a wrong one under the other.
    expect(guesses).toEqual([40111, 40111, 40111, 40111, 40112]);
    for (const code of [one, two]) expect(await guess(code)).toBe(40112);
  }
});

describe("a crash in a sign-up", () => {
  test("after any write is finished by the next sign-in", async () => {
    const writes = new Set(["PutItem", "UpdateItem", "TransactWriteItems"]);
    const outcomes: number[] = [];
    for (let living = 0; ; living++) {
      const phone = newPhone();
      const before = openPeople(db);
      const code = await before.codeFor(phone);
      let done = 0;
      const dying: Aws = async (...call) => {
        if (done > living) throw new Error("the process has died");
        const answer = await db.aws(...call);
        if (writes.has(call[1])) done += 1;
        return answer;
      };
      const crashing = openPeople(db, { aws: dying });
      crashing.clock.now = before.clock.now;
      const crashed = await crashing.ask("POST /api/v1/auth/sign-up", { phone, code, name: "Crash" });
      outcomes.push(crashed.status);
      const after = openPeople(db);
      after.clock.now = before.clock.now;
      let entered = await after.signIn(phone);
      // Before the transaction there is no user: the phone is as free as it was.
      if (codeOf(entered) === 40113) entered = await after.signUp(phone, { name: "Crash" });
      const { user, organization } = entered.body;
      expect(await usersOf(db, phone)).toEqual([user.id]);
      await expectWhole(await accounts.organization(organization.id));
      if (crashed.status === 201) break;
    }
    // A guess, the transaction, two meters, the record and the fee: a process may die after each of them.
    expect(outcomes.length).toBeGreaterThanOrEqual(6);
  });

  /** An organization that is as a sign-up without a crash makes it. */
  async function expectWhole(organization: Organization | undefined): Promise<void> {
    expect(organization).toMatchObject({ name: "Crash", status: "active", permissions: [] });
    const { subscription, wallet } = organization ?? {};
    expect(await meters.readMeter(subscription?.meter ?? "", 0)).toBeDefined();
    expect(await meters.readMeter(wallet?.meter ?? "", 0)).toBeDefined();
    expect(subscription).toMatchObject({ plan: "free", period: "monthly", ends_at: null });
  }

  test("is finished to the same by a sign-in that stops in the middle while another one passes it", async () => {
    const phone = newPhone();
    const before = openPeople(db);
    const code = await before.codeFor(phone);
    let hasUser = false;
    const dying: Aws = async (...call) => {
      if (hasUser) throw new Error("the process has died");
      const answer = await db.aws(...call);
      hasUser = call[1] === "TransactWriteItems";
      return answer;
    };
    const crashing = openPeople(db, { aws: dying });
    crashing.clock.now = before.clock.now;
    expect((await crashing.ask("POST /api/v1/auth/sign-up", { phone, code })).status).toBe(500);

    const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const stopping: Aws = async (...call) => {
      const { TableName } = call[2] as { TableName?: string };
      if (call[1] === "PutItem" && TableName === db.tables.counters) {
        reached.resolve();
        await released.promise;
      }
      return await db.aws(...call);
    };
    const slow = openPeople(db, { aws: stopping });
    slow.clock.now = before.clock.now;
    const first = slow.signIn(phone);
    await reached.promise;
    const quick = openPeople(db);
    quick.clock.now = slow.clock.now;
    const second = await quick.signIn(phone);
    const made = await accounts.organization(second.body.organization.id);
    released.resolve();
    expect((await first).body.organization).toEqual(second.body.organization);
    expect(await accounts.organization(second.body.organization.id)).toEqual(made);
    expect(made?.created_at).toBe(crashing.clock.now);
  });
});
