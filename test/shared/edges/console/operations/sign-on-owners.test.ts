/** Nobody becomes an owner by a provider: no address and no external id finds one, also not one made so meanwhile. */
import { describe, expect, test } from "vitest";
import type { ProviderPlay } from "#infra/local/sandbox/identity-provider.ts";
import type { Directories } from "#shared/people/scim/directory.ts";
import type { SignOns } from "#shared/people/sign-on/entering.ts";
import { openProvisioned } from "#test/support/scim.ts";
import { giveAddress, newBrowser, refusalOf, useSignOn } from "#test/support/sign-on.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const play: ProviderPlay = {};
const desk = useSignOn(db, play);
type Made = Awaited<ReturnType<typeof openProvisioned>>;

async function signOnAs(sub: string, subject: string, more: object = {}) {
  play.idToken = (claims, sign) => sign({ ...claims, sub, ...more });
  try {
    return await desk.signOn(newBrowser(), { subject });
  } finally {
    delete play.idToken;
  }
}

async function promote({ browser }: Made, id: string): Promise<void> {
  expect((await desk.ask(browser, `PATCH /api/v1/members/${id}`, { role: "owner" })).status).toBe(200);
}

/** Somebody whom SCIM has made, who has signed in, and whose sign-in an owner has released. */
async function released(made: Made): Promise<string> {
  const id = await made.provider.add(made.at("bob"));
  expect((await signOnAs("subject 1", made.at("bob"))).status).toBe(200);
  expect((await desk.ask(made.browser, `DELETE /api/v1/members/${id}/sign-on`)).status).toBe(200);
  return id;
}

/** The owner joins their own account to the one at the provider. */
async function join({ browser, at }: Made) {
  const begun = await desk.ask(browser, "POST /api/v1/auth/sign-on/link");
  return await desk.finish(browser, await desk.visit(begun.body.url, { subject: at("boss") }));
}

const refused = [40300, "sign_on_owner"];

describe("an owner is not found", () => {
  test("by the address by which SCIM has taken them over as a member", async () => {
    const made = await openProvisioned(desk);
    const ann = await desk.desk.newMember(made.organization, "member", "Ann");
    await giveAddress(db, ann.user.id, made.at("ann"));
    expect(await made.provider.add(made.at("ann"))).toBe(ann.user.id);
    await promote(made, ann.user.id);
    expect(refusalOf(await signOnAs("subject 1", made.at("ann")))).toEqual(refused);
  });

  test("after their sign-in was released while they were none", async () => {
    const made = await openProvisioned(desk);
    await promote(made, await released(made));
    for (const subject of ["subject 1", "subject 2"])
      expect(refusalOf(await signOnAs(subject, made.at("bob")))).toEqual(refused);
  });

  test("where SCIM has named them while the organization had no connection", async () => {
    const made = await openProvisioned(desk);
    expect((await join(made)).status).toBe(200);
    expect((await desk.ask(made.browser, "DELETE /api/v1/sign-on")).status).toBe(200);
    expect(await made.provider.add(made.at("boss"))).toBe(made.owner.user.id);
    expect((await desk.connect(made.browser)).status).toBe(200);
    expect(refusalOf(await signOnAs("subject 2", made.at("boss")))).toEqual(refused);
    // By themselves they come in: signed in their own way, they join the two.
    expect((await join(made)).body.user.id).toBe(made.owner.user.id);
  });

  test("by an external id", async () => {
    const made = await openProvisioned(desk);
    const set = await desk.ask(made.browser, "PATCH /api/v1/provisioning", { external_id_claim: "oid" });
    expect(set.status).toBe(200);
    const id = await made.provider.add(made.at("bob"), { externalId: "e1" });
    await promote(made, id);
    expect(refusalOf(await signOnAs("subject 1", made.at("bob"), { oid: "e1" }))).toEqual(refused);
  });
});

describe("a member who becomes an owner meanwhile is not found", () => {
  test("by a sign-in that has read them as a member", async () => {
    const made = await openProvisioned(desk);
    const id = await released(made);
    const { signOns } = desk.deps;
    const enter: SignOns["enter"] = async (entrance) => {
      desk.deps.signOns = signOns;
      await promote(made, id);
      return await signOns.enter(entrance);
    };
    desk.deps.signOns = { ...signOns, enter };
    expect(refusalOf(await signOnAs("subject 2", made.at("bob")))).toEqual(refused);
  });

  test("after a release that has read them as a member", async () => {
    const made = await openProvisioned(desk);
    const id = await made.provider.add(made.at("bob"));
    const { directories } = desk.deps;
    const release: Directories["release"] = async (...args) => {
      desk.deps.directories = directories;
      await promote(made, id);
      return await directories.release(...args);
    };
    desk.deps.directories = { ...directories, release };
    await desk.ask(made.browser, `DELETE /api/v1/members/${id}/sign-on`);
    expect(refusalOf(await signOnAs("subject 2", made.at("bob")))).toEqual(refused);
  });
});
