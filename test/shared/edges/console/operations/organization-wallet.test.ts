/** When an organization is told that its wallet is low: who sets it, what it takes, and what the audit log says. */
import { expect, test } from "vitest";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { codeOf, openMembers } from "#test/support/members.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const path = "/api/v1/wallet-thresholds";

async function opened() {
  const desk = openMembers(db);
  const acme = await desk.newOrganization();
  const [ann, bob, fin, adam] = [
    await desk.newMember(acme, "owner"),
    await desk.newMember(acme, "member"),
    await desk.newMember(acme, "finance"),
    await desk.newMember(acme, "admin"),
  ];
  const set = async (body: object, by = ann) => await desk.ask([by, acme], `PUT ${path}`, body);
  const show = async (by = ann) => await desk.ask([by, acme], `GET ${path}`);
  const rows = async () => (await createAccounts(db.aws, db.tables).organization(acme.id))?.wallet_thresholds;
  return { desk, acme, ann, bob, fin, adam, set, show, rows };
}

test("an organization that has set nothing is told below three days", async () => {
  const { show, rows } = await opened();
  expect((await show()).body).toEqual({ object: "wallet_thresholds", below_points: null, below_days: 3 });
  expect(await rows()).toBeUndefined();
});

test("both are set at once, and each change is in the log", async () => {
  const { desk, acme, ann, set, show, rows } = await opened();
  const shown = { object: "wallet_thresholds", below_points: "50.5", below_days: 7 };
  expect((await set({ below_points: "50.50", below_days: 7 })).body).toEqual(shown);
  expect((await show()).body).toEqual(shown);
  expect(await rows()).toEqual([
    { measure: "points", below: "50.5" },
    { measure: "days", below: "7" },
  ]);
  desk.clock.now += 1_000;
  expect((await set({ below_points: null, below_days: null })).body).toMatchObject({
    ...{ below_points: null, below_days: null },
  });
  expect(await rows()).toEqual([]);
  const { entries } = await desk.deps.auditLog.entries(acme.id, { limit: 10 });
  const lines = entries.filter(({ kind }) => kind === "wallet_thresholds_changed").reverse();
  expect(lines.map(({ actor, subject, before, after }) => [actor, subject, before, after])).toEqual([
    [ann.user.id, acme.id, { below_points: null, below_days: 3 }, { below_points: "50.5", below_days: 7 }],
    [ann.user.id, acme.id, { below_points: "50.5", below_days: 7 }, { below_points: null, below_days: null }],
  ]);
});

test("who buys points sees and sets it, and nobody else", async () => {
  const { bob, adam, fin, set, show } = await opened();
  expect((await set({ below_points: null, below_days: 1 }, fin)).status).toBe(200);
  expect((await show(fin)).body).toMatchObject({ below_days: 1 });
  for (const who of [bob, adam]) {
    expect(codeOf(await show(who))).toBe(40300);
    expect(codeOf(await set({ below_points: null, below_days: 2 }, who))).toBe(40300);
  }
});

test.each([
  [{ below_days: 3 }, "below_points"],
  [{ below_points: 5, below_days: 3 }, "below_points"],
  [{ below_points: "0", below_days: 3 }, "below_points"],
  [{ below_points: "1e3", below_days: 3 }, "below_points"],
  [{ below_points: null }, "below_days"],
  [{ below_points: null, below_days: "3" }, "below_days"],
  [{ below_points: null, below_days: 0 }, "below_days"],
  [{ below_points: null, below_days: 1.5 }, "below_days"],
  [{ below_points: null, below_days: 91 }, "below_days"],
])("%j is refused, and names %s", async (body, param) => {
  const { set, rows } = await opened();
  const answer = await set(body);
  expect(answer.status).toBe(400);
  expect(answer.body.error).toMatchObject({ code: 40000, message: expect.stringContaining(`\`${param}\``) });
  expect(await rows()).toBeUndefined();
});
