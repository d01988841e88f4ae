/** Policies of the organization's levels, as its members give and see them. */

import { policyFacts, readPolicyWanted, showLevelPolicies, withPolicy } from "../../api/level-policies.ts";
import type { ConsoleBody } from "../../openapi/route-types.ts";
import { readFields } from "../body.ts";
import { type ConsoleCall, callerOf } from "../call.ts";
import { changeRows, listReply, type RowsDeps } from "./organization-budgets.ts";
import { noMember } from "./organization-member-keys.ts";

/** `GET /api/v1/policies`. */
export function listPolicies(call: ConsoleCall) {
  return listReply(showLevelPolicies(callerOf(call).organization.policies ?? []));
}

/** `PATCH /api/v1/policies`: changes the rules of one level. The answer is the list as it is then. */
export async function changePolicy(call: ConsoleCall, deps: RowsDeps) {
  const wanted = readPolicyWanted(readFields<PolicyField>(call.request, ["level", "id", "policy"]));
  const { id } = callerOf(call).organization;
  // Only who is a member can be given one. It is taken away from anybody.
  const isGiven = wanted.level === "member" && wanted.policy !== null;
  if (isGiven && !(await deps.members.membership(id, wanted.id))) throw noMember();
  const { rows } = await changeRows(
    call,
    ({ policies: before = [] }) => {
      const after = withPolicy(before, wanted);
      const facts = { before: policyFacts(before, wanted), after: policyFacts(after, wanted) };
      const subject = wanted.id === "" ? id : wanted.id;
      return { rows: after, line: { kind: "policy_changed", subject, ...facts } };
    },
    (organization, policies, entry) =>
      deps.members.changeOrganization({ organization, policies, entries: [entry] }),
    deps,
  );
  return listReply(showLevelPolicies(rows));
}

type PolicyField = keyof ConsoleBody<"change_policy">;
