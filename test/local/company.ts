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
