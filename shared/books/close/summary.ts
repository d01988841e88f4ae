/** The summary of a closed month: what it says, and how its text is signed and linked to the month before (README.md). Pure. */
import { createPrivateKey, createPublicKey, hash, type KeyObject, sign, verify } from "node:crypto";
import { deriveKey } from "../../base/platform/encryption.ts";
import type { Currency } from "../billing/currency.ts";
import { formatPoints, parsePoints } from "../billing/points.ts";
import type { MarginRow } from "../reports/margin/rows.ts";
import { memberOf } from "../reports/member-of.ts";
import type { Balance, JournalRow } from "./journal.ts";

/** What was looked at before the month was closed. */
export interface CloseCheck {
  name: string;
  holds: boolean;
  detail: string;
  /** It did not hold, and the month was closed all the same. */
  accepted: boolean;
}

/** An account over all organizations. Points are decimal strings. */
export interface AccountLine {
  account: string;
  debit: string;
  credit: string;
  /** Of wallets and of what is owed for plans; null of accounts that only move. */
  opening: string | null;
  closing: string | null;
}

export interface CloseSummary {
  object: "month_close";
  month: string;
  /** RFC 3339. What was posted from then on counts in the next close. */
  counts_until: string;
  closed_at: string;
  closed_by: string;
  /** Why checks that did not hold were accepted; null where all did. */
  reason: string | null;
  /** Null of the first close. */
  previous: { month: string; sha256: string } | null;
  checks: readonly CloseCheck[];
  accounts: readonly AccountLine[];
  /** What earlier months got too late for their own close. */
  late: readonly { month: string; entries: number }[];
  journal: { rows: number; sha256: string };
  balances: { rows: number; sha256: string };
  /** Of the catalog at the close; null where it names none. */
  currency: Currency | null;
  margin: MarginRow;
}

/** A closed month as it is kept. It is never changed. */
export interface ClosedMonth {
  month: string;
  /** A `CloseSummary` as JSON: these bytes are hashed and signed. */
  summary: string;
  /** Hexadecimal. */
  sha256: string;
  /** Ed25519, base64. */
  signature: string;
  /** DER (SPKI), base64. */
  public_key: string;
}

/** Accounts of one name over all organizations: `customer:<org>` is `customer`. */
function accountName(account: string): string {
  return account.replace(/^(customer|receivable):.*/, "$1");
}

/** The accounts that the journals have moved, by name. `balances`: what organizations had and have in sum. */
export function accountLines(
  journal: readonly JournalRow[],
  balances: { opening: Balance; closing: Balance },
): AccountLine[] {
  const sums = new Map<string, { debit: bigint; credit: bigint }>();
  const sumOf = (account: string) => memberOf(sums, accountName(account), () => ({ debit: 0n, credit: 0n }));
  const held: Record<string, keyof Balance> = { customer: "wallet", receivable: "receivable" };
  for (const account of Object.keys(held)) sumOf(account);
  for (const { debit, credit, points } of journal) {
    sumOf(debit).debit += parsePoints(points);
    sumOf(credit).credit += parsePoints(points);
  }
  return [...sums]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([account, { debit, credit }]) => {
      const side = held[account];
      return {
        account,
        ...{ debit: formatPoints(debit), credit: formatPoints(credit) },
        opening: side ? formatPoints(balances.opening[side]) : null,
        closing: side ? formatPoints(balances.closing[side]) : null,
      };
    });
}

/** The months before the closed one that the journal has rows of, in order. */
export function lateMonths(journal: readonly JournalRow[], month: string): CloseSummary["late"] {
  const counts = new Map<string, number>();
  for (const row of journal)
    if (row.month !== month) counts.set(row.month, (counts.get(row.month) ?? 0) + row.entries);
  return [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([late, entries]) => ({ month: late, entries }));
}

/** PKCS #8 of an Ed25519 key, up to its 32 bytes (RFC 8410). */
const keyHead = Buffer.from("302e020100300506032b657004220420", "hex");

/** The key that follows from a pepper. */
function keyOf(pepper: string): KeyObject {
  const seed = deriveKey(pepper, "month close");
  return createPrivateKey({ key: Buffer.concat([keyHead, seed]), format: "der", type: "pkcs8" });
}

/** The public key of closes that are signed under a pepper: DER (SPKI), base64. */
export function closeKey(pepper: string): string {
  return createPublicKey(keyOf(pepper)).export({ format: "der", type: "spki" }).toString("base64");
}

/** A summary with its hash, signed by the key that follows from the pepper. */
export function signSummary(summary: CloseSummary, pepper: string): ClosedMonth {
  const text = JSON.stringify(summary);
  return {
    month: summary.month,
    summary: text,
    sha256: hash("sha256", text),
    signature: sign(null, Buffer.from(text), keyOf(pepper)).toString("base64"),
    public_key: closeKey(pepper),
  };
}

/** What is wrong with closed months, in order of time: a text for each fault, none where all is as it was signed. */
export function faultsOfChain(months: readonly ClosedMonth[]): string[] {
  return months.flatMap((closed, at) => {
    const { previous, month } = readSummary(closed);
    const before = months[at - 1];
    const isLinked = previous?.sha256 === before?.sha256 && previous?.month === before?.month;
    return [
      ...(isSigned(closed) && month === closed.month
        ? []
        : [`the summary of ${closed.month} is not as it was signed`]),
      ...(isLinked ? [] : [`${closed.month} does not follow from the month before`]),
    ];
  });
}

function isSigned({ summary, sha256, signature, public_key }: ClosedMonth): boolean {
  if (hash("sha256", summary) !== sha256) return false;
  try {
    const key = createPublicKey({ key: Buffer.from(public_key, "base64"), format: "der", type: "spki" });
    return verify(null, Buffer.from(summary), key, Buffer.from(signature, "base64"));
  } catch {
    return false;
  }
}

/** What the summary of a closed month says. */
export function readSummary({ summary }: Pick<ClosedMonth, "summary">): CloseSummary {
  return JSON.parse(summary) as CloseSummary;
}
