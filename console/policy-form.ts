/** The rules of a policy: as a form has them, and as the API takes them. */
import type { Policy, PolicyRuleName, policyRules } from "../shared/books/accounts/policy.ts";

type Rules = typeof policyRules;

/** What each rule is, in the order of the form. */
const kinds = {
  models: "list",
  providers: "list",
  addresses: "list",
  max_output_tokens: "number",
  switches: "list",
  aliases: "list",
  fallbacks: "list",
} as const satisfies { [Name in PolicyRuleName]: Rules[Name]["kind"] };
export const ruleNames = Object.keys(kinds) as PolicyRuleName[];

/** What may be typed, for example. */
export const ruleExamples: Readonly<Record<PolicyRuleName, string>> = {
  models: "openai/*, claude-haiku-*",
  providers: "openai, azure-*",
  addresses: "203.0.113.0/24, 2001:db8::/32",
  max_output_tokens: "4096",
  switches: "service_tier:flex, tool:web_search",
  aliases: "claude-haiku-*=openai/gpt-5.4-mini",
  fallbacks: "anthropic/claude-sonnet-4-6",
};

/** The word for an empty list, which allows or names none. */
const none = "none";

/** What is typed of each rule. No text: the level has no such rule. */
export type PolicyTexts = Record<PolicyRuleName, string>;

/** The rules of a policy as they are typed; of a new one without `policy`. */
export function textsOf(policy: { [Name in PolicyRuleName]?: Policy[Name] | undefined } = {}): PolicyTexts {
  return Object.fromEntries(ruleNames.map((name) => [name, textOf(policy[name])])) as PolicyTexts;
}

function textOf(value: Policy[PolicyRuleName]): string {
  if (!Array.isArray(value)) return value === undefined ? "" : String(value);
  return value.length === 0 ? none : value.join(", ");
}

/** The rules that cannot be sent as they are. The gateway itself reads the lists. */
export function wrongRules(texts: PolicyTexts): Set<PolicyRuleName> {
  const isWrong = (name: PolicyRuleName) =>
    kinds[name] === "number" && texts[name].trim() !== "" && !/^[1-9]\d{1,7}$/.test(texts[name].trim());
  return new Set(ruleNames.filter(isWrong));
}

/** The rules as a change takes them: null takes one away. Null for all where nothing is typed. */
export function policyOf(texts: PolicyTexts) {
  const rules = ruleNames.map((name) => [name, sentOf(name, texts[name].trim())] as const);
  if (rules.every(([, value]) => value === null)) return null;
  return Object.fromEntries(rules) as { [Name in PolicyRuleName]?: NonNullable<Policy[Name]> | null };
}

function sentOf(name: PolicyRuleName, text: string): string[] | number | null {
  if (text === "") return null;
  if (kinds[name] === "number") return Number(text);
  if (text === none) return [];
  return text.split(/[\s,]+/).filter((each) => each !== "");
}
