/**
 * What is under way between meters and ledger (billing.md §2.8.2). A gap is one when it is not exactly what
 * the events that are not booked yet, and the holds whose call is booked already, come to.
 */
import type { Organization } from "../../accounts/account.ts";
import { quotaPeriod } from "../../billing/period.ts";
import { formatPoints, parsePoints } from "../../billing/points.ts";
import type { Entry } from "../../ledger/ledger.ts";
import type { UsageEvent } from "../../ledger/usage-event.ts";
import { type Fate, firstOf, type Letter, nameOf } from "./dead-letters.ts";
import { type Finding, finalEvents } from "./rollups.ts";

interface Meter {
  meter: string;
  shard: number;
  used: bigint;
  holds: ReadonlyMap<string, Held>;
  seized: ReadonlyMap<string, Held>;
  tasks: ReadonlyMap<string, Held>;
  periods: ReadonlyMap<string, number>;
}

interface Held {
  points: bigint;
  period: string;
}

interface Books {
  organizations: Organization[];
  meters: Meter[];
  entries: Entry[];
  underWay: UnderWay;
}

/** What explains a gap. */
export interface UnderWay {
  /** Events that meters have and the ledger has not: their holds are settled, and recording them makes an entry. */
  coming: UsageEvent[];
  /** Events that the ledger has and meters have not: their holds are still to be settled from the entry. */
  ahead: UsageEvent[];
  /** Dead letters of unknown amount, each of a meter that is known or of any that its organization has. */
  unknown: Letter[];
  /** Messages that nobody has read. */
  unseen: number;
}

/**
 * Sorts out what is under way. A letter whose request has an entry explains nothing, its correction neither:
 * that moves meter and ledger in one transaction. So does one whose hold is not settled: no side has it yet.
 */
export function findUnderWay(
  { meters, entries }: Pick<Books, "meters" | "entries">,
  { letters, fates, unseen }: { letters: Letter[]; fates: Fate[]; unseen: number },
): UnderWay {
  // A task's hold and entry are one write: one that is held for and booked is held for once too often.
  const held = new Set(
    meters.flatMap((item) => [...item.holds.keys(), ...item.seized.keys()].map((id) => placeOf(item, id))),
  );
  const bases = entries.flatMap(({ kind, event }) => (event && kind === "usage" ? [event] : []));
  const booked = new Set(bases.map(({ id }) => id));
  const coming = new Map<string, UsageEvent>();
  const unknown: Letter[] = [];
  for (const [at, letter] of letters.entries()) {
    const { event, request, calledOn } = letter;
    if (calledOn && held.has(placeOf(calledOn, request ?? ""))) continue;
    if (event && fates[at] === "recorded") coming.set(event.id, event);
    if (!event && !booked.has(request ?? "")) unknown.push(letter);
  }
  const ahead = bases.filter((event) => held.has(placeOf(event, event.id)));
  return { coming: [...coming.values()], ahead, unknown, unseen };
}

function placeOf({ meter, shard }: { meter: string; shard: number }, request: string): string {
  return `${meter}#${shard} ${request}`;
}

/** What each wallet has used is what the ledger charged it. */
export function walletsMatchLedger({ organizations, meters, entries, underWay }: Books): Finding {
  const paid = (event: UsageEvent) => (event.mode === "payg" ? event.meter : undefined);
  const charged = totals(
    entries.flatMap(({ event, points }) => {
      const wallet = event && paid(event);
      return wallet ? [[wallet, parsePoints(points)] as const] : [];
    }),
  );
  const wallets = organizations.flatMap(({ wallet }) => (wallet ? [wallet.meter] : []));
  const total = [...charged.values()].reduce((sum, points) => sum + points, 0n);
  return reconcile(
    {
      accounts: wallets.map((meter) => ({ name: meter, meter })),
      counted: totals(meters.map(({ meter, used }) => [meter, used])),
      booked: charged,
      accountOf: paid,
      amountOf: ({ cost_points }) => parsePoints(cost_points),
      told: (points) => `${formatPoints(points)} points`,
      detail: `${wallets.length} wallets: used = charged = ${formatPoints(total)} points`,
    },
    organizations,
    underWay,
  );
}

/** Calls counted in each running quota month are the calls of its entries and the calls in flight. */
export function quotasMatchLedger({ organizations, meters, entries, underWay }: Books): Finding {
  const subscriptions = organizations.flatMap(({ subscription }) => (subscription ? [subscription] : []));
  const started = new Map(subscriptions.map(({ meter, started_at }) => [meter, started_at]));
  const monthOf = ({ meter, mode, admitted_at }: UsageEvent) => {
    const start = started.get(meter);
    if (start === undefined || mode !== "subscription") return undefined;
    return `${meter} ${quotaPeriod(start, admitted_at).id}`;
  };
  const months = meters.flatMap(({ meter, periods, ...item }) =>
    [...periods].map(([period, calls]) => {
      const inFlight = heldOn(item).filter((held) => held.period === period).length;
      return { name: `${meter} ${period}`, meter, calls: BigInt(calls - inFlight) };
    }),
  );
  const calls = finalEvents(entries).flatMap((event) => {
    const month = monthOf(event);
    return month === undefined ? [] : [[month, BigInt(event.calls)] as const];
  });
  return reconcile(
    {
      accounts: months,
      counted: totals(months.map(({ name, calls }) => [name, calls])),
      booked: totals(calls),
      accountOf: monthOf,
      amountOf: ({ calls }) => BigInt(calls),
      told: (calls) => `${calls} calls`,
      // A call is one call, whatever else its letter does not say.
      most: (letters) => BigInt(letters),
      detail: `${months.length} quota months: calls counted = calls in the ledger`,
    },
    organizations,
    underWay,
  );
}

/** Meters and ledger, each account's amount as either has it. */
interface Sides {
  accounts: { name: string; meter: string }[];
  counted: Map<string, bigint>;
  booked: Map<string, bigint>;
  /** The account an event is on; undefined where it is on none of these. */
  accountOf: (event: UsageEvent) => string | undefined;
  amountOf: (event: UsageEvent) => bigint;
  told: (amount: bigint) => string;
  /** The most that so many letters of unknown amount can come to; anything, where this is not given. */
  most?: (letters: number) => bigint;
  detail: string;
}

/** Compares the sides, and says what explains their differences. */
export function reconcile(sides: Sides, organizations: Organization[], underWay: UnderWay): Finding {
  const { coming, ahead, unknown, unseen } = underWay;
  const { counted, booked, told } = sides;
  const [late, early] = [sharesOf(coming, sides), sharesOf(ahead, sides)];
  const finding = { gaps: [] as string[], open: [] as string[] };
  const notes = [noteOf(late, "to come of", "dead letters", told), noteOf(early, "ahead of", "holds", told)];
  for (const { name, meter } of sides.accounts) {
    const amount = (from: Map<string, bigint>) => from.get(name) ?? 0n;
    const explained = amount(late.sums) - amount(early.sums);
    const gap = amount(counted) - amount(booked) - explained;
    if (gap === 0n) continue;
    const letters = unknown.filter((letter) => mayBeOf(letter, meter, organizations));
    const isTheirs = gap > 0n && letters.length > 0 && gap <= (sides.most?.(letters.length) ?? gap);
    const text = `${name} has ${told(gap)} more than the ledger and what is under way`;
    if (isTheirs) notes.push(`${told(gap)} of ${name} in letters without an amount (${namesOf(letters)})`);
    else if (gap > 0n && unseen > 0) finding.open.push(text);
    else finding.gaps.push(text);
  }
  return { ...finding, detail: [sides.detail, ...notes.filter((note) => note !== "")].join("; ") };
}

function sharesOf(events: UsageEvent[], { accountOf, amountOf }: Sides) {
  const shares = events.flatMap((event) => {
    const account = accountOf(event);
    return account === undefined || amountOf(event) === 0n ? [] : [{ event, account }];
  });
  const sums = totals(shares.map(({ event, account }) => [account, amountOf(event)]));
  return { requests: shares.map(({ event }) => event.id), sums };
}

function noteOf(
  { requests, sums }: ReturnType<typeof sharesOf>,
  way: string,
  carriers: string,
  told: (amount: bigint) => string,
): string {
  const sum = [...sums.values()].reduce((total, amount) => total + amount, 0n);
  return requests.length === 0
    ? ""
    : `${told(sum)} ${way} ${requests.length} ${carriers} (${firstOf(requests)})`;
}

/** Whether a letter of unknown amount may be of a call on this meter, as far as it, its queue and its intent say. */
function mayBeOf({ calledOn, organization }: Letter, meter: string, organizations: Organization[]): boolean {
  if (calledOn) return calledOn.meter === meter;
  if (organization === undefined) return true;
  return organizations.some(
    ({ id, wallet, subscription }) =>
      id === organization && (wallet?.meter === meter || subscription?.meter === meter),
  );
}

function namesOf(letters: Letter[]): string {
  return firstOf(letters.map(nameOf));
}

/** Everything a meter item holds: for calls, for calls the sweeper is closing, for tasks. */
export function heldOn<Each extends Held>(
  item: Record<"holds" | "seized" | "tasks", ReadonlyMap<string, Each>>,
): Each[] {
  return [item.holds, item.seized, item.tasks].flatMap((held) => [...held.values()]);
}

/** Amounts added up by name. */
export function totals(pairs: (readonly [string, bigint])[]): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const [name, amount] of pairs) sums.set(name, (sums.get(name) ?? 0n) + amount);
  return sums;
}
