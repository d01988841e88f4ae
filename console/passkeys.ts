/** What a browser does with passkeys. The library knows the forms of older browsers, and comes with the first use. */
import { api, begin } from "./session.ts";

/** Whether this browser has passkeys at all. */
export const hasPasskeys = "PublicKeyCredential" in window;

type Options<Name extends "startRegistration" | "startAuthentication"> = Parameters<
  typeof import("@simplewebauthn/browser")[Name]
>[0]["optionsJSON"];

/** Makes a passkey and adds it to the account. */
export async function addPasskey(name: string): Promise<void> {
  const { options } = await api.post<"begin_passkey">("/api/v1/account/passkeys/options", {});
  const { startRegistration } = await import("@simplewebauthn/browser");
  const credential = await startRegistration({ optionsJSON: options as Options<"startRegistration"> });
  await api.post<"add_passkey">("/api/v1/account/passkeys", { name, credential: { ...credential } });
}

/** Signs in. An invitation in the address stays there, and the page that joins it comes next. */
export async function signInByPasskey(): Promise<void> {
  const { options } = await api.post<"begin_passkey_sign_in">("/api/v1/auth/passkey/options", {});
  const { startAuthentication } = await import("@simplewebauthn/browser");
  const credential = await startAuthentication({ optionsJSON: options as Options<"startAuthentication"> });
  await begin(await api.post<"passkey_sign_in">("/api/v1/auth/passkey", { credential: { ...credential } }));
}
