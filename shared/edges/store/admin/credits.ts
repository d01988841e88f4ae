/** Credits by operators on DynamoDB: entry, wallet, line and what another operator has decided, in one transaction. */
import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import type { Aws } from "../../../base/platform/aws.ts";
import { dayMs, dayOf } from "../../../books/billing/period.ts";
import type { Credit } from "../../../books/ledger/ledger.ts";
import type {
  AuditedCredits,
  BookedAlone,
  CreditProposal,
  CreditProposals,
  ProposalDecision,
} from "../../../people/admin/credits.ts";
import { mailboxOf } from "../../../people/identity/email.ts";
import { adminTokenKey, aloneKey, proposalKey, proposalsPartition } from "../dynamodb/account-keys.ts";
import { readBigint, toAttribute, toItem } from "../dynamodb/attributes.ts";
import { above, absent, absentOrAtMost, type Change, equals, exists } from "../dynamodb/expressions.ts";
import { between, readRecord, type TableNames } from "../dynamodb/item-keys.ts";
import { changeItem, getItem, lastBetween, putItem } from "../dynamodb/items.ts";
import { check, update } from "../dynamodb/transaction.ts";
import { auditWrite } from "../identity/audit.ts";
import { bookCredit } from "../ledger/credits.ts";
import { readAll } from "../meters/shards.ts";

type CreditTables = Pick<TableNames, "accounts" | "ledger" | "counters">;

/** How long a day's sum is kept, seconds from its end. */
const keptSeconds = 86_400;

/** Credits in these tables. */
export function createAuditedCredits(aws: Aws, tables: CreditTables): AuditedCredits {
  return {
    async book(credit, entry, alone) {
      const further = [auditWrite(tables, entry), ...(alone ? aloneWrites(tables, credit, alone) : [])];
      const outcome = await bookCredit(aws, tables, credit, further);
      if (!Array.isArray(outcome)) return outcome;
      const [, token, sum] = outcome;
      if (token?.failed) return "token over";
      if (sum?.failed) return "sum over";
      throw new Error(`the line of the credit ${credit.reference} was refused`);
    },

    async movedAlone(person, at) {
      const item = await getItem(aws, tables.accounts, aloneKey(mailboxOf(person), dayOf(at)));
      return item ? readBigint(item.points) : 0n;
    },

    async free(meter) {
      const shards = await readAll(aws, tables.counters, meter);
      return shards.reduce((sum, { avail }) => sum + avail, 0n);
    },
  };
}

/** A token that is in force, and the sum of its person's day with this credit. */
function aloneWrites(
  { accounts: table }: CreditTables,
  { points, at }: Credit,
  { by, most }: BookedAlone,
): TransactWriteItem[] {
  const [moved, day] = [points < 0n ? -points : points, dayOf(at)];
  const sum = {
    table,
    key: aloneKey(mailboxOf(by.person), day),
    set: toItem({ expires_at: (Date.parse(day) + dayMs) / 1000 + keptSeconds }),
    add: { points: moved },
    when: [absentOrAtMost("points", most - moved)],
  };
  return [inForce(table, by.token, at), update(sum)];
}

/** The condition that a token is in force at `at` (Unix ms). */
function inForce(table: string, token: string, at: number): TransactWriteItem {
  return check(table, adminTokenKey(token), [exists("pk"), absent("revoked_at"), above("ends_at", at)]);
}

/** The proposals of a table of accounts, and what their credits are booked in. */
export function createCreditProposals(aws: Aws, tables: CreditTables): CreditProposals {
  const { accounts: table } = tables;
  return {
    async make(proposal) {
      await putItem(aws, table, { ...proposalKey(proposal.id), ...toItem(proposal) }, [absent("pk")]);
    },

    async read(id) {
      return readRecord<CreditProposal>(await getItem(aws, table, proposalKey(id)));
    },

    async list({ limit, after }) {
      // Both ends belong to the range, so the one before the page is read too, and left out.
      const items = await lastBetween(
        aws,
        table,
        proposalsPartition,
        between("prp_", after ?? "prp_~"),
        limit + 2,
      );
      const all = items.map((item) => readRecord<CreditProposal>(item)).filter(({ id }) => id !== after);
      return { proposals: all.slice(0, limit), more: all.length > limit };
    },

    async confirm(proposal, decision, { credit, entry }) {
      const tokens = [proposal.proposed_by.token, decision.by.token].map((token) =>
        inForce(table, token, decision.at),
      );
      const decided = update(decidedBy(table, proposal, "confirmed", decision));
      const outcome = await bookCredit(aws, tables, credit, [decided, ...tokens, auditWrite(tables, entry)]);
      return outcome === "booked";
    },

    refuse: (proposal, decision) => changeItem(aws, decidedBy(table, proposal, "refused", decision)),
  };
}

/** The end of a proposal that is open, and not over. */
function decidedBy(
  table: string,
  { id }: CreditProposal,
  state: CreditProposal["state"],
  { by, at, why }: ProposalDecision,
): Change {
  return {
    table,
    key: proposalKey(id),
    set: toItem({ state, decided_by: by, decided_at: at, decided_why: why }),
    when: [equals("state", toAttribute("open")), above("ends_at", at)],
  };
}
