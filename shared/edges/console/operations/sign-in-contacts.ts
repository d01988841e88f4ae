/** The second way in: another contact of an account, proved by a code (people/identity/README.md "A second contact"). */
import { GatewayError, invalidRequest } from "../../../base/errors.ts";
import {
  type ContactKind,
  contactKinds,
  contactName,
  contactsOf,
  kindOf,
  openContact,
  sealContact,
} from "../../../people/identity/contact.ts";
import { eachVersion } from "../../../people/identity/identity-keys.ts";
import type { ConsoleBody } from "../../openapi/route-types.ts";
import { readFields } from "../body.ts";
import { type ConsoleCall, callerOf } from "../call.ts";
import { requireOwn } from "./own-session.ts";
import { accountOf } from "./sign-in-account.ts";
import { proveContact, tellGuards, withRightCode } from "./sign-in-code.ts";
import type { SignInDeps } from "./sign-in-deps.ts";
import { registered } from "./sign-in-user.ts";

/** `POST /api/v1/account/contacts {phone | email, code}`. A user has one contact of each kind at most. */
export async function addContact(call: ConsoleCall, deps: SignInDeps) {
  const { user } = callerOf(call);
  requireOwn(call, deps);
  const fields = readFields<keyof ConsoleBody<"add_contact">>(call.request, [...contactKinds, "code"]);
  const proved = await proveContact(fields, call.request.ip, deps);
  const { contact, keys } = proved;
  const add = async () => {
    if (proved.owner && proved.owner.user.id !== user.id) throw registered(contact);
    const names = eachVersion(keys).map((each) => contactName(contact, each));
    const added = sealContact(contact, user.id, keys.current);
    const outcome = await deps.userContacts.addContact(
      { user: user.id, kind: contact.kind, added, names },
      proved.code,
      deps.now(),
    );
    if (outcome === "taken") throw registered(contact);
    if (outcome === "spent") throw new GatewayError("verification_expired");
    if (outcome === "contended") throw changed();
    if (outcome === "there")
      throw invalidRequest(`You have ${article(contact.kind)} already. Remove it first.`, "contact_there");
    return { ...user, ...added };
  };
  const changedUser = await withRightCode(proved, add, deps);
  await tellGuards(proved, deps);
  deps.log("info", "contact_added", { user: user.id, kind: contact.kind });
  return await answer(call, changedUser, deps);
}

/** `DELETE /api/v1/account/contacts/{kind}`. One contact stays. */
export async function removeContact(call: ConsoleCall, deps: SignInDeps) {
  const { user } = callerOf(call);
  requireOwn(call, deps);
  const kept = contactsOf(user).find(({ kind }) => kind === call.parameters.kind);
  if (!kept) throw new GatewayError("not_found", { message: "You have no such contact." });
  const contact = await openContact(user.id, kept, deps.keys);
  const names = eachVersion(await deps.keys()).map((each) => contactName(contact, each));
  const outcome = await deps.userContacts.removeContact(
    { user: user.id, kind: kept.kind, names },
    deps.now(),
  );
  if (outcome === "contended") throw changed();
  if (outcome === "last")
    throw new GatewayError("invalid_state", {
      message: "This is the only way to sign in. Add another one first.",
      reason: "last_contact",
    });
  deps.log("info", "contact_removed", { user: user.id, kind: kept.kind });
  const { shown, box, version } = kindOf[kept.kind].members;
  const { [shown]: _shown, [box]: _box, [version]: _version, ...left } = user;
  return await answer(call, left, deps);
}

async function answer(call: ConsoleCall, user: ReturnType<typeof callerOf>["user"], deps: SignInDeps) {
  return await accountOf({ ...call, caller: { ...callerOf(call), user } }, deps);
}

function article(kind: ContactKind): string {
  const { word } = kindOf[kind];
  return `${/^[aeiou]/.test(word) ? "an" : "a"} ${word}`;
}

function changed(): GatewayError {
  const message = "Something changed at this moment. Try again.";
  return new GatewayError("invalid_state", { message, reason: "changed" });
}
