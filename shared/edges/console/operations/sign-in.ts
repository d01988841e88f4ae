/** Signing up, in and out, and what belongs to the user alone. */
import type { AnswersTo } from "../../openapi/route-types.ts";
import type { signInRoutes } from "../routes/sign-in.ts";
import { changeAccount, showAccount } from "./sign-in-account.ts";
import { sendCode } from "./sign-in-code.ts";
import { addContact, removeContact } from "./sign-in-contacts.ts";
import type { SignInDeps } from "./sign-in-deps.ts";
import { endSession, listSessions, refreshSession, signOut } from "./sign-in-session.ts";
import { signIn, signUp } from "./sign-in-user.ts";

/** The operations of `edges/console/routes/sign-in.ts`. */
export function signInAnswers(deps: SignInDeps): AnswersTo<typeof signInRoutes> {
  return {
    send_code: (call) => sendCode(call, deps),
    sign_up: (call) => signUp(call, deps),
    sign_in: (call) => signIn(call, deps),
    refresh_session: (call) => refreshSession(call, deps),
    sign_out: (call) => signOut(call, deps),
    list_sessions: (call) => listSessions(call, deps),
    end_session: (call) => endSession(call, deps),
    show_account: (call) => showAccount(call, deps),
    change_account: (call) => changeAccount(call, deps),
    add_contact: (call) => addContact(call, deps),
    remove_contact: (call) => removeContact(call, deps),
  };
}
