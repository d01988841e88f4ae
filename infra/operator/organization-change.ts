/** What the commands that change one organization have in common. */
import type { Organization, PlanPeriod } from "#shared/books/accounts/account.ts";
import { showOrganization } from "#shared/edges/operator/organizations.ts";
import { type LineOf, writeLine } from "./audit-lines.ts";
import type { CommandCall, CommandOutcome } from "./command.ts";
import { organizationOf, type Stores } from "./stores.ts";

export const periods: readonly PlanPeriod[] = ["monthly", "quarterly", "yearly"];

export const id = {
  name: "ID",
  what: "the organization's id",
  missing: "give the id of the organization; org list shows it",
};

/** An id as the examples write it. */
export const sample = "org_01M81Z5H5K9AHWPQ118FTWPX14";

/** Changes the organization that a call names, notes that in its audit log, and shows it afterwards. */
export async function change<With extends Stores>(
  { operand, lineOf }: Pick<CommandCall, "operand"> & { lineOf?: LineOf },
  stores: With,
  how: (organization: Organization) => Promise<Organization>,
): Promise<CommandOutcome> {
  const before = await organizationOf(stores, operand);
  const changed = await how(before);
  const line = lineOf?.(before, changed, stores.now());
  if (line) await writeLine(changed, line, stores);
  return { value: await showOrganization(changed, stores) };
}
