/** Reads the switches of a request and of its reply (books/catalog/README.md, "Switches"). */

import type { JsonPath } from "../../base/json/body.ts";
import { asText, type Fields, isAbsent, isObject, optionalString } from "../../base/json/fields.ts";
import { limits } from "../../base/limits.ts";
import { isStandard, type Switch, type Way } from "../../books/billing/pricing/rates.ts";
import type { TokenKind, UsageDetails } from "../../books/billing/usage.ts";
import { counter } from "./counters.ts";

/** The switch of a field that says how to serve the call, such as its tier. Throws `invalid_request` for no text. */
export function waySwitch(fields: Fields, way: Way, field: string = way): Switch[] {
  const value = optionalString(fields, field)?.toLowerCase();
  if (value === undefined) return [];
  // The provider chooses, and may choose its dearest tier.
  if (value === "auto") return [{ field, kind: way, name: value, implied: true }];
  return isStandard(way, value) ? [] : [{ field, kind: way, name: value }];
}

/** The switch of a field that may bring tokens of a kind with a price of its own. */
export function tokenKindSwitch(field: string, name: TokenKind, more: Partial<Switch> = {}): Switch {
  return { field, kind: "tokenKind", name, ...more };
}

/** The same of the rows that a request asks for. */
export function tokenKindSwitches(
  ...rows: readonly [isAsked: boolean, ...Parameters<typeof tokenKindSwitch>][]
): Switch[] {
  return rows.flatMap(([isAsked, ...row]) => (isAsked ? [tokenKindSwitch(...row)] : []));
}

/** The switches of a request's tools by their types, but for those that the `client` runs. */
export function toolSwitches(
  fields: Fields,
  { client, free }: Partial<Record<"client" | "free", ReadonlySet<string>>> = {},
): Switch[] {
  return objectsAt(fields, "tools").flatMap(({ at, item: { type } }) => {
    if (typeof type !== "string" || client?.has(type)) return [];
    return [free?.has(type) ? freeTool(`${at}.type`, type) : toolSwitch(`${at}.type`, type)];
  });
}

/** The switch of a tool that the provider runs for no more than its tokens, under the name that policies have for it. */
export function freeTool(field: string, name: string): Switch {
  return { field, kind: "tool", name, free: true };
}

/** The switch of a tool that may be called `calls` times. Else `bound_by` is the member that would say it, if any. */
export function toolSwitch(field: string, name: string, calls?: unknown, bound_by?: JsonPath): Switch {
  const tool = { field, kind: "tool", name } as const;
  if (Number.isSafeInteger(calls) && (calls as number) >= 0) return { ...tool, calls: calls as number };
  return { ...tool, calls: limits.serverToolCalls, ...(bound_by ? { bound_by } : { boundless: true }) };
}

/** Whether any object in a value, at any depth, passes the test. Arguments are skipped: they are the model's words. */
export function someObject(value: unknown, test: (fields: Fields) => boolean): boolean {
  if (Array.isArray(value)) return value.some((item) => someObject(item, test));
  if (!isObject(value)) return false;
  if (test(value)) return true;
  return Object.keys(value).some((name) => !words.has(name) && someObject(value[name], test));
}

const words = new Set(["input", "arguments", "args"]);

/** The modalities that a request asks for, in lower case. */
export function modalitiesOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map((name) => asText(name).toLowerCase()) : [];
}

/** Details of a reply. What it does not name is left out, and so are counts of 0. */
export function detailsOf(told: {
  ways?: Partial<Record<Way, unknown>>;
  tokens?: Partial<Record<TokenKind, unknown>>;
  calls?: Record<string, unknown>;
}): UsageDetails {
  const details: UsageDetails = {};
  const given = told.ways ?? {};
  for (const way in given) {
    const name = given[way as Way];
    if (typeof name === "string" && name !== "") details[way as Way] = plainName(name);
  }
  const [tokens, calls] = [countsOver(told.tokens), countsOver(told.calls)];
  if (tokens) details.tokens = tokens;
  if (calls) details.calls = calls;
  return details;
}

/** A provider's name as events can store it. One that must be changed has no price, so it is flagged after it too. */
function plainName(name: string): string {
  return name
    .slice(0, limits.switchNameCharsMax)
    .toLowerCase()
    .replace(/[^a-z0-9_.-]/g, "_");
}

/** The counts over 0; undefined where there are none, as in most replies. */
function countsOver(told: Record<string, unknown> = {}): Record<string, number> | undefined {
  const names: string[] = [];
  for (const name in told) if (counter(told[name]) > 0) names.push(name);
  if (names.length === 0) return undefined;
  const kept = names.slice(0, limits.switchNamesMax);
  return Object.fromEntries(kept.map((name) => [plainName(name), counter(told[name])]));
}

/** Combines the details of two places in one reply: the later tier or speed, and the larger counts. */
export function laterDetails(before: UsageDetails, now: UsageDetails): UsageDetails {
  return {
    ...before,
    ...now,
    tokens: larger(before.tokens, now.tokens),
    calls: larger(before.calls, now.calls),
  };
}

function larger(a: Record<string, number> = {}, b?: Record<string, number>): Record<string, number> {
  if (!b) return a;
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return Object.fromEntries(names.map((name) => [name, Math.max(a[name] ?? 0, b[name] ?? 0)]));
}

/** A member that is an object, or none. */
export function objectAt(fields: Fields, name: string): Fields {
  const value = fields[name];
  return isObject(value) ? value : {};
}

/** The objects of an array with their places, as `tools[0]`; none for anything else. */
export function objectsAt(fields: Fields, name: string): { at: string; index: number; item: Fields }[] {
  const items = fields[name];
  if (!Array.isArray(items)) return [];
  return items.flatMap((item, index) => (isObject(item) ? [{ at: `${name}[${index}]`, index, item }] : []));
}

/** Whether a member is given at all. */
export function isGiven(fields: Fields, name: string): boolean {
  return !isAbsent(fields[name]);
}
