/** The schema of a policy, by the table of its rules (books/accounts/policy.ts). */

import { policyBounds } from "../../books/accounts/bounds.ts";
import {
  type Policy,
  type PolicyRule,
  type PolicyRuleName,
  policyRows,
} from "../../books/accounts/policy.ts";
import * as s from "./schema.ts";

function schemaOf(rule: PolicyRule): s.Schema {
  if (rule.kind === "number") return s.such(s.integer, { minimum: rule.least, maximum: rule.most });
  const { pattern, mayBeEmpty } = rule;
  const items = s.such(s.string, { pattern });
  return s.list(items, { minItems: mayBeEmpty ? 0 : 1, maxItems: policyBounds.textsMax });
}

/** The members of a policy. */
export const policyMembers = Object.fromEntries(
  policyRows.map(([name, rule]) => [
    name,
    s.such(schemaOf(rule), { description: `${capital(rule.what)}.`, examples: [rule.example] }),
  ]),
) as { [Name in PolicyRuleName]: s.Schema<NonNullable<Policy[Name]>> };

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export const policySchema = s.closed({}, policyMembers);
