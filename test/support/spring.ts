/** Books of one organization and its project `alpha` in the spring of 2026, fresh for each test of a file. */
import { beforeEach } from "vitest";
import type { Aws } from "#shared/base/platform/aws.ts";
import { spanEnd, spanOf, unitOf } from "#shared/books/billing/period.ts";
import { formatPoints } from "#shared/books/billing/points.ts";
import type { Seal } from "#shared/books/ledger/ledger.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import { type Books, eventAt, expectReport, openBooks } from "./books.ts";
import type { Database } from "./dynamodb.ts";
import { useStores } from "./stores.ts";

export const at = (text: string) => Date.parse(text);
export const hour = 3_600_000;

/** The model of every event that names none. */
export const model = "acme/Sonic-1-5";

export interface Spring {
  db: Database;
  accounts: ReturnType<typeof useStores>["accounts"];
  books: Books;
  /** An event of the project, of 0.5 points. */
  eventOn(text: string, change?: Partial<UsageEvent>): UsageEvent;
  /** Posts one within its day. */
  postOn(text: string, change?: Partial<UsageEvent>): Promise<void>;
  /** What the rollups of a span say was charged, in the organization and in the project. */
  costOf(span: string, of?: string): Promise<(string | undefined)[]>;
  sealOf(project?: string): Promise<Seal>;
  /** Checks reports of ranges that use hours, days and months of the spring, and less. */
  expectReports(): Promise<void>;
  /** A client that lets `first` happen before the first transaction on these books that writes `sort`. */
  interrupted(sort: string, first: () => Promise<unknown>): Aws;
}

const ranges = [
  ["2026-01-01T00:00:00Z", "2026-12-31T00:00:00Z"],
  ["2026-03-10T05:30:00.001Z", "2026-04-02T21:59:59.999Z"],
  ["2026-03-31T01:00:00Z", "2026-03-31T23:00:00Z"],
  ["2026-03-31T09:15:00Z", "2026-03-31T09:45:00Z"],
] as const;

/** Registers fresh books for each test of the file. Its members are there once a test runs. */
export function useBooks(): Spring {
  const { db, accounts } = useStores();
  const spring = {
    db,
    accounts,
    eventOn: (text, change = {}) =>
      eventAt(spring.books.organization, at(text), { project: "alpha", ...change }),
    postOn: (text, change) => spring.books.post([spring.eventOn(text, change)], at(text)),
    async costOf(span, of = model) {
      const { ledger, organization } = spring.books;
      const end = spanOf(spanEnd(span), unitOf(span));
      const found = await Promise.all(
        ["", "alpha"].map((project) => ledger.rollups(organization, project, span, end)),
      );
      return found.map((rollups) => {
        const sums = rollups.find((rollup) => rollup.model === of)?.sums;
        return sums && formatPoints(sums.cost_points);
      });
    },
    sealOf: (project = "") => spring.books.ledger.seal(spring.books.organization, project),
    async expectReports() {
      for (const project of ["", "alpha"]) {
        for (const [from, to] of ranges) await expectReport(spring.books, project, at(from), at(to));
      }
    },
    interrupted(sort, first) {
      let done = false;
      return async (service, action, input) => {
        const text = action === "TransactWriteItems" ? JSON.stringify(input) : "";
        if (!done && text.includes(spring.books.organization) && text.includes(`"${sort}`)) {
          done = true;
          await first();
        }
        return db.aws(service, action, input);
      };
    },
  } as Spring;
  beforeEach(async () => {
    spring.books = await openBooks(db, ["alpha"], at("2026-01-01T00:00:00Z"));
  });
  return spring;
}
