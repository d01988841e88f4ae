/**
 * The transactions of batches of usage events. The product's own ledger makes them, for events of such customers, so
 * keys, sizes, order and turns are what they are in the product.
 */
import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import { ulid } from "ulid";
import { usageBatchMax } from "#infra/stage/queue-settings.ts";
import type { Aws } from "#shared/base/platform/aws.ts";
import { hourOf } from "#shared/books/billing/period.ts";
import { isSpread } from "#shared/books/ledger/spread-hours.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import { type Item, readText } from "#shared/edges/store/dynamodb/attributes.ts";
import { readRollupPartition, rollupPartition } from "#shared/edges/store/dynamodb/item-keys.ts";
import { recordEvents } from "#shared/edges/store/ledger/recording.ts";
import { SpreadOrganizations } from "#shared/edges/store/ledger/spread.ts";
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
  /** The organization whose rollup it adds to. An entry, which is written once, has none. */
  adder?: string;
  /** The partition of the part, where the process knows that the organization's hours are spread. */
  partPk: string;
}

/** A transaction: its events by their places in the batch, and what it writes. */
export interface Transaction {
  events: number[];
  writes: Write[];
}

/** The transactions of a batch, turn after turn. Those of a turn run side by side. */
export type Batch = Transaction[][];

/** How many batches of one size are drawn. Full ones are most of those of a busy hour. */
const variantsOf = (count: number) => (count === usageBatchMax ? 32 : 2);

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

/** Events as the product records them, by a process that knows that their hours are spread. */
async function batchOf(events: UsageEvent[]): Promise<Batch> {
  const at = new Map(events.map(({ id }, index) => [id, index]));
  const isSpreadFor = new Map(events.map((event) => [event.organization, isSpread(event)]));
  const known = new SpreadOrganizations();
  for (const organization of isSpreadFor.keys()) await known.add(sealing, "ledger", organization, noon);
  const turns: Batch = [];
  for await (const turn of recorded(events, known))
    turns.push(turn.map((actions) => transactionOf(actions, at, isSpreadFor)));
  return turns;
}

/** Answers to every write that hours are spread since this hour. */
const sealing = (async () => ({ Attributes: { spread: { S: batchHour } } })) as unknown as Aws;

function transactionOf(
  actions: TransactWriteItem[],
  at: Map<string, number>,
  isSpreadFor: Map<string, boolean>,
): Transaction {
  const writes = actions.map(({ Put, Update }): Write => {
    const item = (Put?.Item ?? Update?.Key) as Item;
    const bytes = bytesOf(item) + bytesOf(Update?.ExpressionAttributeValues ?? {});
    // A transaction is counted twice.
    const write = { pk: readText(item.pk), sk: readText(item.sk), units: 2 * unitsOf(bytes) };
    if (!Update) return { ...write, partPk: write.pk };
    const { organization, project } = readRollupPartition(write.pk);
    const whole = isSpreadFor.get(organization) ? write.pk : rollupPartition(organization, project);
    return { ...write, pk: whole, partPk: write.pk, adder: organization };
  });
  return { events: actions.flatMap(({ Put }) => (Put ? (at.get(Put.Item?.id?.S ?? "") ?? []) : [])), writes };
}

/** The transactions of events, turn after turn: those of a turn are sent before any of them is answered. */
async function* recorded(
  events: UsageEvent[],
  spread: SpreadOrganizations,
): AsyncGenerator<TransactWriteItem[][]> {
  const sent: { actions: TransactWriteItem[]; answer: () => void }[] = [];
  const aws: Aws = (_service, _action, input) => {
    const { TransactItems: actions } = input as { TransactItems: TransactWriteItem[] };
    return new Promise((resolve) => {
      sent.push({ actions, answer: () => resolve({} as never) });
    });
  };
  const place = { aws, tables: { ledger: "ledger", counters: "counters" }, spread, now: noon };
  let isDone = false;
  const done = recordEvents(place, events).finally(() => {
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
