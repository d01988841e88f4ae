/** A claim of the provider that is the `externalId` of SCIM, for providers that call no address verified. */
import { describe, expect, test } from "vitest";
import { openProvider } from "#test/support/scim.ts";
import { codeOf, newBrowser, newDomain, openSignOn, refusalOf, useSignOn } from "#test/support/sign-on.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const desk = useSignOn(db);

describe("a claim that an owner has named", () => {
  test("finds the person of the external id, without a verified address, and no address finds one then", async () => {
    const play: Parameters<typeof openSignOn>[1] = {};
    const own = await openSignOn(db, play);
    const domain = newDomain();
    const { browser } = await own.company(domain, { admits: "everybody" });
    const provider = await openProvider(own, browser);
    const [ann, bob] = [
      await provider.add(`ann@${domain}`, { externalId: "e-1" }),
      await provider.add(`bob@${domain}`, { externalId: "e-2" }),
    ];
    await provider.add(`twin1@${domain}`, { externalId: "e-3" });
    await provider.add(`twin2@${domain}`, { externalId: "e-3" });
    const set = await own.ask(browser, "PATCH /api/v1/provisioning", { external_id_claim: "oid" });
    expect(set.body).toMatchObject({ external_id_claim: "oid", people: 4 });
    const come = async (subject: string, oid: unknown) => {
      play.idToken = (claims, sign) => sign({ ...claims, oid });
      return await own.signOn(newBrowser(), { subject: `${subject}@${domain}`, verified: false });
    };
    expect((await come("somebody", "e-1")).body.user.id).toBe(ann);
    expect((await come("somebody", "e-1")).body.user.id).toBe(ann);
    // A person is found once, a shared id finds nobody, and neither does another claim or an address.
    for (const [subject, oid] of [
      ["another", "e-1"],
      ["third", "e-3"],
      ["fourth", undefined],
      ["fifth", ["e-2"]],
      ["sixth", "E-2"],
    ] as const)
      expect(refusalOf(await come(subject, oid))).toEqual([40300, "sign_on_not_provisioned"]);
    play.idToken = (claims, sign) => sign(claims);
    const verified = await own.signOn(newBrowser(), { subject: `bob@${domain}` });
    expect(refusalOf(verified)).toEqual([40300, "sign_on_not_provisioned"]);
    await own.ask(browser, "PATCH /api/v1/provisioning", { external_id_claim: null });
    expect((await own.signOn(newBrowser(), { subject: `bob@${domain}` })).body.user.id).toBe(bob);
    await own.provider.stop();
  });

  test.each([{}, { external_id_claim: "" }, { external_id_claim: 1 }, { external_id_claim: "a b" }])(
    "is refused as %j",
    async (body) => {
      const { browser } = await desk.company(newDomain());
      expect(codeOf(await desk.ask(browser, "PATCH /api/v1/provisioning", body))).toBe(40000);
    },
  );
});
