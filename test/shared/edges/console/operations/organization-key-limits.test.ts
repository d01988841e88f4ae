/** How many keys a member and an organization may have in use: what they are told, and what makes room again. */
import { expect, test } from "vitest";
import { consoleLimits } from "#shared/base/console-limits.ts";
import { createAuditedKeys } from "#shared/edges/store/identity/audited-keys.ts";
import type { AuditedKeys } from "#shared/people/identity/audited-keys.ts";
import { contended } from "#test/support/contended.ts";
import { codeOf, openMembers } from "#test/support/members.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const wanted = { name: "program", billing_mode: "payg" };
const { keysOfMemberMax, keysOfOrganizationMax } = consoleLimits;

test("a member has so many at most, also of many that are made at once, and others are not held up by that", async () => {
  const desk = openMembers(db);
  const acme = await desk.newOrganization();
  const [bob, eve] = [await desk.newMember(acme, "member"), await desk.newMember(acme, "member")];
  const make = async (more: object = {}) =>
    await desk.ask([bob, acme], "POST /api/v1/keys", { ...wanted, ...more });
  const own = async () => (await desk.ask([bob, acme], "GET /api/v1/keys?limit=100")).body.data;
  for (let made = 1; made <= keysOfMemberMax - 10; made++) expect((await make()).status).toBe(200);
  const atOnce = await Promise.all(Array.from({ length: 30 }, () => make()));
  expect(atOnce.filter(({ status }) => status === 200)).toHaveLength(10);
  const refused = atOnce.find(({ status }) => status !== 200);
  expect(refused?.body.error).toMatchObject({
    code: 40000,
    message: `You have ${keysOfMemberMax} keys that are in use. Revoke one first.`,
    reason: "keys_full",
  });
  expect(await own()).toHaveLength(keysOfMemberMax);
  expect((await desk.ask([eve, acme], "POST /api/v1/keys", wanted)).status).toBe(200);
  const [first] = await own();
  await desk.ask([bob, acme], `DELETE /api/v1/keys/${first.id}`);
  const expires_at = new Date(desk.clock.now + 60_000).toISOString();
  expect((await make({ expires_at })).status).toBe(200);
  expect(codeOf(await make())).toBe(40000);
  desk.clock.now += 60_000;
  expect((await make()).status).toBe(200);
  expect(codeOf(await make())).toBe(40000);
  const { entries } = await desk.deps.auditLog.entries(acme.id, { limit: 1000 });
  // What was refused has left no line: so many keys were made by Bob, and one by Eve.
  expect(entries.filter(({ kind }) => kind === "key_created")).toHaveLength(keysOfMemberMax + 2 + 1);
});

test.each([
  [
    "organization",
    40000,
    `The organization has ${keysOfOrganizationMax} keys that are in use. Revoke one first.`,
  ],
  ["busy", 42901, "Too many keys are being made at this moment."],
] as const)("%s: %i", async (refusal, code, message) => {
  const auditedKeys: AuditedKeys = { ...createAuditedKeys(db.aws, db.tables), create: async () => refusal };
  const desk = openMembers(db, { auditedKeys });
  const acme = await desk.newOrganization();
  const ann = await desk.newMember(acme, "owner");
  const { body } = await desk.ask([ann, acme], "POST /api/v1/keys", wanted);
  expect(body.error).toMatchObject({ code, message });
});

test("a key whose counts others write at the same moment is 42901, and no error of ours", async () => {
  const auditedKeys = createAuditedKeys(contended(db.aws), db.tables);
  const desk = openMembers(db, { auditedKeys });
  const acme = await desk.newOrganization();
  const ann = await desk.newMember(acme, "owner");
  const refused = await desk.ask([ann, acme], "POST /api/v1/keys", wanted);
  expect([refused.status, codeOf(refused)]).toEqual([429, 42901]);
  expect(desk.lines.filter(({ level }) => level === "error")).toEqual([]);
});
