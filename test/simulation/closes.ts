/** The simulated months are closed: each entry must count once, and balances must follow from all of them. */
import { limits } from "#shared/base/limits.ts";
import { spanEnd, spanOf } from "#shared/books/billing/period.ts";
import { formatPoints, parsePoints } from "#shared/books/billing/points.ts";
import type { CloseTerms } from "#shared/books/close/counting.ts";
import { seal } from "#shared/edges/jobs/seal.ts";
import { readMonth } from "#shared/edges/operator/close/books.ts";
import { closedWith, memoryCloses } from "#test/support/closed-months.ts";
import type { World } from "./world.ts";

interface Moved {
  debit: string;
  credit: string;
  points: string;
}

/** What closes say otherwise than the ledger. The first one is made when half of the entries were posted. */
export async function closeGaps({ quietly, scheduler }: World): Promise<string[]> {
  const { accounts, ledger, seals } = quietly;
  const entries = await Array.fromAsync(ledger.everyEntry());
  const postings = entries.map(({ at, posted_at = at }) => posted_at).sort((a, b) => a - b);
  const half = postings[Math.floor(postings.length / 2)];
  if (half === undefined) return [];
  const closes = memoryCloses();
  const journal: Moved[] = [];
  const instants = entries.map(({ at }) => at);
  const months = monthsBetween(Math.min(...instants), Math.max(...instants));
  const sealedAt = spanEnd(months.at(-1) ?? "") + limits.sealGraceSeconds * 1000;
  await seal({ ledger, seals, log: () => undefined, now: () => sealedAt });
  let previous: CloseTerms["previous"];
  for (const month of months) {
    // All but the first are made when everything is there.
    const terms = { month, counts_until: previous ? scheduler.now + 1 : half, ...(previous && { previous }) };
    const before = closes.months.at(-1);
    const books = await readMonth(terms, { before }, { accounts, ledger, closes });
    journal.push(...books.journal);
    await closes.write(closedWith(terms, books.balances, before), books.balances, before);
    previous = { month, counts_until: terms.counts_until };
  }
  return differences(balancesOf(journal), balancesOf(entries));
}

/** The months of two instants and those between them, with the one behind: late entries of the last month count there. */
function monthsBetween(first: number, last: number): string[] {
  const found: string[] = [];
  for (let month = spanOf(first, "month"); month <= spanOf(last, "month"); ) {
    found.push(month);
    month = spanOf(spanEnd(month), "month");
  }
  return [...found, spanOf(spanEnd(spanOf(last, "month")), "month")];
}

/** What accounts have got, less what they gave. */
function balancesOf(moves: readonly Moved[]): Map<string, bigint> {
  const balances = new Map<string, bigint>();
  for (const { debit, credit, points } of moves) {
    balances.set(credit, (balances.get(credit) ?? 0n) + parsePoints(points));
    balances.set(debit, (balances.get(debit) ?? 0n) - parsePoints(points));
  }
  return balances;
}

function differences(closed: ReadonlyMap<string, bigint>, booked: ReadonlyMap<string, bigint>): string[] {
  const accounts = [...new Set([...closed.keys(), ...booked.keys()])];
  return accounts.flatMap((account) => {
    const [told, right] = [closed.get(account) ?? 0n, booked.get(account) ?? 0n];
    return told === right
      ? []
      : [
          `close: ${account} has ${formatPoints(told)} by the journals, and ${formatPoints(right)} by the ledger`,
        ];
  });
}
