/** Events of any day posted as of any instant, seals run as of any instant, and what reports must say of them. */
import { expect } from "vitest";
import type { Aws } from "#shared/base/platform/aws.ts";
import { newId, timeOf } from "#shared/base/platform/id.ts";
import type { Ledger, Sums } from "#shared/books/ledger/ledger.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import { addTo, isEmpty, sumsOf } from "#shared/books/reports/report.ts";
import { sumRange } from "#shared/books/reports/report-sums.ts";
import { audit } from "#shared/edges/audit/audit.ts";
import { type SealResult, seal } from "#shared/edges/jobs/seal.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { createKeptBooks } from "#shared/edges/store/audited.ts";
import { createLedger, type LedgerStore } from "#shared/edges/store/ledger/ledger.ts";
import { createSeals } from "#shared/edges/store/ledger/seals.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { createTasks } from "#shared/edges/store/tasks.ts";
import { emptyQueue } from "./audit-books.ts";
import type { Database } from "./dynamodb.ts";
import { eventOf, walletHold } from "./store.ts";

export interface Books {
  organization: string;
  /** Everything that was posted and counts, by request. */
  posted: Map<string, UsageEvent>;
  /** Posts events by a clock that says `now`, through `aws` if given. */
  post(events: UsageEvent[], now: number, aws?: Aws): Promise<void>;
  /** One pass of the sealer by a clock that says `now`. */
  seal(now: number, aws?: Aws): Promise<SealResult>;
  ledger: LedgerStore;
}

/** A new organization with a key for itself and one for each project, so that the sealer finds them. */
export async function openBooks(
  { aws, tables }: Database,
  projects: string[],
  createdAt: number,
): Promise<Books> {
  const organization = newId("organization", createdAt);
  const accounts = createAccounts(aws, tables);
  await accounts.createOrganization({
    id: organization,
    name: "Books",
    status: "active",
    subscription: null,
    wallet: null,
    permissions: [],
    created_at: createdAt,
  });
  for (const project of ["", ...projects]) {
    await accounts.createKey({
      id: newId("key", createdAt),
      hash: newId("request", createdAt),
      organization,
      project,
      name: "key",
      mode: "payg",
      permissions: [],
      limits: null,
      status: "active",
      last_four: "0000",
      created_at: createdAt,
      expires_at: null,
    });
  }
  const posted = new Map<string, UsageEvent>();
  return {
    organization,
    posted,
    ledger: createLedger(aws, tables),
    async post(events, now, through = aws) {
      await createLedger(through, tables, () => now).record(events);
      for (const event of events) posted.set(event.id, event);
    },
    seal: (now, through = aws) =>
      seal({
        ledger: createLedger(through, tables),
        seals: createSeals(through, tables),
        log: () => {},
        now: () => now,
      }),
  };
}

/** The key of every event that names none. */
const usualKey = newId("key", 0);

/** An event admitted at `at`. */
export function eventAt(organization: string, at: number, change: Partial<UsageEvent> = {}): UsageEvent {
  return eventOf(walletHold("mtr_1", "0", at), "0.5", {
    organization,
    mode: "subscription",
    key: usualKey,
    ...change,
  });
}

/** What every report must say: the events in [from, to), added up one by one. */
export function bruteForce({ posted }: Books, project: string, from: number, to: number): Map<string, Sums> {
  const byModel = new Map<string, Sums>();
  for (const event of posted.values()) {
    const at = timeOf(event.id);
    if (at < from || at >= to || (project !== "" && event.project !== project)) continue;
    addTo(byModel, event.model, sumsOf(event));
  }
  return new Map([...byModel].filter(([, sums]) => !isEmpty(sums)));
}

/** Checks a range's report against its events. */
export async function expectReport(
  books: Books,
  project: string,
  from: number,
  to: number,
  ledger: Ledger = books.ledger,
): Promise<void> {
  const place = { organization: books.organization, project };
  const sums = (await sumRange(ledger, place, from, to)).byModel();
  const range = `${project || "*"} ${new Date(from).toISOString()} ${new Date(to).toISOString()}`;
  expect(sums, range).toEqual(bruteForce(books, project, from, to));
}

/** The gaps an audit finds in hours, days and months of all books. */
export async function rollupGaps({ aws, tables }: Database): Promise<string[]> {
  const { invariants } = await audit({
    accounts: createAccounts(aws, tables),
    meters: createMeters(aws, tables),
    ledger: createLedger(aws, tables),
    kept: createKeptBooks(aws, tables),
    tasks: createTasks(aws, tables),
    queue: emptyQueue,
    now: Date.now,
  });
  const rollups = ["rollups_match_entries", "days_match_hours", "months_match_days"];
  return invariants
    .filter(({ name, holds }) => rollups.includes(name) && !holds)
    .map(({ name, detail }) => `${name}: ${detail}`);
}
