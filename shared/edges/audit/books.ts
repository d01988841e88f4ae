/** Reads what one look at the books needs, in the order in which money moves. */
import type { KeyRecord, Organization } from "../../books/accounts/account.ts";
import { hourStart } from "../../books/billing/period.ts";
import type { PriceVersion } from "../../books/billing/pricing/price.ts";
import type { Entry } from "../../books/ledger/ledger.ts";
import type { Meter } from "../../books/meters/meter.ts";
import type { Order, Refund } from "../../people/payments/order.ts";
import { type AuditedDeadLetter, auditDeadLetters, fatesOf, type LetterFate } from "./dead-letters.ts";
import type { AuditDeps } from "./deps.ts";
import { findInFlight, type InFlight } from "./in-flight.ts";
import { invoiceKinds } from "./invoices.ts";
import { found, type KeptEntry, type Sorted, sortItems, unreadIn } from "./kept.ts";
import { keyKinds, keysIn, marksAgree } from "./keys.ts";
import { memberKinds } from "./members.ts";
import { type HeldTask, readHeldTasks } from "./meters.ts";
import { orderKinds, ordersIn } from "./order-states.ts";
import type { Finding } from "./rollups.ts";
import { type ReadSums, readSums } from "./sums.ts";
import { tasksMatchLedger } from "./tasks.ts";
import { accountsOf, type UseAccounts, type Uses } from "./uses.ts";
import type { Walked } from "./walk.ts";

export interface AllBooks {
  walked: Walked;
  organizations: Organization[];
  meters: Meter[];
  marks: string[];
  /** The items of keys, and the records in them. */
  keys: Sorted;
  records: readonly KeyRecord[];
  /** Credits, payments and fees, with and without what they lie in. */
  moneyItems: KeptEntry[];
  money: Entry[];
  /** The sums of the hashes of payments and fees, by the organization. */
  moneyHashes: ReadonlyMap<string, bigint>;
  sums: ReadSums;
  uses: Uses;
  accounts: UseAccounts;
  prices: PriceVersion[];
  holds: number;
  unsettledTasks: HeldTask[];
  tasks: Finding;
  queued: number;
  deadLetters: AuditedDeadLetter[];
  fates: LetterFate[];
  inFlight: InFlight;
  items: Sorted;
  hashes: Pick<AuditDeps["kept"], "hashOf">;
  orders: readonly Order[];
  refunds: readonly Refund[];
  now: number;
}

/**
 * Reads in the order in which money moves, so a call that its meter has settled is found in a later place. An order and
 * its entry change in one transaction: there the second look helps.
 */
export async function readBooks(
  walked: Walked,
  since: string | undefined,
  deps: AuditDeps,
): Promise<AllBooks> {
  const { kept, ledger } = deps;
  const organizations = await Array.fromAsync(deps.accounts.organizations());
  const unreadable: string[] = [];
  const meters = await Array.fromAsync(deps.meters.everyMeter((why) => unreadable.push(why)));
  const queued = await deps.queue.depth();
  const dead = await deps.queue.deadLetters();
  const deadLetters = await auditDeadLetters(dead.deadLetters, (request) => deps.meters.intent(request));
  const keys = await sortItems(kept, "keys", keyKinds);
  const records = keysIn(keys);
  const now = deps.now();
  const accounts = accountsOf(organizations, now, records);
  const modes = new Map(records.map(({ id, mode }) => [id, mode]));
  const sums = await readSums({ walked, organizations, places: records, modes, accounts, since }, deps);
  const entries = await entriesInQuestion({ organizations, meters, deadLetters }, deps);
  const fates = fatesOf(deadLetters, entries);
  const unseen = queued + dead.unread;
  const inFlight = findInFlight({ meters, entries }, { deadLetters, fates, unseen });
  const moneyItems: KeptEntry[] = [];
  const moneyHashes = new Map<string, bigint>();
  for (const { id } of organizations) {
    for await (const item of kept.entriesOf(id, "$")) moneyItems.push(item);
    const keep = async () => moneyHashes.set(id, await kept.moneyHash(id));
    sums.rest.add("entries_are_as_written", await unreadIn(`the seal of ${id}: its h`, keep));
  }
  const prices = await Array.fromAsync(ledger.prices());
  const unsettledTasks = await readHeldTasks(deps.tasks, organizations, meters);
  const held = new Set(meters.flatMap(({ tasks }) => [...tasks.keys()]));
  const from = since === undefined ? 0 : hourStart(since);
  const tasks = await tasksMatchLedger(
    { kept, ledger, held, since: from },
    walked.gaps.tasks_match_ledger ?? [],
  );
  const items = await sortItems(kept, "accounts", [...orderKinds, ...invoiceKinds, ...memberKinds]);
  return {
    ...{ walked, organizations, meters, keys, records, items, hashes: kept, now, accounts },
    ...{
      moneyItems,
      moneyHashes,
      money: moneyItems.flatMap(({ entry }) => entry ?? []),
      sums,
      uses: sums.uses,
      prices,
    },
    ...{ queued, deadLetters, fates, inFlight, unsettledTasks, tasks, ...ordersIn(items) },
    holds: meters.reduce((sum, meter) => sum + meter.holds.size + meter.seized.size, 0),
    marks: [...unreadable, ...found("a key", () => marksAgree({ organizations, keys, now }, meters))],
  };
}

/** The entries of calls that are held or have a dead letter. */
async function entriesInQuestion(
  {
    organizations,
    meters,
    deadLetters,
  }: {
    organizations: readonly Organization[];
    meters: readonly Meter[];
    deadLetters: readonly AuditedDeadLetter[];
  },
  { ledger }: Pick<AuditDeps, "ledger">,
): Promise<Entry[]> {
  const owners = new Map(
    organizations.flatMap(({ id, wallet, subscription }) =>
      [wallet, subscription].flatMap((metered) => (metered ? [[metered.meter, id] as const] : [])),
    ),
  );
  const held = meters.flatMap(({ meter, holds, seized }) =>
    [...holds.keys(), ...seized.keys()].map((request) => [request, owners.get(meter)] as const),
  );
  const dead = deadLetters.map(
    ({ request = "", event, calledOn, organization }) =>
      [request, event?.organization ?? owners.get(calledOn?.meter ?? "") ?? organization] as const,
  );
  const entries: Entry[] = [];
  for (const [request, owner] of new Map([...held, ...dead]))
    if (request !== "" && owner !== undefined)
      // The walk says which entry cannot be read.
      await unreadIn(request, async () => entries.push(...(await ledger.entriesOf(owner, request))));
  return entries;
}
