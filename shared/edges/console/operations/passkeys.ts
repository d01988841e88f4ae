/** Passkeys, as the console's routes show them (people/passkeys/README.md). */
import type { AnswersTo } from "../../openapi/route-types.ts";
import type { passkeyRoutes } from "../routes/passkeys.ts";
import type { PasskeyDeps } from "./passkeys-deps.ts";

/** The operations of `edges/console/routes/passkeys.ts`, loaded with the first request for one. */
export function passkeyAnswers(deps: PasskeyDeps): AnswersTo<typeof passkeyRoutes> {
  const own = () => import("./passkeys-own.ts");
  const signIn = () => import("./passkeys-sign-in.ts");
  return {
    begin_passkey_sign_in: async (call) => await (await signIn()).beginPasskeySignIn(call, deps),
    passkey_sign_in: async (call) => await (await signIn()).passkeySignIn(call, deps),
    list_passkeys: async (call) => await (await own()).listPasskeys(call, deps),
    begin_passkey: async (call) => await (await own()).beginPasskey(call, deps),
    add_passkey: async (call) => await (await own()).addPasskey(call, deps),
    remove_passkey: async (call) => await (await own()).removePasskey(call, deps),
  };
}
