/**
 * What is in flight between meters and ledger (billing.md §2.8.2). A difference between the two is a gap, unless two
 * things explain it exactly: events that are not booked yet, and holds whose call is booked already.
 */
import type { Organization } from "../../books/accounts/account.ts";
import { formatPoints, parsePoints } from "../../books/billing/points.ts";
import type { Entry } from "../../books/ledger/ledger.ts";
import type { UsageEvent } from "../../books/ledger/usage-event.ts";
import { allHeld, type Meter } from "../../books/meters/meter.ts";
import { type AuditedDeadLetter, firstOf, type LetterFate, nameOf } from "./dead-letters.ts";
import type { Finding } from "./rollups.ts";
import { accountsOf, monthOf, type Uses } from "./uses.ts";

interface Books<Field extends keyof Meter> {
  organizations: Organization[];
  meters: Pick<Meter, Field>[];
  uses: Uses;
  inFlight: InFlight;
}

/** What may explain a difference between meters and ledger. */
export interface InFlight {
  /** Events that only the meters have: their holds are settled, and recording them will make an entry. */
  coming: UsageEvent[];
  /** Events that only the ledger has: their holds are still to be settled. */
  ahead: UsageEvent[];
  /** Dead letters of unknown amount. Each belongs to a known meter, or to any meter of its organization. */
  unknown: AuditedDeadLetter[];
  /** The number of messages that nobody could read. */
  unseen: number;
}

/**
 * Sorts out what is in flight. A dead letter explains nothing if its request has an entry: the ledger has the call, and
 * a correction changes both sides at once. Nor does one whose hold is not settled: neither side has it.
 */
export function findInFlight(
  { meters, entries }: { meters: Pick<Meter, "meter" | "shard" | "holds" | "seized">[]; entries: Entry[] },
  { deadLetters, fates, unseen }: { deadLetters: AuditedDeadLetter[]; fates: LetterFate[]; unseen: number },
): InFlight {
  // Tasks are left out: one write settles a task's hold and books it. If a task is held for and booked,
  // that is a fault.
  const held = new Set(
    meters.flatMap((item) => [...item.holds.keys(), ...item.seized.keys()].map((id) => placeOf(item, id))),
  );
  const bases = entries.flatMap(({ kind, event }) => (event && kind === "usage" ? [event] : []));
  const booked = new Set(bases.map(({ id }) => id));
  const coming = new Map<string, UsageEvent>();
  const unknown: AuditedDeadLetter[] = [];
  for (const [at, letter] of deadLetters.entries()) {
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

/** Every wallet has used what the ledger charged it. */
export function walletsMatchLedger({
  organizations,
  meters,
  uses: { charged },
  inFlight,
}: Books<"meter" | "used">): Finding {
  const paid = (event: UsageEvent) => (event.mode === "payg" ? event.meter : undefined);
  const wallets = organizations.flatMap(({ wallet }) => (wallet ? [wallet.meter] : []));
  const total = [...charged.values()].reduce((sum, points) => sum + points, 0n);
  return reconcile(
    {
      accounts: wallets.map((meter) => ({ name: meter, meter, label: `the used of ${meter}` })),
      counted: totals(meters.map(({ meter, used }) => [meter, used])),
      booked: charged,
      accountOf: paid,
      amountOf: ({ cost_points }) => parsePoints(cost_points),
      told: (points) => `${formatPoints(points)} points`,
      detail: `${wallets.length} wallets: used = charged = ${formatPoints(total)} points`,
    },
    organizations,
    inFlight,
  );
}

/**
 * A quota month has counted its entries and calls in flight. The two latest months must be there, older ones may be.
 */
export function quotasMatchLedger({
  organizations,
  meters,
  uses,
  inFlight,
  now,
}: Books<"meter" | "periods" | "holds" | "seized" | "tasks"> & { now: number }): Finding {
  const accounts = accountsOf(organizations, now);
  const counted = new Map<string, bigint>();
  for (const { meter, periods, ...item } of meters) {
    // A wallet's holds have no month.
    const held = allHeld(item).filter((each) => each.period !== "");
    // A counter may be gone under a hold: corrections gave back what its seized calls had taken.
    for (const period of new Set([...periods.keys(), ...held.map((each) => each.period)])) {
      const own = held.filter((each) => each.period === period);
      const taken = own.reduce((sum, { calls = 1 }) => sum + calls, 0);
      counted.set(`${meter} ${period}`, BigInt((periods.get(period) ?? 0) - taken));
    }
  }
  const owners = new Map(organizations.map(({ id, subscription }) => [subscription?.meter, id]));
  const meterIn = (name: string) => name.split(" ")[0] ?? "";
  const accountOf = (name: string) => {
    const [meter = "", period = ""] = name.split(" ");
    const owner = owners.get(meter) ?? "nobody";
    const label = `the q${period} of ${meter}, of the subscription.meter and subscription.started_at of ${owner},`;
    return { name, meter, label };
  };
  const known = Map.groupBy(new Set([...counted.keys(), ...uses.calls.keys()]), meterIn);
  const months = [...accounts.subscriptions.keys()].flatMap((meter) => {
    const own = (known.get(meter) ?? []).sort();
    const latest = own.slice(-2);
    return own.filter((name) => counted.has(name) || latest.includes(name)).map(accountOf);
  });
  const ofNobody = [...counted.keys()]
    .map(accountOf)
    .filter(({ meter }) => !accounts.subscriptions.has(meter));
  return reconcile(
    {
      accounts: [...months, ...ofNobody],
      counted,
      booked: uses.calls,
      accountOf: (event) => monthOf({ ...event, at: event.admitted_at }, accounts),
      amountOf: ({ calls }) => BigInt(calls),
      told: (calls) => `${calls} calls`,
      // A letter of unknown amount is still no more than one call, unless its plan counts dear calls as several.
      most: (letters) =>
        letters.some(({ calledOn }) => calledOn?.call_points !== undefined)
          ? undefined
          : BigInt(letters.length),
      detail: `${months.length} quota months: calls counted = calls in the ledger`,
    },
    organizations,
    inFlight,
  );
}

/** Both sides of a comparison: the amount of each account on the meters and in the ledger. */
interface Sides {
  /** `label` is what a gap calls the account, where that is not its name. */
  accounts: { name: string; meter: string; label?: string }[];
  counted: Map<string, bigint>;
  booked: Map<string, bigint>;
  /** The account of an event; undefined where it has none of these. */
  accountOf: (event: UsageEvent) => string | undefined;
  amountOf: (event: UsageEvent) => bigint;
  told: (amount: bigint) => string;
  /** The most that letters of unknown amount can come to. Undefined: there is no limit. */
  most?: (letters: AuditedDeadLetter[]) => bigint | undefined;
  detail: string;
}

/** Compares both sides, and says what explains their differences. */
export function reconcile(sides: Sides, organizations: Organization[], inFlight: InFlight): Finding {
  const { coming, ahead, unknown, unseen } = inFlight;
  const { counted, booked, told } = sides;
  const [late, early] = [sharesOf(coming, sides), sharesOf(ahead, sides)];
  const finding = { gaps: [] as string[], open: [] as string[] };
  const notes = [noteOf(late, "to come of", "dead letters", told), noteOf(early, "ahead of", "holds", told)];
  for (const { name, meter, label = name } of sides.accounts) {
    const amount = (from: Map<string, bigint>) => from.get(name) ?? 0n;
    const explained = amount(late.sums) - amount(early.sums);
    const gap = amount(counted) - amount(booked) - explained;
    if (gap === 0n) continue;
    const deadLetters = unknown.filter((letter) => mayBeOf(letter, meter, organizations));
    const isTheirs = gap > 0n && deadLetters.length > 0 && gap <= (sides.most?.(deadLetters) ?? gap);
    const text = `${label} has ${told(gap)} more than the ledger and what is in flight`;
    if (isTheirs)
      notes.push(`${told(gap)} of ${name} in letters without an amount (${namesOf(deadLetters)})`);
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

/** Whether a letter of unknown amount may belong to a call on this meter. Its intent or its message group tells. */
function mayBeOf(
  { calledOn, organization }: AuditedDeadLetter,
  meter: string,
  organizations: Organization[],
): boolean {
  if (calledOn) return calledOn.meter === meter;
  if (organization === undefined) return true;
  return organizations.some(
    ({ id, wallet, subscription }) =>
      id === organization && (wallet?.meter === meter || subscription?.meter === meter),
  );
}

function namesOf(deadLetters: AuditedDeadLetter[]): string {
  return firstOf(deadLetters.map(nameOf));
}

/** The sums of amounts by name. */
export function totals(pairs: (readonly [string, bigint])[]): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const [name, amount] of pairs) sums.set(name, (sums.get(name) ?? 0n) + amount);
  return sums;
}
