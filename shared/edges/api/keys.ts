/** Makes and lists keys (contract §4.9; design §4 "Key management"), for API keys and members alike. */

import { consoleLimits } from "../../base/console-limits.ts";
import { GatewayError, invalidRequest } from "../../base/errors.ts";
import { type HttpRequest, jsonReply } from "../../base/http/message.ts";
import { readQuery } from "../../base/http/query.ts";
import { readJsonObject, refuseDuplicates } from "../../base/json/body.ts";
import { limits } from "../../base/limits.ts";
import { hashApiKey, newApiKey } from "../../base/platform/api-key.ts";
import { newId } from "../../base/platform/id.ts";
import type { Log } from "../../base/platform/log.ts";
import type { Peppers } from "../../base/platform/pepper.ts";
import type { Accounts, KeyRecord, KeyRefusal, NewKey, Organization } from "../../books/accounts/account.ts";
import { personOf, programName } from "../../books/accounts/key-state.ts";
import { rfc3339 } from "../../books/billing/instant.ts";
import type { Plan } from "../../books/catalog/catalog.ts";
import { type BudgetUse, budgetCounter, budgetOf, showBudget } from "../../books/meters/budget.ts";
import { budgetName } from "../../books/meters/hold.ts";
import type { Meters } from "../../books/meters/meter.ts";
import { checkKeyLimits } from "./key-limits.ts";
import { checkPolicyHandedOn, policyHandedOn } from "./key-policy.ts";
import { type NewKeyRecord, readKeyRequest } from "./key-request.ts";
import {
  checkNotArchived,
  checkProjectMember,
  isOwn,
  type KeyPage,
  type KeyRights,
  keysWhere,
  managesAll,
} from "./key-rights.ts";
import { policyInOrder } from "./policy-request.ts";
import { readLimit, readProject } from "./report-parameters.ts";

export interface KeyDeps {
  accounts: Pick<Accounts, "createKey" | "key" | "keys" | "changeKey" | "revokeKey" | "project">;
  peppers: () => Promise<Peppers>;
  now: () => number;
}

/** Members by name: the store does not keep the order in which they were given. */
function inOrder<Members extends object>(members: Members): Members {
  return Object.fromEntries(Object.entries(members).toSorted(([a], [b]) => (a < b ? -1 : 1))) as Members;
}

/** A key as the interface shows it at `now`: without hash and secret. `used` is the spent part of its budget. */
export function keyObject(key: KeyRecord, now: number, used: BudgetUse = { spent: 0n, held: 0n }) {
  const budget = budgetOf(key.limits);
  return {
    id: key.id,
    object: "api_key" as const,
    name: key.name,
    billing_mode: key.mode,
    project_id: key.project,
    permissions: key.permissions,
    limits: key.limits && inOrder(key.limits),
    cache: key.cache ?? null,
    defaults: key.defaults ? inOrder(key.defaults) : null,
    policy: key.policy ? policyInOrder(key.policy) : null,
    budget: budget ? showBudget(budget, used, now) : null,
    status: key.status,
    last_four: key.last_four,
    program: key.program ? programName(key.program) : null,
    old_secret_expires_at: key.old && key.old.until > now ? rfc3339(key.old.until) : null,
    created_at: rfc3339(key.created_at),
    expires_at: key.expires_at === null ? null : rfc3339(key.expires_at),
  };
}

export type ShownKey = ReturnType<typeof keyObject>;

/** The same with its secret, which is shown once. */
export function newKeyObject(key: KeyRecord, secret: string, now: number) {
  const { id, object, ...others } = keyObject(key, now);
  return { id, object, key: secret, ...others };
}

type MadeSecret = ReturnType<typeof newApiKey>;

/**
 * Stores a key with checked limits. `most`: how many organization and member may have. `made`: its secret, where that is
 * not random. Throws `invalid_request`.
 */
export async function issueKey(
  organization: Organization,
  wanted: NewKeyRecord,
  { most, made = newApiKey(wanted.mode), ...deps }: KeyDeps & Pick<NewKey, "most"> & { made?: MadeSecret },
): Promise<{ key: KeyRecord; secret: string }> {
  if (wanted.mode === "payg" && !organization.wallet) {
    throw new GatewayError("invalid_request", {
      message: "The organization has no wallet.",
      param: "billing_mode",
    });
  }
  if (wanted.mode === "subscription" && !organization.subscription) {
    const message = "The organization has no subscription.";
    throw new GatewayError("invalid_request", { message, param: "billing_mode" });
  }
  checkNotArchived(wanted.project, organization);
  const at = deps.now();
  const { secret, last_four } = made;
  const { current, previous } = await deps.peppers();
  const key: KeyRecord = {
    id: newId("key", at),
    hash: hashApiKey(current.value, secret),
    ...(current.version > 1 && { hash_version: current.version }),
    organization: organization.id,
    ...wanted,
    status: "active",
    last_four,
    created_at: at,
  };
  const refusal = await deps.accounts.createKey(key, {
    previous: previous && hashApiKey(previous.value, secret),
    most,
  });
  if (refusal) throw notStored(refusal);
  return { key, secret };
}

function notStored(refusal: KeyRefusal): GatewayError {
  if (refusal === "maker") {
    const message = "Who makes this key has lost the right to at this moment.";
    return new GatewayError("permission_denied", { message });
  }
  if (refusal === "busy") {
    const message = "Too many keys are being made at this moment.";
    return new GatewayError("rate_limited", { message, wait_ms: consoleLimits.keyWaitMs });
  }
  const { keysOfMemberMax, keysOfOrganizationMax } = consoleLimits;
  const [whose, most] =
    refusal === "member" ? ["You have", keysOfMemberMax] : ["The organization has", keysOfOrganizationMax];
  return invalidRequest(`${whose} ${most} keys that are in use. Revoke one first.`, "keys_full");
}

/** What making and changing a key needs beyond the other operations. */
export type NewKeyDeps = KeyDeps & { plan: (name: string) => Plan | undefined; log: Log };

/** `POST /api/v1/keys`. */
export async function createKey(request: HttpRequest, rights: KeyRights, deps: NewKeyDeps) {
  const { key, secret } = await makeKey(request, rights, deps);
  return jsonReply(newKeyObject(key, secret, deps.now()));
}

/** Makes the key that is asked for. Throws `invalid_request`, `permission_denied`, `account_frozen`, `rate_limited`. */
export async function makeKey(
  request: HttpRequest,
  rights: KeyRights,
  deps: NewKeyDeps,
): Promise<{ key: KeyRecord; secret: string }> {
  const { organization } = rights;
  if (organization.status === "frozen") throw new GatewayError("account_frozen");
  const body = readJsonObject(request.body);
  refuseDuplicates(body.members, new Set(Object.keys(body.value)));
  const wanted = policyHandedOn(readKeyRequest(body.value, deps.now()), rights);
  checkKeyLimits(wanted, organization, deps.plan, deps.now());
  checkGrants(wanted, rights);
  await checkProjectMember(wanted.project, rights, deps.accounts);
  const most = { organization: consoleLimits.keysOfOrganizationMax, member: consoleLimits.keysOfMemberMax };
  const made = await issueKey(organization, { ...wanted, ...makerOf(rights) }, { ...deps, most });
  deps.log("info", "key_created", { organization: organization.id, key: made.key.id });
  return made;
}

/**
 * Throws `permission_denied` for what the organization lacks, for a right that the maker may not hand on, and for a policy
 * that allows more than the maker's.
 */
export function checkGrants(
  { permissions: wanted, policy }: Pick<KeyRecord, "permissions" | "policy">,
  rights: KeyRights,
): void {
  const { permissions } = rights.organization;
  const denied = (message: string) => new GatewayError("permission_denied", { message });
  checkPolicyHandedOn(policy, rights);
  for (const permission of wanted) {
    if (permission !== "manage_keys" && !permissions.includes(permission))
      throw denied(`The organization does not have the permission ${permission}.`);
  }
  if (!wanted.includes("manage_keys")) return;
  if (!managesAll(rights))
    throw denied("Only who manages all keys may make a key with the permission manage_keys.");
  if (rights.key && !permissions.includes("manage_keys")) {
    const who = "The organization does not let keys make keys with the permission manage_keys.";
    throw denied(`${who} An owner can allow it, or make such a key in the console.`);
  }
}

/** Whom a new key descends from: the member who makes it, or the key with whoever is at the root of its own chain. */
function makerOf({ member, key }: KeyRights): Pick<KeyRecord, "created_by" | "parent" | "root"> {
  if (member) return { created_by: member.id };
  const root = key && personOf(key);
  return { ...(key && { parent: key.id }), ...(root !== undefined && { root }) };
}

/** `GET /api/v1/keys?limit=&after=`. */
export async function listKeys(
  request: HttpRequest,
  rights: KeyRights,
  deps: KeyDeps & { meters: Pick<Meters, "budgets"> },
) {
  const { keys, more, last } = await pageOfKeys(request, rights, deps);
  const data = await showKeys(rights.organization, keys, deps);
  return jsonReply({ object: "list", data, has_more: more, last_id: last });
}

/** The page of keys that a request asks for: of all of the organization's, or of the member's own; of one project, or any. */
export async function pageOfKeys(
  request: HttpRequest,
  rights: KeyRights,
  { accounts }: Pick<KeyDeps, "accounts">,
): Promise<KeyPage> {
  const { project_id: project, ...page } = readQuery<KeyPlace & { project_id: string | undefined }>(
    request.query,
    { ...keyPlace, project_id: readProject },
  );
  const isAll = managesAll(rights);
  if (isAll && project === undefined) {
    const { keys, more } = await accounts.keys(rights.organization.id, page);
    return { keys, more, last: keys.at(-1)?.id ?? null };
  }
  const isWanted = (key: KeyRecord) =>
    (isAll || isOwn(key, rights)) && (project === undefined || key.project === project);
  return await keysWhere(rights.organization.id, isWanted, page, accounts);
}

/** Where a page of a list of keys begins, and how many it has. */
interface KeyPlace {
  limit: number;
  after: string | undefined;
}

const keyPlace = {
  limit: readLimit(limits.keyListMax),
  after: (given: string | undefined) => given || undefined,
};

/** The page of a list of keys that a request asks for. Throws `invalid_request`. */
export function readKeyPage({ query }: Pick<HttpRequest, "query">): KeyPlace {
  return readQuery<KeyPlace>(query, keyPlace);
}

/** Keys of an organization as the interface shows them, each with the spent part of its budget. */
export async function showKeys(
  organization: Organization,
  keys: KeyRecord[],
  deps: Pick<KeyDeps, "now"> & { meters: Pick<Meters, "budgets"> },
): Promise<ShownKey[]> {
  const uses = await readUses(keys, organization, deps.meters);
  const now = deps.now();
  return keys.map((key) => {
    const period = key.limits?.budget_period;
    const used = period && uses.get(budgetName(key.id, budgetCounter(period, now)));
    return keyObject(key, now, used);
  });
}

/** The spent parts of these keys' budgets. It reads each meter that counts for any of them once. */
async function readUses(
  keys: KeyRecord[],
  { wallet, subscription }: Organization,
  meters: Pick<Meters, "budgets">,
): Promise<Map<string, BudgetUse>> {
  const modes = new Set(keys.filter(({ limits: own }) => budgetOf(own)).map(({ mode }) => mode));
  const read = [...modes].flatMap((mode) => (mode === "payg" ? wallet : subscription)?.meter ?? []);
  const uses = await Promise.all(read.map((meter) => meters.budgets(meter)));
  return new Map(uses.flatMap((each) => [...each]));
}
