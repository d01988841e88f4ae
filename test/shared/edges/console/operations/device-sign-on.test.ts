/** Programs that somebody approved whom an organization's own provider had signed in, and those that a code approved. */
import { describe, expect, test } from "vitest";
import { consoleLimits } from "#shared/base/console-limits.ts";
import { newId } from "#shared/base/platform/id.ts";
import { createConnections } from "#shared/edges/store/identity/connections.ts";
import { createSessions } from "#shared/edges/store/identity/sessions.ts";
import { createSignOns } from "#shared/edges/store/identity/sign-on.ts";
import { auditEntry } from "#shared/people/identity/audit.ts";
import type { Person } from "#test/support/members.ts";
import { openedPrograms } from "#test/support/programs.ts";
import { useStores } from "#test/support/stores.ts";

const stores = useStores();
const { db } = stores;

/** A desk with Ann, and with Ann again, whose session the organization's provider has begun. */
async function opened() {
  const made = await openedPrograms(stores);
  const { desk, acme, ann } = made;
  desk.clock.now += 1;
  const session = { ...ann.session, id: newId("session", desk.clock.now), created_at: desk.clock.now };
  const came = { sign_on: acme.id, connection_at: desk.clock.now };
  await createSignOns(db.aws, db.tables).enter({ session: { ...session, ...came }, entries: [] });
  const claims = { user: ann.user.id, session: session.id, organization: acme.id };
  const provided: Person = { ...ann, session, token: () => desk.tokenOf(claims) };
  return { ...made, provided };
}

/** The organization takes a provider, which is another one than before. */
async function takeProvider(organization: string, at: number): Promise<void> {
  const connection = {
    ...{ organization, issuer: "https://id.example.com", client_id: "gateway", scope: "openid" },
    ...{ secret_box: "", secret_version: 1, admits: "domain" as const, groups_claim: "groups" },
    ...{ rules: [], default_role: "member" as const, changed_at: at },
  };
  const actor = { user: { id: "usr_1", name: "Olga" }, organization: { id: organization } };
  const entry = auditEntry(actor, { kind: "sign_on_changed", subject: organization }, null, at);
  await createConnections(db.aws, db.tables).save(connection, undefined, entry, true);
}

const ended = { error: "invalid_grant" };

describe("a program that a provider's session approved", () => {
  test("is refreshed until the organization takes another provider, and ends then", async () => {
    const { desk, acme, provided, isGood } = await opened();
    const first = await desk.signIn([provided, acme]);
    const { body: second } = await desk.refresh(first.refresh_token);
    expect(await isGood(second.access_token)).toBe(true);
    await takeProvider(acme.id, desk.clock.now + 1);
    expect((await desk.refresh(second.refresh_token)).body).toMatchObject(ended);
    expect(await isGood(second.access_token)).toBe(false);
  });

  test("gets no key where the organization took another one after the approval", async () => {
    const { desk, acme, provided } = await opened();
    const { user_code, device_code } = await desk.start();
    await desk.approve([provided, acme], user_code);
    await takeProvider(acme.id, desk.clock.now + 1);
    expect((await desk.poll(device_code)).body).toMatchObject({ error: "access_denied" });
  });

  test("gets no key where that session has ended after the approval", async () => {
    const { desk, acme, provided } = await opened();
    const { user_code, device_code } = await desk.start();
    await desk.approve([provided, acme], user_code);
    await createSessions(db.aws, db.tables).end(provided.user.id, provided.session.id, desk.clock.now);
    expect((await desk.poll(device_code)).body).toMatchObject({ error: "access_denied" });
  });

  test("lasts a week, whoever refreshes it", async () => {
    const { desk, acme, provided } = await opened();
    const { refresh_token } = await desk.signIn([provided, acme]);
    desk.clock.now += consoleLimits.signOnProgramSeconds * 1000 - 10_000;
    const { status, body } = await desk.refresh(refresh_token);
    expect(status).toBe(200);
    desk.clock.now += 10_000;
    expect((await desk.refresh(body.refresh_token)).body).toMatchObject(ended);
  });
});

test("one that a code approved ends where the provider becomes the only way in, and the provider's go on", async () => {
  const { desk, acme, ann, provided, isGood } = await opened();
  const byCode = await desk.signIn([ann, acme]);
  const byProvider = await desk.signIn([provided, acme]);
  await desk.deps.members.changeOrganization({ organization: acme, sign_on: "required", entries: [] });
  expect((await desk.refresh(byCode.refresh_token)).body).toMatchObject(ended);
  expect(await isGood(byCode.access_token)).toBe(false);
  expect((await desk.refresh(byProvider.refresh_token)).status).toBe(200);
});
