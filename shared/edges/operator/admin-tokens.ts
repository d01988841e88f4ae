/** What operators do with the tokens of their API: make, list and revoke them (edges/admin/README.md "Tokens"). */
import { invalidRequest } from "../../base/errors.ts";
import { rfc3339 } from "../../books/billing/instant.ts";
import { adminLimits, unseen } from "../../people/admin/bounds.ts";
import {
  type AdminToken,
  type AdminTokens,
  isInForce,
  newAdminToken,
  type WantedToken,
} from "../../people/admin/token.ts";
import { readEmail } from "../../people/identity/email.ts";

interface AdminTokenDeps {
  tokens: AdminTokens;
  now: () => number;
}

/** A token as it is shown. Never its hash. */
interface AdminTokenLine {
  id: string;
  name: string;
  person: string;
  scopes: string;
  state: "in force" | "over" | "revoked";
  made_at: string;
  made_by: string;
  ends_at: string;
  revoked_at: string | null;
  revoked_by: string | null;
}

/** Makes a token, and shows its text this once. Throws `invalid_request`. */
export async function makeAdminToken(
  wanted: WantedToken,
  { tokens, now }: AdminTokenDeps,
): Promise<AdminTokenLine & { token: string }> {
  const { nameCharsMax, tokenDaysMax } = adminLimits;
  const name = wanted.name.trim();
  if (name === "" || name.length > nameCharsMax || unseen.test(name))
    throw invalidRequest(`The name must have 1 to ${nameCharsMax} visible characters.`);
  if (name.includes("@"))
    throw invalidRequest(
      "The name must have no @: customers see it in their audit logs, and no address of yours.",
    );
  if (wanted.scopes.length === 0) throw invalidRequest("The token must have a scope.");
  if (!Number.isSafeInteger(wanted.days) || wanted.days < 1 || wanted.days > tokenDaysMax)
    throw invalidRequest(`A token is good for 1 to ${tokenDaysMax} days.`);
  // Addresses are compared: whoever wrote one in capitals is no second person.
  const made = newAdminToken({ ...wanted, name, person: readEmail(wanted.person) }, now());
  await tokens.make(made.token);
  return { ...adminTokenLine(made.token, now()), token: made.text };
}

/** Every token, those that are in force first, and then the newest first. */
export async function listAdminTokens({ tokens, now }: AdminTokenDeps): Promise<AdminTokenLine[]> {
  const [at, all] = [now(), (await tokens.all()).toReversed()];
  const [living, others] = [
    all.filter((each) => isInForce(each, at)),
    all.filter((each) => !isInForce(each, at)),
  ];
  return [...living, ...others].map((each) => adminTokenLine(each, at));
}

/** Revokes a token: its next request is refused. Repeating it changes nothing. Throws `invalid_request`. */
export async function revokeAdminToken(
  id: string,
  by: string,
  { tokens, now }: AdminTokenDeps,
): Promise<AdminTokenLine> {
  await tokens.revoke(id, now(), by);
  const token = await tokens.read(id);
  if (!token) throw invalidRequest(`There is no token ${id}; token list shows them.`);
  return adminTokenLine(token, now());
}

/** A token on one line, at `now` (Unix ms). */
export function adminTokenLine(token: AdminToken, now: number): AdminTokenLine {
  const { id, name, person, scopes, made_by, revoked_at, revoked_by } = token;
  const over = revoked_at === undefined ? "over" : "revoked";
  return {
    ...{ id, name, person, scopes: scopes.join(","), state: isInForce(token, now) ? "in force" : over },
    ...{ made_at: rfc3339(token.made_at), made_by, ends_at: rfc3339(token.ends_at) },
    revoked_at: revoked_at === undefined ? null : rfc3339(revoked_at),
    revoked_by: revoked_by ?? null,
  };
}
