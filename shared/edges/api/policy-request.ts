/** A policy as a request gives it: its rules are read by their table (books/accounts/policy.ts). */

import { invalidRequest } from "../../base/errors.ts";
import { invalidField, isAbsent, isObject, optionalInteger } from "../../base/json/fields.ts";
import { policyBounds } from "../../books/accounts/bounds.ts";
import { type ListRule, type Policy, type PolicyRule, policyRows } from "../../books/accounts/policy.ts";

/** The policy that a request gives; undefined where it gives no rule. Throws `invalid_request` with the field's name. */
export function readPolicy(value: unknown): Policy | undefined {
  if (isAbsent(value)) return undefined;
  if (!isObject(value)) throw invalidField("policy", "an object");
  const rows = new Map<string, PolicyRule>(policyRows);
  const unknown = Object.keys(value).find((name) => !rows.has(name));
  if (unknown !== undefined) throw invalidField(`policy.${unknown}`, "absent");
  const given = [...rows].flatMap(([name, rule]) => {
    const own = readRule(value[name], `policy.${name}`, rule);
    return own === undefined ? [] : [[name, own] as const];
  });
  if (given.length === 0) return undefined;
  const policy = Object.fromEntries(given) as Policy;
  if (jsonBytes(policy) > policyBounds.policyBytesMax)
    throw invalidField("policy", `at most ${policyBounds.policyBytesMax} bytes as JSON`);
  return policy;
}

/** The bytes of a value's JSON. */
function jsonBytes(value: object): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function readRule(value: unknown, name: string, rule: PolicyRule): string[] | number | undefined {
  if (isAbsent(value)) return undefined;
  if (rule.kind === "number") return optionalInteger({ [name]: value }, name, rule.least, rule.most);
  return readTexts(value, name, rule);
}

function readTexts(value: unknown, name: string, rule: ListRule): string[] {
  const least = rule.mayBeEmpty ? 0 : 1;
  if (!Array.isArray(value) || value.length < least || value.length > policyBounds.textsMax)
    throw invalidField(
      name,
      `an array of ${least} to ${policyBounds.textsMax} texts; null takes the rule away`,
    );
  const texts = value.map((each, at) => {
    const text = typeof each === "string" ? rule.read(each) : undefined;
    if (text === undefined) throw invalidField(`${name}[${at}]`, rule.form);
    return text;
  });
  return [...new Set(texts)];
}

/** The policy with its rules in the order of their table: the store keeps no order. */
export function policyInOrder(policy: Policy): Policy {
  return Object.fromEntries(
    policyRows.flatMap(([name]) => (policy[name] === undefined ? [] : [[name, policy[name]]])),
  );
}

/** Throws `invalid_request` where the policies of an organization's levels would be larger than its record bears. */
export function checkSize(rows: readonly object[]): void {
  if (rows.length > policyBounds.levelPoliciesMax)
    throw invalidRequest(
      `The organization has ${policyBounds.levelPoliciesMax} policies. Take one away first.`,
    );
  if (jsonBytes(rows) > policyBounds.policiesBytesMax) {
    const most = `more than ${policyBounds.policiesBytesMax} bytes as JSON`;
    throw invalidRequest(
      `The policies of the organization would have ${most}. Take one away first, or use patterns.`,
    );
  }
}
