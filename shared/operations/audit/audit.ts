/**
 * The invariants of the ledger, checked on everything there is (billing.md §2.8). What is under way explains a
 * gap to the last digit or not at all; only a queue that is not empty, and books that move, get some patience.
 */
import type { Accounts, Organization } from "../../accounts/account.ts";
import { formatPoints, parsePoints } from "../../billing/points.ts";
import type { PriceVersion } from "../../billing/pricing/price.ts";
import type { Entry, Ledger, PlacedRollup } from "../../ledger/ledger.ts";
import type { DeadLetter } from "../../ledger/usage-event.ts";
import type { BudgetShare, Intent } from "../../meters/meter.ts";
import { pause } from "../../platform/pause.ts";
import type { Tasks } from "../../tasks/task.ts";
import { budgetsMatchLedger } from "./budgets.ts";
import { creditsMatchGrants, feesArePosted } from "./credits.ts";
import { eventsArrive, type Fate, fatesOf, firstOf, type Letter, readLetters } from "./dead-letters.ts";
import { findUnderWay, heldOn, quotasMatchLedger, type UnderWay, walletsMatchLedger } from "./in-flight.ts";
import { type HeldTask, holdsEnd, readHeldTasks, tasksEnd, walletsAreWhole } from "./meters.ts";
import { pricesResolve } from "./prices.ts";
import { type Finding, type PlacedSeal, placesIn, rollupsMatchEntries, sealedMatch } from "./rollups.ts";

/** One meter item as the audit reads it. Points are 10⁻¹⁸. */
export interface AuditedMeter {
  meter: string;
  shard: number;
  mode: "subscription" | "payg";
  granted: bigint;
  avail: bigint;
  used: bigint;
  holds: Map<string, AuditedHold>;
  seized: Map<string, AuditedHold>;
  tasks: Map<string, AuditedHold>;
  periods: Map<string, number>;
  /** Points spent and held, by the counter of a key's budget. */
  budgets: Map<string, bigint>;
}

interface AuditedHold {
  points: bigint;
  period: string;
  budget?: BudgetShare;
}

export interface AuditDeps {
  accounts: Pick<Accounts, "organizations">;
  meters: {
    everyMeter(): AsyncIterable<AuditedMeter>;
    intent(request: string): Promise<Intent | undefined>;
  };
  tasks: Pick<Tasks, "find">;
  ledger: Pick<Ledger, "seal"> & {
    everyEntry(): AsyncIterable<Entry>;
    everyRollup(): AsyncIterable<PlacedRollup>;
    prices(): AsyncIterable<PriceVersion>;
  };
  /** The usage queue. Nothing is taken from it, and nobody waits for a message because it is looked at. */
  queue: {
    /** Messages still to be settled: waiting, delayed or being worked on. */
    depth(): Promise<number>;
    /** The dead letters, and how many there are that could not be seen. */
    deadLetters(): Promise<{ letters: DeadLetter[]; unread: number }>;
  };
  now: () => number;
}

export interface Invariant {
  name: string;
  holds: boolean;
  detail: string;
}

export interface AuditReport {
  ok: boolean;
  /** Something under way may still close a gap. */
  pending: boolean;
  invariants: Invariant[];
}

/** One look at large books may take longer; a gap gets a second one all the same. */
const patienceMs = 30_000;
const pauseMs = 500;

/**
 * Checks every invariant. Waits up to 30 s for quiet books before it says `pending` or finds a gap. A gap is one,
 * however busy the books are, when every look has shown it and two of them knew of nothing that it may be.
 */
export async function audit(deps: AuditDeps): Promise<AuditReport> {
  const giveUpAt = deps.now() + patienceMs;
  let before = "";
  let lasting: Map<string, number> | undefined;
  for (;;) {
    const { findings, invariants, isMoving, hasLetters } = await look(deps);
    const ok = invariants.every(({ holds }) => holds);
    const seen = JSON.stringify(invariants);
    const pending = isMoving || hasLetters;
    // A clean audit of books that stand still is final; so is a gap seen twice with nothing on its way both
    // times: what was on its way at the first look may have arrived between the reads of it.
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

/** What one look at the books has shown. */
interface Look {
  findings: NamedFinding[];
  invariants: Invariant[];
  /** There are messages that nobody has read, or calls in flight: the next look may show something else. */
  isMoving: boolean;
  hasLetters: boolean;
}

/** Looks at everything once. Of books that stood still meanwhile, with no message unread, it is the whole truth. */
export async function look(deps: AuditDeps): Promise<Look> {
  const books = await readBooks(deps);
  const findings = checks.map(([name, check]) => ({ name, ...check(books) }));
  return {
    findings,
    invariants: findings.map((finding) => invariantOf(finding, books.underWay)),
    isMoving: books.underWay.unseen > 0 || books.holds > 0,
    hasLetters: books.letters.length > 0,
  };
}

/** The gaps that every look has shown so far, with how many looks knew of nothing that it may be. */
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

interface Books {
  organizations: Organization[];
  meters: AuditedMeter[];
  entries: Entry[];
  rollups: PlacedRollup[];
  prices: PriceVersion[];
  seals: PlacedSeal[];
  holds: number;
  heldTasks: HeldTask[];
  queued: number;
  letters: Letter[];
  fates: Fate[];
  underWay: UnderWay;
  now: number;
}

/**
 * Reads everything, in the order in which money moves: a call that its meter has settled is then found in the
 * queue, among the dead letters or in the ledger, wherever it goes meanwhile.
 */
async function readBooks(deps: AuditDeps): Promise<Books> {
  const organizations = await Array.fromAsync(deps.accounts.organizations());
  const meters = await Array.fromAsync(deps.meters.everyMeter());
  const queued = await deps.queue.depth();
  const dead = await deps.queue.deadLetters();
  const letters = await readLetters(dead.letters, (request) => deps.meters.intent(request));
  const [entries, rollups] = await Promise.all([
    Array.fromAsync(deps.ledger.everyEntry()),
    Array.fromAsync(deps.ledger.everyRollup()),
  ]);
  // A price is put before the first entry that was charged at it.
  const prices = await Array.fromAsync(deps.ledger.prices());
  const fates = fatesOf(letters, entries);
  const unseen = queued + dead.unread;
  const underWay = findUnderWay({ meters, entries }, { letters, fates, unseen });
  const holds = meters.reduce((sum, meter) => sum + meter.holds.size + meter.seized.size, 0);
  const seals: PlacedSeal[] = [];
  for (const { organization, project } of placesIn(rollups)) {
    seals.push({ organization, project, seal: await deps.ledger.seal(organization, project) });
  }
  const heldTasks = await readHeldTasks(deps.tasks, organizations, meters);
  const now = deps.now();
  return {
    organizations,
    meters,
    entries,
    rollups,
    prices,
    seals,
    holds,
    heldTasks,
    queued,
    letters,
    fates,
    underWay,
    now,
  };
}

/** The checks, in the order they are printed. Each is one sentence about the books and its figures. */
const checks: [name: string, check: (books: Books) => Finding][] = [
  ["meters_balance", metersBalance],
  ["wallets_match_ledger", walletsMatchLedger],
  ["credits_match_grants", creditsMatchGrants],
  ["quotas_match_ledger", quotasMatchLedger],
  ["budgets_match_ledger", budgetsMatchLedger],
  ["rollups_match_entries", rollupsMatchEntries],
  ["days_match_hours", (books) => sealedMatch(books, "day")],
  ["months_match_days", (books) => sealedMatch(books, "month")],
  ["books_balance", booksBalance],
  ["fees_are_posted", feesArePosted],
  ["prices_resolve", pricesResolve],
  ["wallets_are_whole", walletsAreWhole],
  ["holds_end", holdsEnd],
  ["tasks_end", tasksEnd],
  ["events_arrive", eventsArrive],
];

function invariantOf({ name, gaps, open = [], detail }: NamedFinding, { unseen }: UnderWay): Invariant {
  if (gaps.length + open.length === 0) return { name, holds: true, detail };
  const waits = open.length === 0 ? "" : `; ${unseen} messages could not be read`;
  return { name, holds: false, detail: firstOf([...gaps, ...open], "; ") + waits };
}

/** granted = avail + held + seized + used, on every wallet item, at any instant. */
function metersBalance({ meters }: Books): Finding {
  const wallets = meters.filter(({ mode }) => mode === "payg");
  const gaps = wallets.flatMap(({ meter, shard, granted, avail, used, ...item }) => {
    const held = heldOn(item).reduce((sum, { points }) => sum + points, 0n);
    const gap = granted - avail - held - used;
    return gap === 0n ? [] : [`${meter}#${shard} is off by ${formatPoints(gap)}`];
  });
  return {
    gaps,
    detail: `${wallets.length} wallet items: granted = available + held + used`,
  };
}

/** Every entry moves its event's points, or what a correction changes of them, from one account to another. */
function booksBalance({ entries }: Books): Finding {
  const accounts = new Set(entries.flatMap(({ debit, credit }) => [debit, credit]));
  const base = new Map(
    entries.flatMap(({ kind, event }) => (event && kind === "usage" ? [[event.id, event]] : [])),
  );
  const gaps = entries.flatMap(({ id, kind, organization, debit, credit, points, event }) => {
    const account = kind === "plan_fee" ? `receivable:${organization}` : `customer:${organization}`;
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
