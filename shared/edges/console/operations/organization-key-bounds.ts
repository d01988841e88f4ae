/** What binds the calls of a key beside its own limits: budgets and policies of the levels that it belongs to. */

import { jsonReply } from "../../../base/http/message.ts";
import type { Accounts } from "../../../books/accounts/account.ts";
import { idsOfKey } from "../../../books/accounts/level-names.ts";
import { budgetsOf } from "../../../books/meters/levels.ts";
import { theirKey } from "../../api/key-changes.ts";
import { rightsOfMember } from "../../api/key-rights.ts";
import { type BudgetReading, showLevelBudgets } from "../../api/level-budgets.ts";
import { showLevelPolicies } from "../../api/level-policies.ts";
import type { MemberRequest } from "./organization-keys.ts";

export interface KeyBoundsDeps extends BudgetReading {
  accounts: Pick<Accounts, "key">;
}

/**
 * `GET /api/v1/keys/{id}/bounds`. Who manages a key may know what a refusal of its calls tells anyway. The use is that of the
 * meter that pays for them.
 */
export async function showKeyBounds({ caller, id }: MemberRequest & { id: string }, deps: KeyBoundsDeps) {
  const { organization } = caller;
  const key = await theirKey(id, rightsOfMember(caller), deps.accounts);
  const { wallet, subscription, policies = [] } = organization;
  const isPaid = key.mode === "payg";
  const paying = { wallet: isPaid ? wallet : null, subscription: isPaid ? null : subscription };
  return jsonReply({
    object: "key_bounds",
    budgets: await showLevelBudgets(paying, budgetsOf(organization, key), undefined, deps),
    policies: showLevelPolicies(policies.filter((row) => idsOfKey[row.level](key) === row.id)),
  });
}
