/** Plays a load for some time: the gateway in steps, the settling functions by their instants. */
import { readParts } from "#infra/cost/parts.ts";
import { settleConcurrency } from "#infra/stage/queue-settings.ts";
import { hourOf } from "#shared/books/billing/period.ts";
import { Random } from "#test/simulation/random.ts";
import { noon } from "#test/support/store.ts";
import { Batches, type Customers } from "./batches.ts";
import { Clock } from "./clock.ts";
import { dynamo } from "./facts.ts";
import { Figures } from "./figures.ts";
import { Gateway, type LaneOfCalls } from "./gateway.ts";
import { type Budgets, countersOf, ModelWallet, meterUnits } from "./meters.ts";
import { Table } from "./partitions.ts";
import { UsageQueue } from "./queue.ts";
import { Recordings } from "./recordings.ts";
import { Settling } from "./settling.ts";
import { stepSeconds } from "./steps.ts";

/** Customers that are alike, and their calls together. */
export interface Population extends Omit<Customers, "isSpread"> {
  /** Whose calls have budgets. Absent: nobody's. */
  budgets?: Budgets;
  callsPerSecond: number;
  callSeconds: number;
  /** So many times the calls, for so many seconds, at the end of each span of so many. */
  burst?: { factor: number; seconds: number; every: number };
}

/** What an operator has asked AWS for. */
export interface Account {
  /** Sandboxes at a time. */
  concurrency: number;
  /** Write units a second that the tables take from the first moment on. */
  writeUnits: number;
  readUnits: number;
  settleConcurrency: number;
}

/** An account as it is at first. */
export const firstAccount: Account = {
  concurrency: 1_000,
  writeUnits: dynamo.start.write,
  readUnits: dynamo.start.read,
  settleConcurrency,
};

export interface Load {
  populations: readonly Population[];
  account: Account;
  seconds: number;
  seed: number;
}

/** What a load came to. */
export interface Outcome {
  figures: Figures;
  /** Events that wait at the end, or are in hand. */
  waiting: number;
  inFlight: number;
  /** The most units that a partition gave in a second, by table. It may have kept as many. */
  most: Record<string, number>;
}

const { sweepMinutes } = readParts().withConsole;

/** Plays a load. The same seed gives the same figures. */
export async function play({ populations, account, seconds, seed }: Load): Promise<Outcome> {
  const random = new Random(seed);
  const figures = new Figures();
  const clock = new Clock();
  const counters = new Table("counters", dynamo.partition.write, account.writeUnits);
  const ledger = new Table("ledger", dynamo.partition.write, account.writeUnits);
  const keys = new Table("keys", dynamo.partition.read, account.readUnits);
  const tables = [counters, ledger, keys];
  const queue = new UsageQueue(populations.map(({ organizations }) => organizations));
  const lanes = populations.map((each, at) => laneOf(each, at, counters, random));
  const gateway = new Gateway({
    lanes,
    counters,
    keys,
    queue,
    random,
    figures,
    concurrency: account.concurrency,
  });
  new Settling({
    clock,
    queue,
    ledger,
    recordingsOf: recordingsOf(populations, lanes, ledger),
    random,
    figures,
    concurrency: account.settleConcurrency,
  });
  const most: Record<string, number> = {};
  for (let step = 1; step <= seconds / stepSeconds; step++) {
    const now = step * stepSeconds;
    gateway.step(now);
    await clock.runUntil(now + stepSeconds);
    for (const table of tables) table.pass(stepSeconds);
    if (step % Math.round(1 / stepSeconds) === 0) {
      await gateway.grow(now);
      for (const table of tables) {
        most[table.name] = Math.max(most[table.name] ?? 0, ...table.given);
        table.endSecond();
      }
    }
    if (step % Math.round((sweepMinutes * 60) / stepSeconds) === 0) await gateway.sweep(now);
  }
  for (const { name, refusals } of tables.flatMap(({ limits }) => [...limits]))
    figures.refuse(name, refusals);
  for (const { ended, count } of queue.waiting()) figures.lag(ended, clock.now - ended, count);
  return {
    figures,
    waiting: figures.ended - figures.recorded - figures.deadLetters,
    inFlight: gateway.inFlight,
    most,
  };
}

function laneOf(population: Population, at: number, counters: Table, random: Random): LaneOfCalls {
  const { keys, budgets, callSeconds, callsPerSecond, burst } = population;
  const { organizations } = batchesOf({ ...population, isSpread: false });
  const [first = ""] = organizations;
  const units = meterUnits(first, keys, budgets);
  const names = countersOf(first, keys, budgets);
  const known: number[] = [];
  return {
    organizations,
    wallets: organizations.map(() => new ModelWallet(at, counters, random, names)),
    keys,
    callSeconds,
    rateAt: (now) =>
      burst && now % burst.every >= burst.every - burst.seconds
        ? burst.factor * callsPerSecond
        : callsPerSecond,
    unitsOf(holds) {
      const count = known[holds] ?? units(holds);
      known[holds] = count;
      return count;
    },
  };
}

/** What batches of such customers are made of: the same for every load. */
const made = new Map<string, Batches>();

function batchesOf({ organizations, keys, isSpread }: Customers): Batches {
  const name = `${organizations} ${keys} ${isSpread}`;
  const known = made.get(name) ?? new Batches({ organizations, keys, isSpread });
  made.set(name, known);
  return known;
}

/** The recordings of each lane and hour, spread or not. The load begins in the middle of an hour. */
function recordingsOf(populations: readonly Population[], lanes: readonly LaneOfCalls[], ledger: Table) {
  const known = new Map<string, Recordings>();
  return (lane: number, ended: number): Recordings => {
    const population = populations[lane] as Population;
    const admitted = ended - population.callSeconds;
    // Customers that are alike get their shards by the same pass.
    const isSpread = lanes[lane]?.wallets[0]?.isSpreadAt(admitted) ?? false;
    const hour = hourOf(noon + 1000 * admitted);
    const name = `${lane} ${hour} ${isSpread}`;
    const found = known.get(name) ?? new Recordings(batchesOf({ ...population, isSpread }), ledger, hour);
    known.set(name, found);
    return found;
  };
}
