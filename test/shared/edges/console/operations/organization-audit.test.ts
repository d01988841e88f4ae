/** The audit log: what it tells to whom, and that nobody changes it. */
import { describe, expect, test } from "vitest";
import { auditKey } from "#shared/edges/store/dynamodb/account-keys.ts";
import { getItem } from "#shared/edges/store/dynamodb/items.ts";
import { type AuditEntry, auditEntry, auditKinds, isBilling } from "#shared/people/identity/audit.ts";
import { codeOf, openMembers } from "#test/support/members.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();

/** An organization in whose log every kind stands `times` times, one after the other. */
async function told(times = 1) {
  const desk = openMembers(db);
  const acme = await desk.newOrganization();
  const ann = await desk.newMember(acme, "owner", "Ann");
  const entries: AuditEntry[] = [];
  for (let time = 0; time < times; time++)
    for (const kind of auditKinds) {
      desk.clock.now += 1000;
      const change = { kind, subject: "what", before: { role: "a" }, after: { role: "b" } };
      const entry = auditEntry({ user: ann.user, organization: acme }, change, "203.0.113.7", desk.clock.now);
      await desk.deps.auditLog.write(entry);
      entries.push(entry);
    }
  return { desk, acme, ann, entries: entries.reverse() };
}

describe("a reader", () => {
  test("sees the newest first, page by page", async () => {
    const { desk, acme, ann, entries } = await told();
    const first = await desk.ask([ann, acme], "GET /api/v1/audit-log?limit=3");
    expect(first.body.data[0]).toEqual({
      id: entries[0]?.id,
      object: "audit_entry",
      kind: auditKinds.at(-1),
      subject: "what",
      actor: { id: ann.user.id, name: "Ann" },
      credential: null,
      forwarded_for: null,
      ip: "203.0.113.7",
      before: { role: "a" },
      after: { role: "b" },
      created_at: new Date(desk.clock.now).toISOString(),
    });
    const found: string[] = first.body.data.map(({ id }: AuditEntry) => id);
    for (let page = first.body; page.has_more; ) {
      page = (await desk.ask([ann, acme], `GET /api/v1/audit-log?limit=3&after=${page.last_id}`)).body;
      found.push(...page.data.map(({ id }: AuditEntry) => id));
    }
    expect(found).toEqual(entries.map(({ id }) => id));
  });

  test("of finance sees the part about money, whole, and an admin sees all of it", async () => {
    const { desk, acme, entries } = await told(3);
    const [finance, admin] = [await desk.newMember(acme, "finance"), await desk.newMember(acme, "admin")];
    const kindsFor = async (person: typeof finance) => {
      const kinds: string[] = [];
      let after = "";
      for (;;) {
        const { body } = await desk.ask([person, acme], `GET /api/v1/audit-log?limit=5${after}`);
        kinds.push(...body.data.map(({ kind }: AuditEntry) => kind));
        if (!body.has_more) return kinds;
        after = `&after=${body.last_id}`;
      }
    };
    expect(await kindsFor(finance)).toEqual(entries.map(({ kind }) => kind).filter(isBilling));
    expect(await kindsFor(admin)).toEqual(entries.map(({ kind }) => kind));
  });

  test("who is a plain member sees nothing of it, and nobody that of another organization", async () => {
    const { desk, acme } = await told();
    const other = await desk.newOrganization();
    const [bob, eve] = [await desk.newMember(acme, "member"), await desk.newMember(other, "owner")];
    expect(codeOf(await desk.ask([bob, acme], "GET /api/v1/audit-log"))).toBe(40300);
    expect(codeOf(await desk.ask([eve, acme], "GET /api/v1/audit-log"))).toBe(40103);
    expect((await desk.ask([eve, other], "GET /api/v1/audit-log")).body.data).toEqual([]);
  });

  test.each(["limit=0", "limit=51", "after=x", "from=1"])("%s is 40000", async (query) => {
    const { desk, acme, ann } = await told();
    expect(codeOf(await desk.ask([ann, acme], `GET /api/v1/audit-log?${query}`))).toBe(40000);
  });
});

test("an entry that is there stays as it is", async () => {
  const { desk, acme, entries } = await told();
  const [entry] = entries as [AuditEntry];
  await desk.deps.auditLog.write({ ...entry, actor: "somebody else", kind: "member_left" });
  const item = await getItem(db.aws, db.tables.accounts, auditKey(acme.id, entry.id));
  expect(item).toMatchObject({ actor: { S: entry.actor }, kind: { S: entry.kind } });
});

test("a page for finance reads a bounded number of entries, and leads on", async () => {
  const desk = openMembers(db);
  const acme = await desk.newOrganization();
  const ann = await desk.newMember(acme, "owner");
  const line = async (kind: "key_created" | "order_credited") => {
    desk.clock.now += 1;
    const actor = { user: ann.user, organization: acme };
    await desk.deps.auditLog.write(auditEntry(actor, { kind, subject: "x" }, null, desk.clock.now));
  };
  await line("order_credited");
  for (let made = 0; made < 1100; made++) await line("key_created");
  const page = { limit: 10, billing: true };
  const first = await desk.deps.auditLog.entries(acme.id, page);
  expect([first.entries, first.more]).toEqual([[], true]);
  const second = await desk.deps.auditLog.entries(acme.id, { ...page, after: first.last ?? "" });
  expect(second.entries).toMatchObject([{ kind: "order_credited" }]);
  expect(second.more).toBe(false);
});
