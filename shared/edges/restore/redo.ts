/** Does again, on restored tables, what happened after the instant: only what the operator asks for, and once. */
import type { Accounts, KeyRecord, Organization } from "../../books/accounts/account.ts";
import { creditedBy, creditKindOf } from "../../books/ledger/credit.ts";
import type { Entry, Ledger } from "../../books/ledger/ledger.ts";
import type { Accounted, Losses } from "./losses.ts";
import { type RebookDeps, type Rebooked, rebook } from "./rebooking.ts";

/** What can be done again. Revocations are those of keys and of roles, and freezes of organizations and of people. */
export const redos = ["revocations", "keys", "credits", "orders", "calls"] as const;
export type Redo = (typeof redos)[number];

interface RedoDeps extends RebookDeps {
  accounts: Pick<Accounts, "createKey" | "revokeKey" | "setStatus">;
  ledger: RebookDeps["ledger"] & Pick<Ledger, "credit">;
  /** Told of each thing that was done. */
  done: (what: string) => void;
}

/** How many were done again, and what failed. */
export interface Redone {
  keys: number;
  credits: number;
  calls: Record<Rebooked, number>;
  revoked: number;
  frozen: number;
  failed: { what: string; error: string }[];
}

interface RedoRequest {
  wanted: ReadonlySet<Redo>;
  /** Unix milliseconds. */
  instant: number;
  restored: Accounted;
}

/** Redoes keys first, for budgets; then credits and calls by time; revocations last. Tells what fails, and goes on. */
export async function redo(losses: Losses, asked: RedoRequest, deps: RedoDeps): Promise<Redone> {
  const calls = { known: 0, entered: 0, booked: 0, task: 0, no_meter: 0 };
  const redone: Redone = { keys: 0, credits: 0, calls, revoked: 0, frozen: 0, failed: [] };
  const organizations = new Map(asked.restored.organizations.map((each) => [each.id, each]));
  const keys = new Map([...asked.restored.keys, ...losses.keys].map((each) => [each.id, each]));
  const attempt = async (what: string, act: () => Promise<void>) => {
    try {
      await act();
      deps.done(what.split(" ")[0] ?? what);
    } catch (error) {
      redone.failed.push({ what, error: error instanceof Error ? error.message : String(error) });
    }
  };
  const isOf = ({ organization }: { organization: string }) => organizations.has(organization);

  if (asked.wanted.has("keys"))
    for (const key of losses.keys.filter(isOf))
      await attempt(`key ${key.id}`, async () => {
        await deps.accounts.createKey(key);
        redone.keys += 1;
      });
  if (asked.wanted.has("credits"))
    for (const entry of losses.credits.filter(isOf))
      await attempt(`credit ${entry.id} of ${entry.organization}`, async () => {
        await creditAgain(entry, organizations.get(entry.organization), deps);
        redone.credits += 1;
      });
  if (asked.wanted.has("calls"))
    for (const { event } of losses.calls) {
      if (!event) continue;
      const owner = { organization: organizations.get(event.organization), key: keys.get(event.key) };
      await attempt(`call ${event.id}`, async () => {
        redone.calls[await rebook(event, { instant: asked.instant, ...owner }, deps)] += 1;
      });
    }
  if (asked.wanted.has("revocations")) await closeAgain(losses, { redone, attempt }, deps);
  return redone;
}

async function creditAgain(
  entry: Entry,
  organization: Organization | undefined,
  { ledger }: Pick<RedoDeps, "ledger">,
): Promise<void> {
  const kind = creditKindOf(entry);
  if (!organization?.wallet || kind === undefined) throw new Error("the organization has no wallet");
  await ledger.credit({
    ...{ organization: organization.id, meter: organization.wallet.meter, points: creditedBy(entry), kind },
    ...{ reference: entry.id.slice("credit#".length), at: entry.at },
    account: entry.debit === `customer:${entry.organization}` ? entry.credit : entry.debit,
  });
}

/** Revokes and freezes again what was revoked and frozen after the instant. */
async function closeAgain(
  { revived, thawed }: Pick<Losses, "revived" | "thawed">,
  { redone, attempt }: { redone: Redone; attempt(what: string, act: () => Promise<void>): Promise<void> },
  { accounts, now }: Pick<RedoDeps, "accounts" | "now">,
): Promise<void> {
  for (const { id, organization } of revived as Pick<KeyRecord, "id" | "organization">[])
    await attempt(`revocation of ${id}`, async () => {
      await accounts.revokeKey(organization, id, now());
      redone.revoked += 1;
    });
  for (const { id } of thawed)
    await attempt(`freeze of ${id}`, async () => {
      await accounts.setStatus(id, "frozen");
      redone.frozen += 1;
    });
}
