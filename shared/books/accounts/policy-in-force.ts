/** The policies that bound a caller, and what they refuse (policies.md "How a call is checked"). */

import { GatewayError } from "../../base/errors.ts";
import type { Principal } from "./account.ts";
import { addressBytes, isInRange, rangeOf } from "./address-range.ts";
import { changersOf, idsOfKey, whoseOf } from "./level-names.ts";
import { normalName, patternOf } from "./pattern.ts";
import { type LevelRules, type Policy, type PolicyRuleName, policyHolders } from "./policy.ts";

type Bounded = Pick<Principal, "key" | "organization" | "rules">;

const none: readonly LevelRules[] = [];

/** Whether a caller's key has a policy, or its organization has any. */
export function hasPolicy({ key, organization }: Bounded): boolean {
  return key.policy !== undefined || organization.policies !== undefined;
}

/** The rules that bound a caller, the nearest level first. Empty for most, at the cost of two comparisons. */
export function rulesOf(principal: Bounded): readonly LevelRules[] {
  return hasPolicy(principal) ? (principal.rules ?? compiled(principal)) : none;
}

/** The rules of a caller, compiled from both records. */
export function compiled({ key, organization: { policies = [] } }: Bounded): readonly LevelRules[] {
  const all = [
    ...(key.policy ? [rulesIn("key", key.policy)] : []),
    ...policies.flatMap(({ level, id, policy }) =>
      idsOfKey[level](key) === id ? [rulesIn(level, policy)] : [],
    ),
  ];
  return policyHolders.flatMap((level) => all.filter((each) => each.level === level));
}

function rulesIn(level: LevelRules["level"], policy: Policy): LevelRules {
  const { models, providers, addresses, switches, aliases } = policy;
  return {
    level,
    policy,
    ...(models && { allowsModel: anyOf(models.map((each) => patternOf(normalName(each)))) }),
    ...(providers && { allowsProvider: anyOf(providers.map(patternOf)) }),
    ...(addresses && { allowsAddress: anyOf(addresses.map(inRange)) }),
    ...(switches && { allowsSwitch: anyOf(switches.map(patternOf)) }),
    ...(aliases && { aliases: aliases.map(aliasIn) }),
  };
}

function anyOf<Value>(tests: readonly ((value: Value) => boolean)[]): (value: Value) => boolean {
  return (value) => tests.some((test) => test(value));
}

/** A range that this release cannot read has no address. */
function inRange(text: string): (address: readonly number[]) => boolean {
  const range = rangeOf(text);
  return (address) => range !== undefined && isInRange(range, address);
}

function aliasIn(text: string): { fits: (name: string) => boolean; model: string } {
  const at = text.lastIndexOf("=");
  return { fits: patternOf(normalName(text.slice(0, at))), model: text.slice(at + 1) };
}

/** The refusal by a level's rule. `what` says what it forbids, as it follows "The key's policy"; who can change it follows. */
export function refusedBy(
  { level }: Pick<LevelRules, "level">,
  rule: PolicyRuleName,
  what: string,
  param?: string,
): GatewayError {
  const message = `${whoseOf[level]} policy ${what} (\`${rule}\`). ${changersOf[level]} can change it.`;
  return new GatewayError("permission_denied", param === undefined ? { message } : { message, param });
}

/**
 * Throws `permission_denied` where a level's policy does not let the caller call from this address. Where the front does
 * not know the client's address, no range has it.
 */
export function checkAddress(principal: Bounded, address: string | undefined): void {
  for (const rules of rulesOf(principal)) {
    if (!rules.allowsAddress) continue;
    const bytes = address === undefined ? undefined : addressBytes(address);
    if (bytes && rules.allowsAddress(bytes)) continue;
    const from = bytes ? `, and ${address} is none of them` : ", and this gateway does not know this one";
    throw refusedBy(rules, "addresses", `allows calls from some addresses alone${from}`);
  }
}

/** What a model's name stands for at the nearest level that has a fitting alias, and that level. */
export function aliasOf(
  names: readonly string[],
  principal: Bounded,
): { name: string; model: string; level: LevelRules["level"] } | undefined {
  for (const { aliases = [], level } of rulesOf(principal)) {
    for (const { fits, model } of aliases) {
      const name = names.find((each) => fits(normalName(each)));
      if (name !== undefined) return { name, model, level };
    }
  }
  return undefined;
}

/** The least of the most output tokens that levels allow, and the level that does. */
export function outputBoundOf(
  principal: Bounded,
): { tokens: number; by: Pick<LevelRules, "level"> } | undefined {
  let least: { tokens: number; by: LevelRules } | undefined;
  for (const by of rulesOf(principal)) {
    const tokens = by.policy.max_output_tokens;
    if (tokens !== undefined && tokens < (least?.tokens ?? Number.POSITIVE_INFINITY)) least = { tokens, by };
  }
  return least;
}

/** A switch of a call, as far as policies ask for it. */
interface AskedSwitch {
  field: string;
  kind: string;
  name: string;
  implied?: true;
}

/** Throws `permission_denied` for the first switch that a level forbids. Kinds of tokens are no switches of a policy. */
export function checkSwitches(switches: readonly AskedSwitch[], principal: Bounded): void {
  for (const rules of rulesOf(principal)) {
    const { allowsSwitch } = rules;
    if (!allowsSwitch) continue;
    const refused = switches.find(
      ({ kind, name, implied }) => !implied && kind !== "tokenKind" && !allowsSwitch(`${kind}:${name}`),
    );
    if (!refused) continue;
    const { field, kind, name } = refused;
    throw refusedBy(
      rules,
      "switches",
      `does not allow \`${kind}:${name}\`, which \`${field}\` asks for`,
      field,
    );
  }
}

/** The models that are asked when a chat's own cannot answer, of the nearest level that names any. */
export function fallbacksOf(principal: Bounded): readonly string[] {
  return rulesOf(principal).find(({ policy }) => policy.fallbacks)?.policy.fallbacks ?? [];
}
