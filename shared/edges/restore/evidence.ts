/** Reads what is known of the time after the instant of a restore: source tables, dead letters and log lines. */
import type { Accounts, KeyRecord } from "../../books/accounts/account.ts";
import type { Entry, Ledger } from "../../books/ledger/ledger.ts";
import { type DeadLetter, parseUsageEvent, type UsageEvent } from "../../books/ledger/usage-event.ts";
import type { LogLine } from "../operator/trace-log.ts";
import type { Accounted, LossEvidence } from "./losses.ts";

/** One set of tables. */
export interface Side {
  accounts: Pick<Accounts, "organizations">;
  keys(): AsyncIterable<KeyRecord>;
  ledger: Pick<Ledger, "entriesOf" | "feeOf"> & {
    creditOf(organization: string, reference: string): Promise<Entry | undefined>;
    everyEntry(): AsyncIterable<Entry>;
  };
}

interface EvidenceDeps {
  source: Side;
  restored: Side;
  deadLetters(): Promise<{ deadLetters: DeadLetter[]; unread: number }>;
  /** The log lines of ended calls and of keys since an instant, Unix ms. */
  logged(since: number): AsyncIterable<LogLine>;
}

/** The evidence, and what of it could not be read. */
interface Gathered extends LossEvidence {
  /** Dead letters that are no usage events, or that another reader has in hand. */
  unread: number;
}

/** Clocks differ, and a restored table may differ from the instant by less than a second. */
const slackMs = 60_000;
/** How many entries are looked up at once. */
const lookupsAtOnce = 32;

/** Everything of the time after `instant` (Unix ms). Reads the whole ledger of the source, as the audit does. */
export async function gather(instant: number, deps: EvidenceDeps): Promise<Gathered> {
  const since = instant - slackMs;
  const [source, restored] = await Promise.all([accountsOf(deps.source), accountsOf(deps.restored)]);
  const late: Entry[] = [];
  for await (const entry of deps.source.ledger.everyEntry())
    if ((entry.posted_at ?? entry.at) >= since) late.push(entry);
  const entries = await missing(late, (entry) => isBooked(entry, deps.restored.ledger));
  const { letters, unread } = await lettersOf(deps);
  const booked = new Set(late.flatMap(({ event }) => (event ? [event.id] : [])));
  const known = new Set([...booked, ...letters.map(({ id }) => id)]);
  const lines: LogLine[] = [];
  for await (const line of deps.logged(since))
    if (line.request === undefined || !known.has(line.request)) lines.push(line);
  const logged = await missing(lines, async ({ request, organization }) =>
    request === undefined || organization === undefined ? false : hasCall(organization, request, deps),
  );
  return { source, restored, entries, letters, logged, unread };
}

async function accountsOf({ accounts, keys }: Side): Promise<Accounted> {
  const [organizations, all] = await Promise.all([
    Array.fromAsync(accounts.organizations()),
    Array.fromAsync(keys()),
  ]);
  return { organizations, keys: all };
}

/** Those that `isThere` denies, in the same order. */
async function missing<Item>(
  items: readonly Item[],
  isThere: (item: Item) => Promise<boolean>,
): Promise<Item[]> {
  const found: Item[] = [];
  for (let from = 0; from < items.length; from += lookupsAtOnce) {
    const some = items.slice(from, from + lookupsAtOnce);
    const there = await Promise.all(some.map(isThere));
    found.push(...some.filter((_, at) => !there[at]));
  }
  return found;
}

/** Whether a ledger has this very entry. */
async function isBooked({ id, organization, event, fee }: Entry, ledger: Side["ledger"]): Promise<boolean> {
  if (event) return (await ledger.entriesOf(organization, event.id)).some((each) => each.id === id);
  if (fee) return (await ledger.feeOf(organization, fee)) !== undefined;
  return (await ledger.creditOf(organization, id.slice("credit#".length))) !== undefined;
}

/** Whether either ledger has an entry of a call. */
async function hasCall(organization: string, request: string, deps: EvidenceDeps): Promise<boolean> {
  const both = [deps.source, deps.restored].map(({ ledger }) => ledger.entriesOf(organization, request));
  return (await Promise.all(both)).some((entries) => entries.length > 0);
}

async function lettersOf(deps: EvidenceDeps): Promise<{ letters: UsageEvent[]; unread: number }> {
  const { deadLetters, unread } = await deps.deadLetters();
  const events = deadLetters.flatMap(({ body }) => {
    try {
      return [parseUsageEvent(body)];
    } catch {
      return [];
    }
  });
  const letters = await missing(events, ({ organization, id }) => hasCall(organization, id, deps));
  return { letters, unread: unread + deadLetters.length - events.length };
}
