/** How many invitations of an organization are open, and what their list costs. */
import { expect, test } from "vitest";
import type { Aws } from "#shared/base/platform/aws.ts";
import { newId } from "#shared/base/platform/id.ts";
import type { Organization } from "#shared/books/accounts/account.ts";
import { dayMs } from "#shared/books/billing/period.ts";
import { createInvitations } from "#shared/edges/store/identity/invitations.ts";
import { auditEntry } from "#shared/people/identity/audit.ts";
import { type Invitation, newToken } from "#shared/people/identity/invitation.ts";
import { codeOf, openMembers, type Person } from "#test/support/members.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();

async function opened() {
  const desk = openMembers(db);
  const acme = await desk.newOrganization();
  return { desk, acme, ann: await desk.newMember(acme, "owner", "Ann") };
}

/** Another invitation, as the console stores one. */
async function stored(desk: ReturnType<typeof openMembers>, at: Organization, { user }: Person) {
  const now = desk.clock.now;
  const invitation: Invitation = {
    ...{ id: newId("invitation", now), organization: at.id, role: "member", phone: null },
    ...{ token: newToken(), inviter: user.id, created_at: now, ends_at: now + dayMs },
    ...{ accepted_by: null, withdrawn_at: null },
  };
  const audited = { kind: "invitation_made", subject: invitation.id } as const;
  const entry = auditEntry({ user, organization: at }, audited, null, now);
  const holding = { organization: at.id, user: user.id, role: "owner" as const };
  expect(await desk.deps.invitations.create(invitation, holding, entry)).toBe("done");
  return invitation;
}

test("has at most fifty open invitations, also of sixty that are made at once", async () => {
  const { desk, acme, ann } = await opened();
  const make = () => desk.ask([ann, acme], "POST /api/v1/invitations", { role: "member" });
  const atOnce = await Promise.all(Array.from({ length: 60 }, make));
  expect(atOnce.filter(({ status }) => status === 201).length).toBeGreaterThan(0);
  const open = async () => await desk.deps.invitations.open(acme.id, desk.clock.now);
  while ((await open()).length < 50) expect((await make()).status).toBe(201);
  const refused = await make();
  expect([codeOf(refused), refused.body.error.message]).toEqual([
    40000,
    "There are 50 open invitations. Withdraw one first.",
  ]);
  const [first] = await open();
  await desk.ask([ann, acme], `DELETE /api/v1/invitations/${first?.id}`);
  expect((await make()).status).toBe(201);
  expect(await open()).toHaveLength(50);
  desk.clock.now += 7 * dayMs;
  expect(await open()).toEqual([]);
  const { id: fresh } = await stored(desk, acme, ann);
  expect((await open()).map(({ id }) => id)).toEqual([fresh]);
});

test("sees open ones by two requests, however many were withdrawn", async () => {
  const { desk, acme, ann } = await opened();
  const { id: kept } = await stored(desk, acme, ann);
  for (let time = 1; time <= 30; time++) {
    const { id } = await stored(desk, acme, ann);
    await desk.ask([ann, acme], `DELETE /api/v1/invitations/${id}`);
  }
  const reads: [action: string, items: number][] = [];
  const counting: Aws = async (...call) => {
    const answer = await db.aws(...call);
    const { Item, Responses = {} } = answer as { Item?: object; Responses?: Record<string, object[]> };
    reads.push([call[1], Item ? 1 : Object.values(Responses).flat().length]);
    return answer;
  };
  const open = await createInvitations(counting, db.tables).open(acme.id, desk.clock.now);
  expect(open.map(({ id }) => id)).toEqual([kept]);
  expect(reads).toEqual([
    ["GetItem", 1],
    ["BatchGetItem", 1],
  ]);
});
