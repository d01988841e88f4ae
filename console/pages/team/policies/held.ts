/** Policies with who has them: a level of the organization, or a key. */
import type { ApiKey, LevelPolicy } from "../../../api-types.ts";
import type { policyOf } from "../../../policy-form.ts";
import { api } from "../../../session.ts";

export type PolicyHolder = LevelPolicy["level"] | "key";

export interface HeldPolicy extends Pick<LevelPolicy, "id" | "policy"> {
  level: PolicyHolder;
}

/** The policies of levels, and then those of keys that are in use. */
export function heldPolicies(levels: readonly LevelPolicy[], keys: readonly ApiKey[]): HeldPolicy[] {
  const ofKeys = keys.flatMap(({ id, policy }): HeldPolicy[] =>
    policy ? [{ level: "key", id, policy }] : [],
  );
  return [...levels, ...ofKeys];
}

/** Changes rules, or takes the policy away (null). */
export async function changePolicy(
  { level, id }: Pick<HeldPolicy, "level" | "id">,
  policy: ReturnType<typeof policyOf>,
): Promise<void> {
  if (level === "key") await api.patch<"change_key">(`/api/v1/keys/${id}`, { policy });
  else await api.patch<"change_policy">("/api/v1/policies", { level, policy, ...(id !== null && { id }) });
}
