/**
 * The transactions of batches of usage events. The product's own ledger makes them, for events of such customers, so
 * keys, sizes, order and turns are what they are in the product.
 */
import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import { ulid } from "ulid";
import { usageBatchMax } from "#infra/stage/queue-settings.ts";
import type { Aws } from "#shared/base/platform/aws.ts";
import { hourOf } from "#shared/books/billing/period.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import type { Item } from "#shared/edges/store/dynamodb/attributes.ts";
import { createCallLedger } from "#shared/edges/store/ledger/ledger.ts";
import { Random } from "#test/simulation/random.ts";
import { eventOf, noon, walletHold } from "#test/support/store.ts";
import { bytesOf, unitsOf } from "./item-units.ts";

/** Whose events a batch has. */
export interface Customers {
  organizations: number;
  /** Keys of each organization. */
  keys: number;
  /** Whether their hours are spread over partitions. */
  isSpread: boolean;
}

/** A write of a transaction, and the units that DynamoDB counts for it. */
interface Write {
  pk: string;
  sk: string;
  units: number;
  /** Whether others write the item too. An entry is written once. */
  isShared: boolean;
}

/** A transaction: its events by their places in the batch, and what it writes. */
export interface Transaction {
  events: number[];
  writes: Write[];
}

/** Events, and their transactions turn after turn. Those of a turn run side by side. */
export interface Batch {
  events: UsageEvent[];
  turns: Transaction[][];
  /** The transactions of some of the events, by the places of these. */
  parts: Map<string, Transaction[]>;
}

/** How many batches of one size are drawn. Full ones are most of those of a busy hour. */
const variantsOf = (count: number) => (count === usageBatchMax ? 16 : 4);

/** The hour of the batches. */
export const batchHour = hourOf(noon);

/** Batches of some customers. What was made once is kept. */
export class Batches {
  readonly organizations: readonly string[];
  readonly #customers: Customers;
  readonly #made = new Map<string, Batch>();

  constructor(customers: Customers) {
    const { organizations } = customers;
    const random = new Random(organizations);
    this.organizations = Array.from(
      { length: organizations },
      () => `org_${ulid(noon, () => random.next())}`,
    );
    this.#customers = customers;
  }

  /** A batch of so many events; a promise where it must be made. `random` chooses among those of this size. */
  of(count: number, random: Random): Batch | Promise<Batch> {
    const variant = random.between(0, variantsOf(count) - 1);
    const name = `${count} ${variant}`;
    return this.#made.get(name) ?? this.#make(name, count, new Random(100 * count + variant));
  }

  async #make(name: string, count: number, random: Random): Promise<Batch> {
    const batch = await batchOf(Array.from({ length: count }, () => this.#event(random)));
    this.#made.set(name, batch);
    return batch;
  }

  #event(random: Random): UsageEvent {
    const organization = random.pick(this.organizations);
    const { keys, isSpread } = this.#customers;
    const key = keyOf(organization, random.between(0, keys - 1));
    const hold = walletHold("mtr_1", "0.001", noon, key);
    const request = `req_${ulid(noon + random.between(0, 60_000), () => random.next())}`;
    return eventOf({ ...hold, request }, "0.0005", { organization, version: isSpread ? 2 : 1 });
  }
}

/** The id of a key of an organization, the same each time. */
export function keyOf(organization: string, at: number): string {
  return `key_${organization.slice(-20)}${at.toString(32).toUpperCase().padStart(6, "0")}`;
}

/** The transactions of some events of a batch, by their places in it. What was made once is kept. */
export async function partOf(batch: Batch, places: readonly number[]): Promise<Transaction[]> {
  const name = places.join();
  const known = batch.parts.get(name);
  if (known) return known;
  const { turns } = await batchOf(places.flatMap((at) => batch.events[at] ?? []));
  const part = turns
    .flat()
    .map((each) => ({ ...each, events: each.events.flatMap((at) => places[at] ?? []) }));
  batch.parts.set(name, part);
  return part;
}

/** Events as the product records them. */
async function batchOf(events: UsageEvent[]): Promise<Batch> {
  const at = new Map(events.map(({ id }, index) => [id, index]));
  const turns: Transaction[][] = [];
  for await (const turn of recorded(events)) turns.push(turn.map((actions) => transactionOf(actions, at)));
  return { events, turns, parts: new Map() };
}

function transactionOf(actions: TransactWriteItem[], at: Map<string, number>): Transaction {
  const writes = actions.map(({ Put, Update }): Write => {
    const item = (Put?.Item ?? Update?.Key) as Item;
    const bytes = bytesOf(item) + bytesOf(Update?.ExpressionAttributeValues ?? {});
    // A transaction is counted twice.
    return { pk: item.pk?.S ?? "", sk: item.sk?.S ?? "", units: 2 * unitsOf(bytes), isShared: !Put };
  });
  return { events: actions.flatMap(({ Put }) => (Put ? (at.get(Put.Item?.id?.S ?? "") ?? []) : [])), writes };
}

/** The transactions of events, turn after turn: those of a turn are sent before any of them is answered. */
async function* recorded(events: UsageEvent[]): AsyncGenerator<TransactWriteItem[][]> {
  const sent: { actions: TransactWriteItem[]; answer: () => void }[] = [];
  const aws: Aws = (_service, action, input) => {
    if (action !== "TransactWriteItems") return Promise.resolve({} as never);
    const { TransactItems: actions } = input as { TransactItems: TransactWriteItem[] };
    return new Promise((resolve) => {
      sent.push({ actions, answer: () => resolve({} as never) });
    });
  };
  const ledger = createCallLedger(aws, { ledger: "ledger", counters: "counters" }, () => noon);
  let isDone = false;
  const done = ledger.record(events).finally(() => {
    isDone = true;
  });
  while (true) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    if (isDone) break;
    const turn = sent.splice(0);
    if (turn.length > 0) yield turn.map(({ actions }) => actions);
    for (const { answer } of turn) answer();
  }
  await done;
}
