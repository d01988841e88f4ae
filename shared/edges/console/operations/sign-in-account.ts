/** What somebody who is signed in sees and says of themselves. */

import { GatewayError, invalidRequest } from "../../../base/errors.ts";
import { jsonReply } from "../../../base/http/message.ts";
import { readQuery } from "../../../base/http/query.ts";
import type { Organization } from "../../../books/accounts/account.ts";
import { formatPoints } from "../../../books/billing/points.ts";
import { rightsFor } from "../../../people/identity/roles.ts";
import type { Role } from "../../../people/identity/user.ts";
import type { ConsoleBody } from "../../openapi/route-types.ts";
import { readFields } from "../body.ts";
import { type ConsoleCall, callerOf } from "../call.ts";
import type { SignInDeps } from "./sign-in-deps.ts";
import { readLocale } from "./sign-in-locale.ts";
import { readUserName } from "./sign-in-name.ts";
import { userObject } from "./sign-in-reply.ts";
import { showSubscription } from "./subscription.ts";

type AccountDeps = Pick<SignInDeps, "users" | "accounts" | "meters" | "now">;

/** `GET /api/v1/account`: the user, their organizations, and the plan and wallet of the one that they work in. */
export async function showAccount(call: ConsoleCall, deps: AccountDeps) {
  readQuery(call.request.query, {});
  return await accountOf(call, deps);
}

/** The account as its user sees it. */
export async function accountOf(call: ConsoleCall, deps: AccountDeps) {
  const { user, organization, role, session } = callerOf(call);
  const { wallet, subscription } = organization;
  const [organizations, balance] = await Promise.all([
    session.sign_on === undefined
      ? organizationsOf(user.id, organization, deps)
      : [{ id: organization.id, name: organization.name, role }],
    wallet && deps.meters.balance(wallet.meter),
  ]);
  const { id, name, status, permissions } = organization;
  return jsonReply({
    user: userObject(user),
    organization: { id, name, status, keys_make_managers: permissions.includes("manage_keys") },
    organizations,
    role,
    rights: rightsFor(role),
    plan: subscription && showSubscription(subscription, deps.now()),
    wallet: balance === null ? null : { balance_points: formatPoints(balance) },
  });
}

/** `PATCH /api/v1/account`: the name and the language of the user. */
export async function changeAccount(call: ConsoleCall, deps: AccountDeps) {
  const caller = callerOf(call);
  const fields = readFields<keyof ConsoleBody<"change_account">>(call.request, ["name", "locale"]);
  const [name, locale] = [readUserName(fields), readLocale(fields)];
  if (name === undefined && locale === undefined)
    throw invalidRequest("The body must have `name` or `locale`.");
  const changes = { ...(name !== undefined && { name }), ...(locale !== undefined && { locale }) };
  const user = await deps.users.change(caller.user.id, changes);
  if (!user) throw new GatewayError("session_expired");
  return await accountOf({ ...call, caller: { ...caller, user } }, deps);
}

/** All organizations that a user is a member of, with the role in each. A session of a provider is told its own alone. */
async function organizationsOf(
  user: string,
  own: Organization,
  { users, accounts }: Pick<AccountDeps, "users" | "accounts">,
): Promise<{ id: string; name: string; role: Role }[]> {
  const memberships = (await users.read(user))?.memberships ?? [];
  const found = memberships.map(async ({ organization: id, role }) => {
    const organization = id === own.id ? own : await accounts.organization(id);
    return organization && { id, name: organization.name, role };
  });
  return (await Promise.all(found)).filter((each) => each !== undefined);
}
