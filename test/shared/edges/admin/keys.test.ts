/** Keys by the operators' API: each act is felt by the key, told with who and why, and bound to the organization of the path. */
import { describe, expect, test } from "vitest";
import { newId } from "#shared/base/platform/id.ts";
import { openAdmin } from "#test/support/admin.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const body = { reason: "leaked, ticket 4711" };

async function opened() {
  const admin = openAdmin(db);
  const { desk } = admin;
  const acme = await desk.newOrganization();
  const owner = await desk.newMember(acme, "owner");
  const made = await desk.ask([owner, acme], "POST /api/v1/keys", { name: "program", billing_mode: "payg" });
  const key = String(made.body.id);
  const { token, id } = await admin.tokenOf(["support"], "sue@example.com", "Sue");
  const act = (what: string, of = acme.id, query = "") =>
    admin.ask(token, `POST /organizations/${of}/keys/${key}/${what}${query}`, { body });
  const status = async () => (await admin.deps.accounts.key(acme.id, key))?.status;
  const lines = async () => (await admin.deps.auditLog.entries(acme.id, { limit: 50 })).entries;
  return { ...admin, acme, owner, key, act, status, lines, tokenId: id };
}

test("a key is disabled, enabled and revoked, each with its line", async () => {
  const { act, status, lines, key, tokenId, desk } = await opened();
  for (const [what, after] of [
    ["disable", "disabled"],
    ["enable", "active"],
    ["revoke", "revoked"],
  ] as const) {
    desk.clock.now += 1_000;
    const { status: code, body: shown } = await act(what);
    expect([code, shown.id, shown.status, await status()]).toEqual([200, key, after, after]);
    const [line] = await lines();
    expect(line).toMatchObject({
      ...{
        kind: `key_${after === "active" ? "enabled" : after}`,
        subject: key,
        actor: "operator",
        actor_name: "Sue",
      },
      ...{ credential: tokenId, ip: null, after: { reason: body.reason } },
    });
  }
  expect((await lines()).filter(({ actor }) => actor === "operator")).toHaveLength(3);
  const again = await act("revoke");
  expect([again.status, again.body.status, (await lines()).length]).toEqual([200, "revoked", 4]);
  for (const what of ["disable", "enable"]) expect((await act(what)).body.error.code).toBe(40401);
});

test("a key that an operator has disabled is enabled by no owner", async () => {
  const { act, desk, owner, acme, key, status } = await opened();
  await act("disable");
  const { status: code } = await desk.ask([owner, acme], `POST /api/v1/keys/${key}/enable`);
  expect([code, await status()]).toEqual([403, "disabled"]);
  await act("enable");
  expect(await status()).toBe("active");
});

describe("nothing changes", () => {
  test("by a dry run, which says what would", async () => {
    const { act, status, lines } = await opened();
    const foresee = async (what: string) => (await act(what, undefined, "?dry_run=true")).body;
    expect(await foresee("disable")).toMatchObject({
      object: "dry_run",
      would: "disable",
      key: { status: "active" },
    });
    expect(await foresee("enable")).toMatchObject({ would: "nothing" });
    expect(await foresee("revoke")).toMatchObject({ would: "revoke" });
    expect([await status(), (await lines()).length]).toEqual(["active", 1]);
    await act("revoke");
    expect(await foresee("revoke")).toMatchObject({ would: "nothing" });
    expect((await foresee("disable")).error.code).toBe(40401);
  });

  test("of another organization's key, and of none", async () => {
    const { act, ask, tokenOf, desk, status, acme } = await opened();
    const other = await desk.newOrganization();
    for (const what of ["disable", "enable", "revoke"]) {
      expect((await act(what, other.id)).body.error.code).toBe(40401);
      const { token } = await tokenOf(["support"]);
      const none = await ask(token, `POST /organizations/${acme.id}/keys/${newId("key", 1)}/${what}`, {
        body,
      });
      expect(none.body.error.code).toBe(40401);
    }
    expect(await status()).toBe("active");
  });

  test("without a reason, with another field, or by a token of finance", async () => {
    const { ask, tokenOf, acme, key, status } = await opened();
    const { token } = await tokenOf(["support"]);
    const route = `POST /organizations/${acme.id}/keys/${key}/revoke`;
    for (const wrong of [
      {},
      { reason: "" },
      { ...body, status: "active" },
      { ...body, disabled_by: "maker" },
    ])
      expect((await ask(token, route, { body: wrong })).body.error.code).toBe(40000);
    const finance = await tokenOf(["finance", "ops"]);
    expect((await ask(finance.token, route, { body })).body.error.code).toBe(40300);
    expect(await status()).toBe("active");
  });
});
