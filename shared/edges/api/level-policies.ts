/** Policies of an organization's levels as the interface takes and shows them (books/accounts/policies.md). */

import { type Fields, invalidField } from "../../base/json/fields.ts";
import { type LevelPolicy, policyLevels, policyText } from "../../books/accounts/policy.ts";
import { merged } from "./key-request.ts";
import { readLevelId } from "./level-budgets.ts";
import { checkSize, policyInOrder, readPolicy } from "./policy-request.ts";

/** The change of one level's policy, which is not read yet: it is merged with what the level has. */
export interface PolicyWanted extends Pick<LevelPolicy, "level" | "id"> {
  policy: unknown;
}

/** The change that `level`, `id` and `policy` ask for. Throws `invalid_request`, which names the field. */
export function readPolicyWanted(fields: Fields): PolicyWanted {
  const level = policyLevels.find((each) => each === fields.level);
  if (!level) throw invalidField("level", `one of ${policyLevels.join(", ")}`);
  const id = readLevelId(fields, level);
  if (!("policy" in fields)) throw invalidField("policy", "an object of rules, or null for none");
  // A body that fits no level is told before the organization is looked at.
  readPolicy(fields.policy);
  return { level, id, policy: fields.policy };
}

function policyOfLevel(rows: readonly LevelPolicy[], { level, id }: Pick<LevelPolicy, "level" | "id">) {
  return rows.find((row) => row.level === level && row.id === id)?.policy;
}

/** The rows with the wanted change in one of them. Throws `invalid_request`, also where they would be too many. */
export function withPolicy(before: readonly LevelPolicy[], wanted: PolicyWanted): LevelPolicy[] {
  const { level, id } = wanted;
  const policy = readPolicy(merged(policyOfLevel(before, wanted), wanted.policy));
  const others = before.filter((row) => row.level !== level || row.id !== id);
  if (!policy) return others;
  const rows = [...others, { level, id, policy }];
  checkSize(rows);
  return policyLevels.flatMap((each) => rows.filter((row) => row.level === each));
}

/** Policies as the interface shows them. */
export function showLevelPolicies(rows: readonly LevelPolicy[]) {
  return rows.map(({ level, id, policy }) => ({
    object: "policy" as const,
    level,
    id: id === "" ? null : id,
    policy: policyInOrder(policy),
  }));
}

/** A level's policy before or after a change, for the audit log. */
export function policyFacts(rows: readonly LevelPolicy[], wanted: PolicyWanted) {
  return { level: wanted.level, policy: policyText(policyOfLevel(rows, wanted)) };
}
