/** The whole way of a company on `npm start`: its provider and its domain are set, and its people sign in by them. */
import { expect } from "vitest";
import { sandboxClient } from "#infra/local/sandbox/identity-provider.ts";
import { visitProvider } from "#test/support/sign-on.ts";
import { runHere } from "#test/support/streams.ts";
import type { Asking, Body } from "./asking.ts";

/** An owner sets all of it, and everybody comes in, until the operator opens the way back. */
export async function companySignsIn(
  { token, organization }: { token: string; organization: string },
  { ask, refused, send, gateway }: Asking,
): Promise<void> {
  const issuer = gateway.endpoints.identityProvider;
  await ask("changeSignOn", { token, body: { issuer, ...sandboxClient } });
  const { record } = await ask("claimDomain", { token, body: { domain: "acme.example" } });
  expect(await refused("checkDomain", { token, id: "acme.example" })).toBe(40910);
  const published = new URLSearchParams({ name: record.name, value: record.value });
  await fetch(`${issuer}/dns`, { method: "POST", body: published, redirect: "manual" });
  expect(await ask("checkDomain", { token, id: "acme.example" })).toMatchObject({ proved: true });

  const come = async (begun: Response, subject: string): Promise<Body> => {
    const cookie = /^[^;]+/.exec(begun.headers.get("set-cookie") ?? "")?.[0] ?? "";
    const body = await visitProvider(((await begun.json()) as Body).url, { subject });
    return await ask("finishSignOn", { headers: { cookie, "sec-fetch-site": "same-origin" }, body });
  };
  const email = { email: "ann@acme.example" };
  await ask("beginSignOn", { body: email });
  const ann = await come(await send("beginSignOn", { body: email }), email.email);
  expect(ann.organization).toMatchObject({ id: organization, role: "member" });
  expect((await ask("showAccount", { token: ann.access_token })).user.id).toBe(ann.user.id);

  await providerProvisions({ token, known: ann.user.id, organization }, { ask, gateway });

  await ask("beginLink", { token });
  const owner = await come(await send("beginLink", { token }), "owner@acme.example");
  const own = owner.access_token;
  expect(await ask("changeSignOn", { token: own, body: { required: true } })).toMatchObject({
    required: true,
  });
  expect(await refused("showAccount", { token })).toBe(40103);
  // The provider is lost: the operator lets the owner in by a code again.
  const { code } = await runHere([
    "org",
    "sign-on",
    organization,
    "--optional",
    "--local",
    "--ready-file",
    gateway.readyFile,
    "--json",
  ]);
  expect(code).toBe(0);
  await ask("showAccount", { token });
  const shown = await ask("showSignOn", { token });
  expect([shown.required, shown.domains.length]).toEqual([false, 1]);
  await ask("dropDomain", { token, id: "acme.example" });
  await ask("removeSignOn", { token });
}

/** The provider takes somebody over who has signed in, makes somebody else, and deactivates them. */
async function providerProvisions(
  { token, known, organization }: { token: string; known: string; organization: string },
  { ask, gateway }: Pick<Asking, "ask" | "gateway">,
): Promise<void> {
  expect(await ask("showProvisioning", { token })).toMatchObject({ enabled: false, people: 0 });
  const { base_url, token: secret } = await ask("makeProvisioningToken", { token });
  expect(base_url).toBe(`${gateway.console_url}/scim/v2`);
  const scim = async (route: string, body?: object): Promise<Body> => {
    const [method = "", path = ""] = route.split(" ");
    const headers = { authorization: `Bearer ${secret}`, "content-type": "application/scim+json" };
    const sent = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const answer = await fetch(`${base_url}${path}`, sent);
    expect([route, answer.ok, answer.headers.get("content-type")]).toEqual([
      route,
      true,
      "application/scim+json",
    ]);
    return (await answer.json()) as Body;
  };
  expect((await scim("POST /Users", { userName: "ann@acme.example" })).id).toBe(known);
  const bob = await scim("POST /Users", { userName: "bob@acme.example" });
  await scim("POST /Groups", { displayName: "staff", members: [{ value: bob.id }] });
  expect(await ask("releaseSignOn", { token, id: bob.id })).toMatchObject({ id: bob.id, deleted: true });
  const released = await runHere([
    ...["org", "sign-on", organization, "--release", bob.id],
    ...["--local", "--ready-file", gateway.readyFile, "--json"],
  ]);
  expect(released.code).toBe(0);
  const gone = await scim(`PATCH /Users/${bob.id}`, {
    Operations: [{ op: "replace", value: { active: false } }],
  });
  expect(gone).toMatchObject({ active: false, groups: [{ display: "staff" }] });
  expect(await ask("showProvisioning", { token })).toMatchObject({ enabled: true, people: 2, groups: 1 });
  const wrong = await fetch(`${base_url}/Users`, { headers: { authorization: `Bearer ${secret}x` } });
  expect(((await wrong.json()) as Body).schemas).toEqual(["urn:ietf:params:scim:api:messages:2.0:Error"]);
  const claim = { external_id_claim: "oid" };
  expect(await ask("changeProvisioning", { token, body: claim })).toMatchObject(claim);
  await ask("changeProvisioning", { token, body: { external_id_claim: null } });
  await ask("removeProvisioningToken", { token });
}
