/** A passkey on `npm start`: added, used to sign in, and removed. */
import { expect } from "vitest";
import { newAuthenticator } from "#test/support/authenticator.ts";
import type { Asking, Body } from "./asking.ts";

/** Somebody signs in by a passkey of their own. */
export async function signInByPasskey(token: string, { ask, send, gateway }: Asking): Promise<void> {
  const authenticator = newAuthenticator(new URL(gateway.console_url).origin);
  const { user } = await ask("showAccount", { token });
  const same = { "sec-fetch-site": "same-origin" };
  /** What a route has begun, and the cookie that ends it. */
  const begin = async (name: string, asked: { token?: string }) => {
    const begun = await send(name, { ...asked, headers: same });
    const cookie = /^[^;]+/.exec(begun.headers.get("set-cookie") ?? "")?.[0] ?? "";
    return { options: ((await begun.json()) as Body).options, headers: { ...same, cookie } };
  };
  await ask("beginPasskey", { token, headers: same });
  const adding = await begin("beginPasskey", { token });
  const body = { name: "Laptop", credential: authenticator.make(adding.options) };
  const { id } = await ask("addPasskey", { token, body, headers: adding.headers });
  await ask("beginPasskeySignIn", { headers: same });
  const { options, headers } = await begin("beginPasskeySignIn", {});
  const signedIn = await ask("passkeySignIn", {
    headers,
    body: { credential: authenticator.sign(options) },
  });
  expect(signedIn.user.id).toBe(user.id);
  expect((await ask("listPasskeys", { token: signedIn.access_token })).data).toMatchObject([{ id }]);
  await ask("removePasskey", { token: signedIn.access_token, id });
}
