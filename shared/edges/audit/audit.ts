/** Checks the invariants of the ledger on all books (billing.md §2.8; edges/audit/README.md "How it reads"). */

import { pause } from "../../base/platform/pause.ts";
import { formatPoints } from "../../books/billing/points.ts";
import { allHeld } from "../../books/meters/meter.ts";
import { accountsAgree } from "./accounts.ts";
import { type AllBooks, readBooks } from "./books.ts";
import { budgetsMatchLedger } from "./budgets.ts";
import { creditsMatchGrants, feesArePosted, moneyIsAsWritten } from "./credits.ts";
import { eventsArrive, firstOf } from "./dead-letters.ts";
import type { AuditDeps } from "./deps.ts";
import { type InFlight, quotasMatchLedger, walletsMatchLedger } from "./in-flight.ts";
import { type InvariantName, invariants } from "./invariants.ts";
import { invoicesMatchOrders } from "./invoices.ts";
import { finding } from "./kept.ts";
import { keysAgree } from "./keys.ts";
import { membersAgree } from "./members.ts";
import { holdsEnd, metersAreWhole, tasksEnd } from "./meters.ts";
import { ordersMatchEvidence } from "./order-states.ts";
import { ordersMatchLedger, refundsMatchLedger } from "./orders.ts";
import { planDaysMatch } from "./plan-days.ts";
import { pricesResolve } from "./prices.ts";
import type { Finding } from "./rollups.ts";
import { newWalk, type Walked, walk } from "./walk.ts";

export type { AuditDeps } from "./deps.ts";

interface Invariant {
  name: InvariantName;
  holds: boolean;
  detail: string;
}

export interface AuditReport {
  ok: boolean;
  /** Something in flight may still close a gap. */
  pending: boolean;
  invariants: Invariant[];
}

/** A look at large books may take longer than that. A gap gets a second look all the same. */
const patienceMs = 30_000;
const pauseMs = 500;

/**
 * Walks once, then looks, and waits up to 30 s for quiet books. In busy books a difference is a gap if every look has
 * shown it, and two looks knew of nothing in flight that may explain it.
 */
export async function audit(deps: AuditDeps): Promise<AuditReport> {
  const walked = await walkAll(deps);
  const giveUpAt = deps.now() + patienceMs;
  let before = "";
  let lasting: Map<string, number> | undefined;
  for (;;) {
    const { findings, invariants, isMoving, hasDeadLetters } = await lookAt(walked, deps);
    const ok = invariants.every(({ holds }) => holds);
    const seen = JSON.stringify(invariants);
    const pending = isMoving || hasDeadLetters;
    // Where the books stand still, a clean result is final. So is a gap that two looks in a row have shown: at the
    // first look, something may have arrived between its reads.
    if (!isMoving && (ok || seen === before)) return { ok, pending, invariants };
    const again = lasting !== undefined;
    lasting = stillThere(findings, lasting);
    if (deps.now() >= giveUpAt && (ok || again)) {
      const isProven = [...lasting.values()].some((times) => times > 1);
      const moves = isMoving || seen !== before;
      return { ok: ok || (moves && !isProven), pending: pending || moves, invariants };
    }
    before = isMoving ? "" : seen;
    await pause(pauseMs);
  }
}

async function walkAll(deps: AuditDeps): Promise<Walked> {
  const { walked = newWalk(), ...options } = deps.walking ?? {};
  const organizations = await Array.fromAsync(deps.accounts.organizations());
  return await walk(walked, organizations, options, deps);
}

interface AuditLook {
  findings: NamedFinding[];
  invariants: Invariant[];
  /** Messages are unread or calls in flight, so the next look may show something else. */
  isMoving: boolean;
  hasDeadLetters: boolean;
}

/** Walks through the entries and looks at everything once. */
export async function look(deps: AuditDeps): Promise<AuditLook> {
  return await lookAt(await walkAll(deps), deps);
}

/** Looks at what moves. The result is certain if the books stood still meanwhile and all messages were read. */
async function lookAt(walked: Walked, deps: AuditDeps): Promise<AuditLook> {
  const books = await readBooks(walked, deps.walking?.since, deps);
  const findings = checks.map(([name, check]) => ({ name, ...checked(check, books) }));
  return {
    findings,
    invariants: findings.map((finding) => invariantOf(finding, books.inFlight)),
    isMoving: books.inFlight.unseen > 0 || books.holds > 0,
    hasDeadLetters: books.deadLetters.length > 0,
  };
}

/** What a check finds. An item that it cannot read is a gap, and stops no other check. */
function checked(check: (books: AllBooks) => Finding, books: AllBooks): Finding {
  try {
    return check(books);
  } catch (error) {
    return finding([`cannot be checked: ${error instanceof Error ? error.message : String(error)}`], "");
  }
}

/** The gaps that every look so far has shown, and how many of the looks knew of nothing that may explain them. */
function stillThere(findings: NamedFinding[], earlier?: Map<string, number>): Map<string, number> {
  const gaps = findings.flatMap(({ name, gaps, open = [] }) => [
    ...gaps.map((gap) => [`${name} ${gap}`, 1] as const),
    ...open.map((gap) => [`${name} ${gap}`, 0] as const),
  ]);
  const lasting = gaps.filter(([gap]) => !earlier || earlier.has(gap));
  return new Map(lasting.map(([gap, times]) => [gap, (earlier?.get(gap) ?? 0) + times]));
}

interface NamedFinding extends Finding {
  name: InvariantName;
}

/** The checks in the order of the report. */
const checks: [name: InvariantName, check: (books: AllBooks) => Finding][] = [
  ["meters_balance", metersBalance],
  ["wallets_match_ledger", walletsMatchLedger],
  ["credits_match_grants", (books) => creditsMatchGrants({ ...books, entries: books.money })],
  ["quotas_match_ledger", quotasMatchLedger],
  ["budgets_match_ledger", budgetsMatchLedger],
  ["plan_days_match", planDaysMatch],
  ["rollups_match_entries", (books) => walkedThrough(books, "rollups_match_entries", "rollups of hours")],
  ["days_match_hours", ({ sums }) => sums.days],
  ["months_match_days", ({ sums }) => sums.months],
  ["books_balance", (books) => walkedThrough(books, "books_balance", "entries")],
  ["fees_are_posted", (books) => feesArePosted({ ...books, entries: books.money })],
  ["orders_match_ledger", (books) => ordersMatchLedger({ ...books, entries: books.money })],
  ["refunds_match_ledger", (books) => refundsMatchLedger({ ...books, entries: books.money })],
  [
    "prices_resolve",
    (books) => pricesResolve({ ...books, lost: gapsOf(books, "prices_resolve"), met: books.walked.prices }),
  ],
  ["entries_are_as_written", entriesAreAsWritten],
  ["entries_agree", (books) => walkedThrough(books, "entries_agree", "entries")],
  ["charges_follow_prices", (books) => walkedThrough(books, "charges_follow_prices", "entries")],
  ["meters_are_whole", metersAreWhole],
  ["accounts_agree", accountsAgree],
  ["keys_agree", keysAgree],
  ["tasks_match_ledger", ({ tasks }) => tasks],
  ["orders_match_evidence", ordersMatchEvidence],
  ["invoices_match_orders", invoicesMatchOrders],
  ["members_agree", membersAgree],
  ["holds_end", holdsEnd],
  ["tasks_end", tasksEnd],
  ["events_arrive", eventsArrive],
];

function invariantOf({ name, gaps, open = [], detail }: NamedFinding, { unseen }: InFlight): Invariant {
  if (gaps.length + open.length === 0) return { name, holds: true, detail };
  const waits = open.length === 0 ? "" : `; ${unseen} messages could not be read`;
  return { name, holds: false, detail: firstOf([...gaps, ...open], "; ") + waits };
}

/** On every wallet item, at any instant: granted = available + held + used. */
function metersBalance({ meters }: AllBooks): Finding {
  const wallets = meters.filter(({ mode }) => mode === "payg");
  const gaps = wallets.flatMap(({ meter, shard, granted, avail, used, ...item }) => {
    const held = allHeld(item).reduce((sum, { points }) => sum + points, 0n);
    const gap = granted - avail - held - used;
    const open = firstOf([...item.holds.keys(), ...item.seized.keys(), ...item.tasks.keys()]) || "no holds";
    return gap === 0n
      ? []
      : [`${meter}#${shard} has ${formatPoints(gap)} granted more than its avail, used and held, of ${open}`];
  });
  return finding(gaps, `${wallets.length} wallet items: granted = available + held + used`);
}

/** What the walk has found, and what was found in hours that it has not met. */
function gapsOf({ walked, sums }: AllBooks, name: InvariantName): string[] {
  return [...(walked.gaps[name] ?? []), ...sums.rest.of(name)];
}

function walkedThrough(books: AllBooks, name: InvariantName, what: string): Finding {
  const count = name === "rollups_match_entries" ? books.sums.rollups : books.walked.entries;
  return finding(gapsOf(books, name), `${count} ${what}: ${invariants[name]}`);
}

function entriesAreAsWritten(books: AllBooks): Finding {
  const { detail, gaps } = walkedThrough(books, "entries_are_as_written", "entries");
  return finding([...gaps, ...moneyIsAsWritten(books.moneyItems, books)], detail);
}
