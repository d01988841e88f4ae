/** What a test closes months with: the spring's books, and the rest as a test says. */

import { peppersOf } from "#shared/base/platform/pepper.ts";
import type { MonthCloses } from "#shared/books/close/closes.ts";
import type { BillsReport, ToldSection } from "#shared/books/reports/bills/report.ts";
import { type CloseDeps, type CloseRequest, closeMonth } from "#shared/edges/operator/close/close.ts";
import type { VerifyDeps } from "#shared/edges/operator/close/verify.ts";
import { marginOf } from "#shared/edges/operator/margin.ts";
import { at, type Spring } from "./spring.ts";

const emptySection: ToldSection = {
  ...{ credential: "", by_credential: false, bills: [], days_without_bill: [], broken_off: 0, cells: [] },
  ...{ unmatched_models: [] },
  totals: { ours: {}, theirs: {}, difference: {}, unexplained: {}, causes: [] },
};

/** The comparison of a bill of `acme`, the provider of the spring's calls. */
export function billedBy(change: Partial<ToldSection> = {}, unbilled_days: string[] = []): BillsReport {
  const sections = [{ ...emptySection, ...change }];
  return { month: "2026-03", currency: "USD", providers: [{ provider: "acme", unbilled_days, sections }] };
}

async function* none(): AsyncGenerator<never> {}

/** The pepper of these tests. */
export const pepper = "a pepper";

/** Everything a close needs, at an instant of RFC 3339: nothing is open, unless `subject` says so. */
export function closingAt(
  spring: Spring,
  closes: MonthCloses,
  instant: string,
  subject: Partial<CloseDeps["subject"]> = {},
): CloseDeps & VerifyDeps {
  const { ledger, organization } = spring.books;
  const accounts = {
    async *organizations() {
      const found = await spring.accounts.organization(organization);
      if (found) yield found;
    },
    organization: spring.accounts.organization,
  };
  const seller = { issuer: "Acme", currency: { code: "USD", points_per_unit: "100" } };
  return {
    ...{ accounts, ledger, closes, seller, now: () => at(instant) },
    subject: {
      ledger,
      organizations: () => accounts.organizations(),
      ...{ holds: async () => [], deadLetters: async () => 0, orders: none, invoices: none },
      audit: async () => ({ ok: true, pending: false, invariants: [] }),
      bills: async () => billedBy(),
      ...subject,
    },
    margin: (range) => marginOf(range, { accounts, ledger, seller }),
    pepper: async () => pepper,
    peppers: async () => peppersOf({ version: 1, value: pepper }),
  };
}

/** Closes a month at an instant. No check is accepted. */
export async function close(month: string, deps: CloseDeps, request: Partial<CloseRequest> = {}) {
  return await closeMonth({ month, accepted: new Set(), reason: null, by: "ann", ...request }, deps);
}
