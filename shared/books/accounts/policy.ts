/**
 * What the calls of a level may do (policies.md). This table is the only declaration of the rules: reading, schemas, the
 * operator's flags and the console's forms follow it.
 */
import { limits } from "../../base/limits.ts";
import { type AddressBytes, isRangeWithin, rangeOf, rangeText } from "./address-range.ts";
import { policyBounds } from "./bounds.ts";
import { covers, normalName } from "./pattern.ts";

/** The levels whose policies stand on the organization's record. A key has its own on its record. */
export const policyLevels = ["organization", "project", "member"] as const;
type PolicyLevel = (typeof policyLevels)[number];

/** What every rule has. */
interface AnyRule {
  /** What it says, for the schema and the operator's help. */
  what: string;
  /** It only forbids. Then each level's rule must be met, and a key can make it only tighter for another key. */
  forbids: boolean;
}

/** A rule of several texts. */
export interface ListRule extends AnyRule {
  kind: "list";
  /** The one form of a text; undefined where it breaks the rule. */
  read: (text: string) => string | undefined;
  /** What a text must be, as it follows "must be". */
  form: string;
  pattern: string;
  example: readonly string[];
  /** An empty list says "none of them". Absent: it would refuse all calls, and is refused. */
  mayBeEmpty?: true;
  /** Of one that forbids: whether all that the text `narrow` allows is allowed by the text `wide`. */
  isWithin?: (narrow: string, wide: string) => boolean;
}

/** A rule of one whole number, which is the most. */
interface NumberRule extends AnyRule {
  kind: "number";
  least: number;
  most: number;
  example: number;
}

export type PolicyRule = ListRule | NumberRule;

const modelPattern = "^[A-Za-z0-9*][A-Za-z0-9*._:/@+-]{0,127}$";
const namePattern = "^[a-z0-9*][a-z0-9*._-]{0,63}$";
const switchPattern = "^(?:tool|service_tier|speed|inference_geo):[A-Za-z0-9*._-]{1,64}$";
const aliasPattern = `${modelPattern.slice(0, -1)}=[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,127}$`;

/** Reads texts of a pattern, as they are. */
function textOf(pattern: string): (text: string) => string | undefined {
  const form = new RegExp(pattern);
  return (text) => (form.test(text) ? text : undefined);
}

function readRange(text: string): string | undefined {
  const range = text.length <= policyBounds.addressCharsMax ? rangeOf(text) : undefined;
  return range && rangeText(range);
}

export const policyRules = {
  models: {
    kind: "list",
    forbids: true,
    read: textOf(modelPattern),
    form: "a model's id or alias, in which `*` stands for any text, such as `openai/*`",
    pattern: modelPattern,
    example: ["openai/*", "claude-haiku-*"],
    isWithin: (narrow, wide) => covers(normalName(wide), normalName(narrow)),
    what: "the models that may be called",
  },
  providers: {
    kind: "list",
    forbids: true,
    read: textOf(namePattern),
    form: "a provider's name, in which `*` stands for any text, such as `azure-*`",
    pattern: namePattern,
    example: ["openai", "azure-*"],
    isWithin: (narrow, wide) => covers(wide, narrow),
    what: "the providers that may be asked",
  },
  addresses: {
    kind: "list",
    forbids: true,
    read: readRange,
    form: "an IPv4 or IPv6 address or range without bits behind its length, such as `203.0.113.0/24`",
    pattern: "^[0-9A-Fa-f.:]{2,45}(/[0-9]{1,3})?$",
    example: ["203.0.113.0/24", "2001:db8::/32"],
    isWithin(narrow, wide) {
      const [own, all] = [rangeOf(narrow), rangeOf(wide)];
      return own !== undefined && all !== undefined && isRangeWithin(own, all);
    },
    what: "the addresses that calls may come from",
  },
  max_output_tokens: {
    kind: "number",
    forbids: true,
    // OpenAI's Responses refuse a maximum below 16, and a call that names none is given this one.
    least: limits.responsesOutputMin,
    most: 10_000_000,
    example: 4096,
    what: "the most tokens that an answer may have",
  },
  switches: {
    kind: "list",
    forbids: true,
    read: textOf(switchPattern),
    form: "`tool:`, `service_tier:`, `speed:` or `inference_geo:` with a name, in which `*` stands for any text",
    pattern: switchPattern,
    example: ["service_tier:flex", "tool:web_search"],
    mayBeEmpty: true,
    isWithin: (narrow, wide) => covers(wide, narrow),
    what: "the service tiers, speeds, places and providers' tools that may be asked for; an empty list allows none",
  },
  aliases: {
    kind: "list",
    forbids: false,
    read: textOf(aliasPattern),
    form: "a pattern, `=` and the id of a model, such as `claude-haiku-*=openai/gpt-5.4-mini`",
    pattern: aliasPattern,
    example: ["claude-haiku-*=openai/gpt-5.4-mini"],
    what: "names that stand for other models; the first that fits counts",
  },
  fallbacks: {
    kind: "list",
    forbids: false,
    read: textOf(modelPattern.replaceAll("*", "")),
    form: "a model's id",
    pattern: modelPattern.replaceAll("*", ""),
    example: ["anthropic/claude-sonnet-4-6"],
    mayBeEmpty: true,
    what: "the models that are asked when a chat's own cannot answer, as x-gateway-fallback names them; an empty list is none",
  },
} as const satisfies Readonly<Record<string, PolicyRule>>;

type Rules = typeof policyRules;
export type PolicyRuleName = keyof Rules;

/** The rules of a level. What is absent is left open. */
export type Policy = {
  [Name in PolicyRuleName]?: Rules[Name]["kind"] extends "list" ? string[] : number;
};

/** The rows of the table. */
export const policyRows = Object.entries(policyRules) as [PolicyRuleName, PolicyRule][];

/** The policy of a level of the organization. */
export interface LevelPolicy {
  level: PolicyLevel;
  /** The project's name, or the member's user id; "" for the organization. */
  id: string;
  policy: Policy;
}

/** A level of which a call may have a policy, the nearest to the call first. */
export const policyHolders = ["key", "member", "project", "organization"] as const;

/** The rules of one level, compiled. */
export interface LevelRules {
  level: (typeof policyHolders)[number];
  policy: Policy;
  /** Whether a model, by any of its names in their normal form, is allowed. */
  allowsModel?: (name: string) => boolean;
  allowsProvider?: (name: string) => boolean;
  allowsAddress?: (address: AddressBytes) => boolean;
  allowsSwitch?: (name: string) => boolean;
  aliases?: readonly { fits: (name: string) => boolean; model: string }[];
}

/**
 * The first rule in which a policy allows more than another one, or may; undefined where there is none. A rule that
 * forbids nothing allows nothing either.
 */
export function ruleBeyond(own: Policy | undefined, bound: Policy | undefined): PolicyRuleName | undefined {
  return policyRows.find(([name, rule]) => rule.forbids && !isHeld(rule, own?.[name], bound?.[name]))?.[0];
}

type Given = Policy[PolicyRuleName];

function isHeld(rule: PolicyRule, own: Given, bound: Given): boolean {
  if (bound === undefined) return true;
  if (own === undefined) return false;
  if (rule.kind === "number") return (own as number) <= (bound as number);
  return (own as string[]).every((text) => (bound as string[]).some((wide) => rule.isWithin?.(text, wide)));
}

/** A policy as one line of text, such as `models=openai/* max_output_tokens=4096`; "" where there is none. */
export function policyText(policy: Policy | undefined): string {
  return policyRows
    .flatMap(([name]) => {
      const value = policy?.[name];
      return value === undefined ? [] : [`${name}=${[value].flat().join(",") || "none"}`];
    })
    .join(" ");
}
