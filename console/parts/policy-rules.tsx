/** The rules of a policy, a line for each. */
import type { Policy, PolicyRuleName } from "../../shared/books/accounts/policy.ts";
import { ruleNames, textsOf } from "../policy-form.ts";

interface PolicyRulesProps {
  words: { rules: Readonly<Record<PolicyRuleName, string>>; nothing: string };
  policy: { [Name in PolicyRuleName]?: Policy[Name] | undefined };
}

export function PolicyRules({ words, policy }: PolicyRulesProps) {
  const texts = textsOf(policy);
  return (
    <>
      {ruleNames
        .filter((name) => policy[name] !== undefined)
        .map((name) => (
          <p key={name}>
            <span class="faint">{words.rules[name]}</span>{" "}
            {texts[name] === "none" ? words.nothing : texts[name]}
          </p>
        ))}
    </>
  );
}
