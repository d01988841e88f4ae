/** Credits of wallets as operators book them, each with its line in the audit log of the organization. */
import { GatewayError } from "../../base/errors.ts";
import type { Organization } from "../../books/accounts/account.ts";
import { formatPoints } from "../../books/billing/points.ts";
import { creditEntry, lackingPoints, refuseOther } from "../../books/ledger/credit.ts";
import type { Credit, Entry } from "../../books/ledger/ledger.ts";
import { creditReceipt } from "../../books/reports/receipt.ts";
import { type By, lineBy } from "../../people/admin/by.ts";
import { type AuditedCredits, type BookedAlone, holderOf } from "../../people/admin/credits.ts";
import type { AdminToken } from "../../people/admin/token.ts";
import type { AuditFacts } from "../../people/identity/audit.ts";
import { type NewCredit, type OrganizationDeps, readCredit, showOrganization } from "./organizations.ts";

export interface CreditDeps {
  meters: Pick<OrganizationDeps["meters"], "balance">;
  now: () => number;
  credits: AuditedCredits;
  ledger: { creditOf(organization: string, reference: string): Promise<Entry | undefined> };
}

/**
 * Books a credit once, with its line, and gives the organization after it with the credit's receipt. `booked` is false where
 * the reference was booked before. Throws as `credit` does.
 */
export async function bookCredit(
  organization: Organization,
  wanted: NewCredit,
  by: By,
  deps: CreditDeps,
): Promise<object> {
  const credit = readCredit(organization, wanted, deps.now());
  const outcome = await deps.credits.book(credit, creditLine(credit, by));
  return await showCredited(organization, wanted.reference, outcome === "booked", deps);
}

/**
 * As `bookCredit`, by a token. Undefined, and nothing is booked, where its person has moved so much alone this day that
 * another one has to confirm it. Throws `not_authenticated` where the token is not in force any more.
 */
export async function bookCreditAlone(
  organization: Organization,
  wanted: NewCredit,
  { token, reason, most }: { token: AdminToken; reason: string } & Pick<BookedAlone, "most">,
  deps: CreditDeps,
): Promise<object | undefined> {
  const credit = readCredit(organization, wanted, deps.now());
  const alone = { by: holderOf(token), most };
  const outcome = await deps.credits.book(credit, creditLine(credit, { token, reason }), alone);
  if (outcome === "sum over") return undefined;
  if (outcome === "token over") {
    const message = "The token was revoked, or has ended. Nothing was booked.";
    throw new GatewayError("not_authenticated", { message });
  }
  return await showCredited(organization, wanted.reference, outcome === "booked", deps);
}

/** Whether a credit would be booked; false where it is already. Throws what its booking would throw. */
export async function foreseeBooking(
  credit: Credit,
  deps: Pick<CreditDeps, "credits" | "ledger">,
): Promise<boolean> {
  const known = await deps.ledger.creditOf(credit.organization, credit.reference);
  if (known) {
    refuseOther(creditEntry(credit), known);
    return false;
  }
  await refuseLacking(credit, deps);
  return true;
}

/** Throws `insufficient_balance` where a credit would take more than is free. */
export async function refuseLacking(
  { meter, points }: Credit,
  { credits }: Pick<CreditDeps, "credits">,
): Promise<void> {
  const free = points < 0n ? await credits.free(meter) : 0n;
  if (free + points < 0n && points < 0n) throw lackingPoints(free, -points);
}

/** The line about a credit. `more` is what else it tells. */
export function creditLine({ organization, points, reference, at }: Credit, by: By, more: AuditFacts = {}) {
  const after = { points: formatPoints(points), reference, ...more };
  return lineBy(by, organization, { kind: "points_credited", subject: organization, after }, at);
}

/** The organization with the receipt of one of its credits. */
export async function showCredited(
  organization: Organization,
  reference: string,
  booked: boolean,
  deps: CreditDeps,
): Promise<object> {
  const entry = await deps.ledger.creditOf(organization.id, reference);
  const shown = await showOrganization(organization, deps);
  return { ...shown, credit: entry && { ...creditReceipt(entry), booked } };
}
