/** Policies of the organization's levels in the console's document (edges/console/routes/organization.ts). */

import { limits } from "../../base/limits.ts";
import { policyBounds } from "../../books/accounts/bounds.ts";
import { policyLevels } from "../../books/accounts/policy.ts";
import type { ConsoleDescribed } from "./console-operation.ts";
import { maybe, whole } from "./console-schemas.ts";
import { nullable } from "./key-schemas.ts";
import { policyMembers, policySchema } from "./policy-schemas.ts";
import * as s from "./schema.ts";

export const policySchemas = {
  LevelPolicy: s.closed({
    object: s.just("policy"),
    level: s.oneOf(policyLevels),
    id: s.orNull(s.such(s.string, "The project's name, or the member's id. Null: the organization's.")),
    policy: policySchema,
  }),
};

const seconds = limits.keyCacheSeconds;

export const policyOperations = {
  list_policies: {
    tag: "Organization",
    summary: "List the policies of the organization, its projects and its members",
    reply: whole(s.ref("LevelPolicy")),
    errors: [],
  },
  change_policy: {
    tag: "Organization",
    summary: "Change what the calls of one level may do",
    description: `What the policy does not name stays, and a rule that is null is taken away. Calls go by it after ${seconds} seconds at the latest. An organization has at most ${policyBounds.levelPoliciesMax} policies.`,
    request: {
      schema: s.closed(
        {
          level: s.oneOf(policyLevels),
          policy: s.orNull(
            s.such(s.closed({}, nullable(policyMembers)), "The rules that change. Null: the level has none."),
          ),
        },
        {
          id: maybe(
            s.such(s.string, "The project's name, or the member's id. Absent at the level organization."),
          ),
        },
      ),
      example: { level: "project", id: "search", policy: { models: ["openai/*"], max_output_tokens: 4096 } },
    },
    reply: whole(s.ref("LevelPolicy")),
    errors: ["not_found", "invalid_state"],
  },
} satisfies Record<string, ConsoleDescribed>;
