/**
 * The invariants of the ledger, checked on everything there is (billing.md §2.8). A gap counts only when
 * nothing is under way that explains it: a message in a queue, a hold, or books that still move.
 */
import type { Accounts, Organization } from "../billing/account.ts";
import type { Entry, Ledger } from "../billing/ledger.ts";
import { quotaPeriod } from "../billing/period.ts";
import { formatPoints, parsePoints } from "../billing/points.ts";
import type { Tasks } from "../billing/task.ts";
import { pause } from "../platform/pause.ts";
import { type HeldTask, holdsEnd, readHeldTasks, tasksEnd, walletsAreWhole } from "./audit-meters.ts";
import {
  type Finding,
  finalEvents,
  type PlacedRollup,
  type PlacedSeal,
  placesIn,
  rollupsMatchEntries,
  sealedMatch,
} from "./audit-rollups.ts";

/** One meter item as the audit reads it. Points are 10⁻¹⁸. */
export interface AuditedMeter {
  meter: string;
  shard: number;
  mode: "subscription" | "payg";
  granted: bigint;
  avail: bigint;
  used: bigint;
  holds: Map<string, { points: bigint; period: string }>;
  seized: Map<string, { points: bigint; period: string }>;
  tasks: Map<string, { points: bigint; period: string }>;
  periods: Map<string, number>;
}

export interface AuditDeps {
  accounts: Pick<Accounts, "organizations">;
  meters: { everyMeter(): AsyncIterable<AuditedMeter> };
  tasks: Pick<Tasks, "find">;
  ledger: Pick<Ledger, "seal"> & {
    everyEntry(): AsyncIterable<Entry>;
    everyRollup(): AsyncIterable<PlacedRollup>;
  };
  /** Messages that are still to be settled, dead letters included. */
  pending: () => Promise<number>;
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

const patienceMs = 30_000;
const pauseMs = 500;

/** What a message or a hold under way can explain. The rest is one write, or has had its time. */
const explicable = new Set(["wallets_match_ledger", "quotas_match_ledger"]);

/**
 * Checks every invariant. Waits up to 30 s for quiet books before it says `pending` or finds a gap. A gap that
 * nothing under way explains, and that every look has shown, is one however busy the books are.
 */
export async function audit(deps: AuditDeps): Promise<AuditReport> {
  const giveUpAt = deps.now() + patienceMs;
  let before = "";
  let lasting: string[] | undefined;
  for (;;) {
    const books = await readBooks(deps);
    const invariants = checks.map((check) => check(books));
    const ok = invariants.every(({ holds }) => holds);
    const seen = JSON.stringify(invariants);
    const underWay = (await deps.pending()) > 0 || books.holds > 0;
    // A clean audit of books that stand still is final; so is a gap seen twice with nothing under way both
    // times: what was on its way at the first look may have arrived between the reads of it.
    if (!underWay && (ok || seen === before)) return { ok, pending: false, invariants };
    const unexplained = invariants.filter(({ name, holds }) => !holds && !explicable.has(name));
    const details = unexplained.map(({ detail }) => detail);
    const stayed = lasting && details.filter((detail) => lasting?.includes(detail));
    if (deps.now() >= giveUpAt) {
      const pending = underWay || seen !== before;
      return { ok: ok || (pending && !stayed?.length), pending, invariants };
    }
    lasting = stayed ?? details;
    before = underWay ? "" : seen;
    await pause(pauseMs);
  }
}

interface Books {
  organizations: Organization[];
  meters: AuditedMeter[];
  entries: Entry[];
  rollups: PlacedRollup[];
  seals: PlacedSeal[];
  holds: number;
  heldTasks: HeldTask[];
  now: number;
}

async function readBooks(deps: AuditDeps): Promise<Books> {
  const [organizations, meters, entries, rollups] = await Promise.all([
    Array.fromAsync(deps.accounts.organizations()),
    Array.fromAsync(deps.meters.everyMeter()),
    Array.fromAsync(deps.ledger.everyEntry()),
    Array.fromAsync(deps.ledger.everyRollup()),
  ]);
  const holds = meters.reduce((sum, meter) => sum + meter.holds.size + meter.seized.size, 0);
  const seals: PlacedSeal[] = [];
  for (const { organization, project } of placesIn(rollups)) {
    seals.push({ organization, project, seal: await deps.ledger.seal(organization, project) });
  }
  const heldTasks = await readHeldTasks(deps.tasks, organizations, meters);
  return { organizations, meters, entries, rollups, seals, holds, heldTasks, now: deps.now() };
}

/** The checks, in the order they are printed. Each is one sentence about the books and its figures. */
const checks: ((books: Books) => Invariant)[] = [
  metersBalance,
  walletsMatchLedger,
  creditsMatchGrants,
  quotasMatchLedger,
  (books) => invariant("rollups_match_entries", rollupsMatchEntries(books)),
  (books) => invariant("days_match_hours", sealedMatch(books, "day")),
  (books) => invariant("months_match_days", sealedMatch(books, "month")),
  booksBalance,
  (books) => invariant("wallets_are_whole", walletsAreWhole(books)),
  (books) => invariant("holds_end", holdsEnd(books)),
  (books) => invariant("tasks_end", tasksEnd(books)),
];

function invariant(name: string, { gaps, detail }: Finding): Invariant {
  const shown = gaps.slice(0, 5).join("; ") + (gaps.length > 5 ? `; and ${gaps.length - 5} more` : "");
  return { name, holds: gaps.length === 0, detail: gaps.length === 0 ? detail : shown };
}

/** granted = avail + held + seized + used, on every wallet item, at any instant. */
function metersBalance({ meters }: Books): Invariant {
  const wallets = meters.filter(({ mode }) => mode === "payg");
  const gaps = wallets.flatMap(({ meter, shard, granted, avail, used, ...item }) => {
    const held = heldOn(item).reduce((sum, { points }) => sum + points, 0n);
    const gap = granted - avail - held - used;
    return gap === 0n ? [] : [`${meter}#${shard} is off by ${formatPoints(gap)}`];
  });
  return invariant("meters_balance", {
    gaps,
    detail: `${wallets.length} wallet items: granted = available + held + used`,
  });
}

/** What each wallet has used is what the ledger charged it. */
function walletsMatchLedger({ organizations, meters, entries }: Books): Invariant {
  const used = totals(meters.map(({ meter, used }) => [meter, used]));
  const charged = totals(
    entries.flatMap((entry) => {
      const event = entry.kind === "credit" ? null : entry.event;
      return event && event.mode === "payg" ? [[event.meter, parsePoints(entry.points)] as const] : [];
    }),
  );
  const wallets = organizations.flatMap(({ wallet }) => (wallet ? [wallet.meter] : []));
  const gaps = wallets.flatMap((meter) => {
    const gap = (used.get(meter) ?? 0n) - (charged.get(meter) ?? 0n);
    return gap === 0n ? [] : [`${meter} used ${formatPoints(gap)} more than the ledger charged`];
  });
  const total = [...charged.values()].reduce((sum, points) => sum + points, 0n);
  return invariant("wallets_match_ledger", {
    gaps,
    detail: `${wallets.length} wallets: used = charged = ${formatPoints(total)} points`,
  });
}

/** What was granted to each wallet is what the ledger credited its organization. */
function creditsMatchGrants({ organizations, meters, entries }: Books): Invariant {
  const granted = totals(meters.map(({ meter, granted }) => [meter, granted]));
  const credited = totals(
    entries.flatMap((entry) =>
      entry.kind === "credit" ? [[entry.organization, parsePoints(entry.points)] as const] : [],
    ),
  );
  const gaps = organizations.flatMap(({ id, wallet }) => {
    const gap = (wallet ? (granted.get(wallet.meter) ?? 0n) : 0n) - (credited.get(id) ?? 0n);
    return gap === 0n ? [] : [`${id} was granted ${formatPoints(gap)} more than credited`];
  });
  const total = [...credited.values()].reduce((sum, points) => sum + points, 0n);
  return invariant("credits_match_grants", {
    gaps,
    detail: `${organizations.length} organizations: credited ${formatPoints(total)} points`,
  });
}

/** Calls counted in each running quota month are the calls of its entries and the calls in flight. */
function quotasMatchLedger({ organizations, meters, entries }: Books): Invariant {
  const subscriptions = organizations.flatMap(({ subscription }) => (subscription ? [subscription] : []));
  const started = new Map(subscriptions.map(({ meter, started_at }) => [meter, started_at]));
  const calls = totals(
    finalEvents(entries).flatMap((event) => {
      const start = started.get(event.meter);
      if (start === undefined || event.mode !== "subscription") return [];
      return [[`${event.meter} ${quotaPeriod(start, event.admitted_at).id}`, BigInt(event.calls)] as const];
    }),
  );
  const gaps: string[] = [];
  let months = 0;
  for (const { meter, periods, ...item } of meters) {
    for (const [period, counted] of periods) {
      months += 1;
      const inFlight = heldOn(item).filter((held) => held.period === period).length;
      const gap = BigInt(counted - inFlight) - (calls.get(`${meter} ${period}`) ?? 0n);
      if (gap !== 0n) gaps.push(`${meter} counts ${gap} calls of ${period} more than the ledger`);
    }
  }
  return invariant("quotas_match_ledger", {
    gaps,
    detail: `${months} quota months: calls counted = calls in the ledger`,
  });
}

/** Every entry moves its event's points, or what a correction changes of them, from one account to another. */
function booksBalance({ entries }: Books): Invariant {
  const accounts = new Set(entries.flatMap(({ debit, credit }) => [debit, credit]));
  const base = new Map(
    entries.flatMap(({ kind, event }) => (event && kind === "usage" ? [[event.id, event]] : [])),
  );
  const gaps = entries.flatMap(({ id, kind, organization, debit, credit, points, event }) => {
    const customer = kind === "credit" ? credit : debit;
    const owner = event?.organization ?? organization;
    if (!debit || !credit || debit === credit) return [`${id} does not name two accounts`];
    if (customer !== `customer:${organization}` || owner !== organization) return [`${id} is another's`];
    if (!event) return [];
    const corrected = kind === "adjustment" ? base.get(event.id) : undefined;
    if (kind === "adjustment" && !corrected) return [`${id} corrects an entry that is not there`];
    const moved = parsePoints(event.cost_points) - parsePoints(corrected?.cost_points ?? "0");
    return moved === parsePoints(points) ? [] : [`${id} moves ${points} points, not ${formatPoints(moved)}`];
  });
  return invariant("books_balance", {
    gaps,
    detail: `${entries.length} entries between ${accounts.size} accounts: each its event's points`,
  });
}

/** Everything a meter item holds: for calls, for calls the sweeper is closing, for tasks. */
function heldOn(
  item: Pick<AuditedMeter, "holds" | "seized" | "tasks">,
): { points: bigint; period: string }[] {
  return [item.holds, item.seized, item.tasks].flatMap((held) => [...held.values()]);
}

function totals(pairs: (readonly [string, bigint])[]): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const [name, amount] of pairs) sums.set(name, (sums.get(name) ?? 0n) + amount);
  return sums;
}
