/** The transactions of signing up and in on the real store, without the guesses that stand before them. */
import { describe, expect, test } from "vitest";
import { newId } from "#shared/base/platform/id.ts";
import { createCallers } from "#shared/edges/store/identity/callers.ts";
import { createCodes } from "#shared/edges/store/identity/codes.ts";
import { createSessions } from "#shared/edges/store/identity/sessions.ts";
import { createUsers } from "#shared/edges/store/identity/users.ts";
import type { SessionRecord } from "#shared/people/identity/session.ts";
import type { User } from "#shared/people/identity/user.ts";
import type { NewUser, RightCode } from "#shared/people/identity/users-port.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const users = createUsers(db.aws, db.tables);
const codes = createCodes(db.aws, db.tables);
const sessions = createSessions(db.aws, db.tables);
const at = Date.parse("2026-11-23T12:00:00Z");

let last = 0;

/** A code that is stored and good. */
async function rightCode(): Promise<RightCode> {
  last += 1;
  const [name, code] = [`name-${last}`, `code-${last}`];
  const record = { code, sent_at: at, ends_at: at + 300_000, tries: 0, day: "2026-11-23", sent: 1 };
  expect(await codes.send(name, record, undefined)).toBe(true);
  return { name, code };
}

function sessionOf(user: string, organization: string): SessionRecord {
  return {
    id: newId("session", at),
    user,
    generation: 1,
    refreshed_at: at,
    created_at: at,
    label: "",
    ip: "",
    ended_at: null,
    organization,
  };
}

function newcomer(names: string[]): NewUser & Required<Pick<NewUser, "own">> {
  const user: User = {
    id: newId("user", at),
    name: "",
    locale: "en",
    status: "active",
    phone_last_four: "0000",
    phone_box: "",
    phone_version: 1,
    organization: newId("organization", at),
    created_at: at,
  };
  const own = { user: user.id, organization: user.organization, role: "owner" as const, since: at };
  return { user, names, own, session: sessionOf(user.id, user.organization) };
}

describe("signing up", () => {
  test("of twenty sign-ups with one phone one is stored, whole, and of the others nothing", async () => {
    // Every one has a code of its own that is right, so that the claim of the phone alone decides.
    const wanted = await Promise.all(
      Array.from({ length: 20 }, async () => ({
        newcomer: newcomer(["phone-1", "phone-1-before"]),
        code: await rightCode(),
      })),
    );
    const outcomes = await Promise.all(
      wanted.map(async (each) => await users.signUp(each.newcomer, each.code, at)),
    );
    expect(outcomes.filter((outcome) => outcome === "done")).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === "taken")).toHaveLength(19);
    const winner = wanted[outcomes.indexOf("done")]?.newcomer;
    expect(await users.claims(["phone-1", "phone-1-before", "phone-x"])).toEqual([
      winner?.user.id,
      winner?.user.id,
      undefined,
    ]);
    for (const { newcomer: each, code } of wanted) {
      const isWinner = each === winner;
      const found = await users.read(each.user.id);
      expect(found).toEqual(isWinner ? { user: each.user, memberships: [each.own] } : undefined);
      expect(await sessions.read(each.user.id, each.session.id)).toEqual(isWinner ? each.session : undefined);
      // The code of whoever was too late is not spent.
      expect(await codes.guess(code.name, at)).toEqual(
        isWinner ? "over" : expect.objectContaining({ code: code.code }),
      );
    }
  });

  test("with a claim of either version there is no other user", async () => {
    expect(await users.signUp(newcomer(["phone-2"]), await rightCode(), at)).toBe("done");
    expect(await users.signUp(newcomer(["phone-2-next", "phone-2"]), await rightCode(), at)).toBe("taken");
    expect(await users.claims(["phone-2-next"])).toEqual([undefined]);
  });

  test("a code that is spent, replaced or over makes nothing", async () => {
    const code = await rightCode();
    expect(await users.signUp(newcomer(["phone-3"]), { ...code, code: "other" }, at)).toBe("spent");
    expect(await users.signUp(newcomer(["phone-3"]), code, at + 300_000)).toBe("spent");
    expect(await users.signUp(newcomer(["phone-3"]), code, at)).toBe("done");
    expect(await users.signUp(newcomer(["phone-4"]), code, at)).toBe("spent");
  });
});

describe("signing in", () => {
  test("claims the phone under the next version once, whoever comes first, and never another's", async () => {
    const { user } = newcomer([]);
    expect(await users.signUp({ ...newcomer(["phone-5"]), user }, await rightCode(), at)).toBe("done");
    const signIns = Array.from({ length: 5 }, async () => {
      const session = sessionOf(user.id, user.organization);
      return await users.signIn({ session, unclaimed: "phone-5-next" }, await rightCode(), at);
    });
    expect(await Promise.all(signIns)).toEqual(Array(5).fill("done"));
    expect(await users.claims(["phone-5-next"])).toEqual([user.id]);
    const stranger = sessionOf(newId("user", at), user.organization);
    await expect(
      users.signIn({ session: stranger, unclaimed: "phone-5-next" }, await rightCode(), at),
    ).rejects.toThrow("could not be stored");
  });
});

describe("a caller", () => {
  test("is read with whatever is there", async () => {
    const { user, own, session, ...rest } = newcomer(["phone-6"]);
    await users.signUp({ user, own, session, ...rest }, await rightCode(), at);
    const callers = createCallers(db.aws, db.tables);
    const claims = { user: user.id, session: session.id, organization: user.organization };
    expect(await callers.signedIn(claims)).toEqual({ user, membership: own, session });
    const strangers = { user: "usr_x", session: "ses_x", organization: "org_x" };
    expect(await callers.signedIn(strangers)).toEqual({});
  });
});
