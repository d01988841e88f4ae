/**
 * The levels that a budget may bound (README.md "Budgets of five levels"): what each is called, whose limit it is, and how
 * the meter names its account. Points are 10⁻¹⁸.
 */
import { createHash } from "node:crypto";
import type { BudgetLevel, BudgetPeriod, KeyRecord, LevelBudget, Organization } from "../accounts/account.ts";
import { changersOf, idsOfKey, whoseOf } from "../accounts/level-names.ts";
import { parsePoints } from "../billing/points.ts";

/** A level at which calls are bounded. The keys' own budgets stand on the keys. */
export type LevelName = BudgetLevel | "key";

/** The calls of one level that one budget bounds. */
export interface LeveledCall {
  key: Pick<KeyRecord, "project" | "created_by" | "root">;
  /** The end customer, where the client names one. */
  user: string | null;
}

/** What a level is. */
interface LevelRow {
  /** How a refusal names the budget. */
  whose: string;
  /** What helps a call that is larger than the whole budget, beside asking for less. */
  remedy: string;
  /** Who can raise the budget. */
  raise: string;
}

/** The levels by name, from the one with the most calls on. */
export const levels: Record<LevelName, LevelRow> = {
  organization: rowOf("organization"),
  project: rowOf("project"),
  member: rowOf("member"),
  key: rowOf("key"),
  customer: rowOf("customer"),
};

function rowOf(level: LevelName): LevelRow {
  const who = changersOf[level];
  const remedy = `let ${who.charAt(0).toLowerCase()}${who.slice(1)} raise it`;
  return { whose: whoseOf[level], remedy, raise: `${who} can raise it.` };
}

/** Which of a level's accounts a call counts on; undefined where on none. */
const ids: Record<BudgetLevel, (call: LeveledCall) => string | undefined> = {
  organization: idsOfKey.organization,
  project: ({ key }) => idsOfKey.project(key),
  member: ({ key }) => idsOfKey.member(key),
  customer: ({ user }) => user || undefined,
};

/** A short name of a text, by which a meter tells a level's accounts apart: 48 bits. */
function hashed(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 8);
}

/** The organization on its meters. It also names the revisions of its budgets there: no key's bare id is as short. */
export const organizationAccount = "O";

/** The meter's names of accounts. Each level has its own first letter, which nothing else on the item has. */
const accounts: Record<BudgetLevel, (id: string) => string> = {
  organization: () => organizationAccount,
  project: (id) => `P${hashed(id)}`,
  member: (id) => `M${id.slice(-10)}`,
  customer: (id) => `C${hashed(id)}`,
};

/** Whether a counter is that of an organization, a project or a member. */
export function isOfLevel(counter: string): boolean {
  return /^[OPM]/.test(counter);
}

/** Whether a counter is that of an end customer. */
export function isOfCustomer(counter: string): boolean {
  return counter.startsWith("C");
}

/** A budget that bounds a call, beside that of its key. */
export interface Bound {
  level: BudgetLevel;
  /** The name of its account on the meter. */
  account: string;
  points: bigint;
  period: BudgetPeriod;
}

/** The name of the account of a level on a meter. */
export function accountOf(level: BudgetLevel, id: string): string {
  return accounts[level](id);
}

/** The budgets of an organization that bound a call, beside that of its key. Empty for most. */
export function boundsOf({ budgets }: Pick<Organization, "budgets">, call: LeveledCall): Bound[] {
  if (budgets === undefined) return [];
  return budgets.flatMap(({ level, id, points, period }) => {
    const own = ids[level](call);
    const isBound = own !== undefined && (level === "customer" || own === id);
    return isBound ? [{ level, account: accounts[level](own), points: parsePoints(points), period }] : [];
  });
}

/** What budgets of other levels say of where a key's calls are held. */
export interface Bounding {
  /** One may bound the calls, whoever their end customers are. */
  isBounded: boolean;
  /** One that may was changed, and holds its calls on the first shard alone. */
  isFirst: boolean;
}

const unbounded: Bounding = { isBounded: false, isFirst: false };

/** The budgets of an organization that may bound calls of a key, whoever their end customers are. */
export function budgetsOf(
  { budgets = [] }: Pick<Organization, "budgets">,
  key: LeveledCall["key"],
): LevelBudget[] {
  return budgets.filter(({ level, id }) => level === "customer" || ids[level]({ key, user: null }) === id);
}

/** What the budgets of an organization say of a key's calls at `at`, Unix milliseconds. */
export function boundingOf(
  { budgets }: Pick<Organization, "budgets">,
  key: LeveledCall["key"],
  at: number,
): Bounding {
  if (budgets === undefined) return unbounded;
  const own = budgetsOf({ budgets }, key);
  return { isBounded: own.length > 0, isFirst: own.some(({ first_until = 0 }) => at < first_until) };
}
