/**
 * Checks the invariants of the ledger on all books (billing.md §2.8). What is in flight must explain a difference to
 * the last digit, or it is a gap. Where messages are unread or the books are changing, the audit looks again
 * before it says so.
 */
import type { Accounts, Organization } from "../../accounts/account.ts";
import { formatPoints, parsePoints } from "../../billing/points.ts";
import type { PriceVersion } from "../../billing/pricing/price.ts";
import type { Entry, Ledger, PlacedRollup } from "../../ledger/ledger.ts";
import type { DeadLetter } from "../../ledger/usage-event.ts";
import { allHeld, type Meter, type MeterList, type Meters } from "../../meters/meter.ts";
import type { Orders } from "../../payments/orders.ts";
import { pause } from "../../platform/pause.ts";
import type { Tasks } from "../../tasks/task.ts";
import { budgetsMatchLedger } from "./budgets.ts";
import { creditsMatchGrants, feesArePosted } from "./credits.ts";
import {
  type AuditedDeadLetter,
  auditDeadLetters,
  eventsArrive,
  type Fate,
  fatesOf,
  firstOf,
} from "./dead-letters.ts";
import { findInFlight, type InFlight, quotasMatchLedger, walletsMatchLedger } from "./in-flight.ts";
import { type HeldTask, holdsEnd, readHeldTasks, tasksEnd, walletsAreWhole } from "./meters.ts";
import { type AuditedOrders, ordersMatchLedger, refundsMatchLedger } from "./orders.ts";
import { planDaysMatch } from "./plan-days.ts";
import { pricesResolve } from "./prices.ts";
import { type Finding, type PlacedSeal, placesIn, rollupsMatchEntries, sealedMatch } from "./rollups.ts";

/** What the audit reads of a meter. */
type AuditedField =
  | "meter"
  | "shard"
  | "mode"
  | "granted"
  | "avail"
  | "used"
  | "holds"
  | "seized"
  | "tasks"
  | "periods"
  | "days"
  | "budgets";
export type AuditedMeter = Pick<Meter, AuditedField>;

export interface AuditDeps {
  accounts: Pick<Accounts, "organizations">;
  meters: MeterList<AuditedField> & Pick<Meters, "intent">;
  tasks: Pick<Tasks, "find">;
  orders: Pick<Orders, "every" | "everyRefund">;
  ledger: Pick<Ledger, "seal"> & {
    everyEntry(): AsyncIterable<Entry>;
    everyRollup(): AsyncIterable<PlacedRollup>;
    prices(): AsyncIterable<PriceVersion>;
  };
  /** The usage queue. The audit takes nothing from it and delays no message. */
  queue: {
    /** How many messages are still to be settled. */
    depth(): Promise<number>;
    /** The dead letters, and how many there are that could not be seen. */
    deadLetters(): Promise<{ deadLetters: DeadLetter[]; unread: number }>;
  };
  now: () => number;
}

interface Invariant {
  name: string;
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
 * Checks every invariant. Waits up to 30 s for quiet books. In busy books a difference counts as a gap if every look
 * has shown it, and two looks knew of nothing in flight that may explain it.
 */
export async function audit(deps: AuditDeps): Promise<AuditReport> {
  const giveUpAt = deps.now() + patienceMs;
  let before = "";
  let lasting: Map<string, number> | undefined;
  for (;;) {
    const { findings, invariants, isMoving, hasDeadLetters } = await look(deps);
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

/** The result of one look at the books. */
interface Look {
  findings: NamedFinding[];
  invariants: Invariant[];
  /** Messages are unread or calls in flight, so the next look may show something else. */
  isMoving: boolean;
  hasDeadLetters: boolean;
}

/** Looks at everything once. The result is certain if the books stood still meanwhile and all messages were read. */
export async function look(deps: AuditDeps): Promise<Look> {
  const books = await readBooks(deps);
  const findings = checks.map(([name, check]) => ({ name, ...check(books) }));
  return {
    findings,
    invariants: findings.map((finding) => invariantOf(finding, books.inFlight)),
    isMoving: books.inFlight.unseen > 0 || books.holds > 0,
    hasDeadLetters: books.deadLetters.length > 0,
  };
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
  name: string;
}

interface Books extends AuditedOrders {
  organizations: Organization[];
  meters: AuditedMeter[];
  entries: Entry[];
  rollups: PlacedRollup[];
  prices: PriceVersion[];
  seals: PlacedSeal[];
  holds: number;
  unsettledTasks: HeldTask[];
  queued: number;
  deadLetters: AuditedDeadLetter[];
  fates: Fate[];
  inFlight: InFlight;
  now: number;
}

/**
 * Reads everything in the order in which money moves: meters, queue, dead letters, ledger. A call that its meter has
 * settled is then found in one of the later places, even if it moves on during the look. An order and its entry change in
 * one transaction, so no order of reading helps there: the second look does.
 */
async function readBooks(deps: AuditDeps): Promise<Books> {
  const organizations = await Array.fromAsync(deps.accounts.organizations());
  const meters = await Array.fromAsync(deps.meters.everyMeter());
  const queued = await deps.queue.depth();
  const dead = await deps.queue.deadLetters();
  const deadLetters = await auditDeadLetters(dead.deadLetters, (request) => deps.meters.intent(request));
  const [entries, rollups] = await Promise.all([
    Array.fromAsync(deps.ledger.everyEntry()),
    Array.fromAsync(deps.ledger.everyRollup()),
  ]);
  // A price is written before the first entry that was charged at it.
  const prices = await Array.fromAsync(deps.ledger.prices());
  const fates = fatesOf(deadLetters, entries);
  const unseen = queued + dead.unread;
  const inFlight = findInFlight({ meters, entries }, { deadLetters, fates, unseen });
  const holds = meters.reduce((sum, meter) => sum + meter.holds.size + meter.seized.size, 0);
  const seals: PlacedSeal[] = [];
  for (const { organization, project } of placesIn(rollups)) {
    seals.push({ organization, project, seal: await deps.ledger.seal(organization, project) });
  }
  const unsettledTasks = await readHeldTasks(deps.tasks, organizations, meters);
  const orders = await Array.fromAsync(deps.orders.every());
  const refunds = await Array.fromAsync(deps.orders.everyRefund());
  const now = deps.now();
  return {
    organizations,
    meters,
    entries,
    rollups,
    prices,
    seals,
    holds,
    unsettledTasks,
    queued,
    deadLetters,
    fates,
    inFlight,
    orders,
    refunds,
    now,
  };
}

/** The checks in the order of the report. */
const checks: [name: string, check: (books: Books) => Finding][] = [
  ["meters_balance", metersBalance],
  ["wallets_match_ledger", walletsMatchLedger],
  ["credits_match_grants", creditsMatchGrants],
  ["quotas_match_ledger", quotasMatchLedger],
  ["budgets_match_ledger", budgetsMatchLedger],
  ["plan_days_match", planDaysMatch],
  ["rollups_match_entries", rollupsMatchEntries],
  ["days_match_hours", (books) => sealedMatch(books, "day")],
  ["months_match_days", (books) => sealedMatch(books, "month")],
  ["books_balance", booksBalance],
  ["fees_are_posted", feesArePosted],
  ["orders_match_ledger", ordersMatchLedger],
  ["refunds_match_ledger", refundsMatchLedger],
  ["prices_resolve", pricesResolve],
  ["wallets_are_whole", walletsAreWhole],
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
function metersBalance({ meters }: Books): Finding {
  const wallets = meters.filter(({ mode }) => mode === "payg");
  const gaps = wallets.flatMap(({ meter, shard, granted, avail, used, ...item }) => {
    const held = allHeld(item).reduce((sum, { points }) => sum + points, 0n);
    const gap = granted - avail - held - used;
    return gap === 0n ? [] : [`${meter}#${shard} is off by ${formatPoints(gap)}`];
  });
  return {
    gaps,
    detail: `${wallets.length} wallet items: granted = available + held + used`,
  };
}

/** Every entry moves the points of its event, or a correction's difference, from one account to another. */
function booksBalance({ entries }: Books): Finding {
  const accounts = new Set(entries.flatMap(({ debit, credit }) => [debit, credit]));
  const base = new Map(
    entries.flatMap(({ kind, event }) => (event && kind === "usage" ? [[event.id, event]] : [])),
  );
  const gaps = entries.flatMap(({ id, kind, organization, debit, credit, points, event }) => {
    const owes = kind === "plan_fee" || kind === "payment";
    const account = owes ? `receivable:${organization}` : `customer:${organization}`;
    const isOwn = event ? debit === account : debit === account || credit === account;
    const owner = event?.organization ?? organization;
    if (!debit || !credit || debit === credit) return [`${id} does not name two accounts`];
    if (!isOwn || owner !== organization) return [`${id} is another's`];
    if (!event) return parsePoints(points) < 0n ? [`${id} moves less than nothing`] : [];
    const corrected = kind === "adjustment" ? base.get(event.id) : undefined;
    if (kind === "adjustment" && !corrected) return [`${id} corrects an entry that is not there`];
    const moved = parsePoints(event.cost_points) - parsePoints(corrected?.cost_points ?? "0");
    return moved === parsePoints(points) ? [] : [`${id} moves ${points} points, not ${formatPoints(moved)}`];
  });
  return {
    gaps,
    detail: `${entries.length} entries between ${accounts.size} accounts: each its event's points`,
  };
}
