/** The settling functions: Lambda's pollers fill their batches, and each records them as the product does. */
import { functionSizes } from "#infra/stage/function-sizes.ts";
import { hiddenSeconds, usageBatchMax, usageTries, usageWindowSeconds } from "#infra/stage/queue-settings.ts";
import { contentionPauseMs, contentionTries } from "#shared/edges/store/dynamodb/transaction.ts";
import { postingTries } from "#shared/edges/store/ledger/late-postings.ts";
import type { Random } from "#test/simulation/random.ts";
import type { Clock, Run } from "./clock.ts";
import { assumed, lambda, poller } from "./facts.ts";
import type { Figures } from "./figures.ts";
import type { Place, Table } from "./partitions.ts";
import type { Batch, Sent, UsageQueue } from "./queue.ts";
import type { Placed, Recording, Recordings } from "./recordings.ts";

/** How often a poller looks whether more messages have come, seconds. */
const lookSeconds = 0.1;

/** CPU of a core that a function of this size has. */
const core = functionSizes.settle.memoryMb / lambda.megabytesOfCore;

interface SettlingParts {
  clock: Clock;
  queue: UsageQueue;
  ledger: Table;
  /** The recordings of a lane for calls that ended at an instant. */
  recordingsOf(lane: number, ended: number): Recordings;
  random: Random;
  figures: Figures;
  /** The most functions at a time. */
  concurrency: number;
}

/** A batch that a function has in hand. */
interface InHand {
  batch: Batch;
  began: number;
  recording: Recording;
  /** When the call of each event ended, and whether it is recorded. */
  ended: number[];
  done: boolean[];
  /** The organizations of which the function knows that their hours are spread. */
  spread: Set<string>;
}

export class Settling {
  readonly #parts: SettlingParts;
  /** The items that a transaction is writing. */
  readonly #closed = new Set<Place>();
  #pollers = 0;
  #gathering = 0;

  constructor(parts: SettlingParts) {
    this.#parts = parts;
    for (let count = Math.min(poller.first, parts.concurrency); count > 0; count--) this.#add();
    parts.clock.start(this.#scale());
  }

  #add(): void {
    this.#pollers += 1;
    this.#parts.clock.start(this.#poll());
  }

  /** More pollers come while messages wait. */
  *#scale(): Run {
    const { queue, concurrency } = this.#parts;
    while (true) {
      yield 60 / poller.moreInMinute;
      this.#parts.figures.present += (this.#pollers * 60) / poller.moreInMinute;
      if (queue.depth >= usageBatchMax && this.#pollers < concurrency) this.#add();
    }
  }

  *#poll(): Run {
    const { clock, queue, figures } = this.#parts;
    const spread = new Set<string>();
    while (true) {
      this.#gathering += 1;
      const batch = yield* this.#gather();
      this.#gathering -= 1;
      const began = clock.now;
      const inHand = yield* this.#open(batch, spread);
      yield* this.#settle(inHand);
      figures.busy += clock.now - began;
      const back = this.#undone(inHand);
      queue.ended(batch.lane, batch.count - back.length);
      if (back.length > 0) clock.start(this.#hide(batch, back));
    }
  }

  /** A batch is full, or its window is over. Pollers share what waits. */
  *#gather(): Run<Batch> {
    const { clock, queue } = this.#parts;
    let batch: Batch | undefined;
    let end = Number.POSITIVE_INFINITY;
    while (true) {
      const share = Math.ceil(queue.depth / this.#gathering);
      const most = Math.min(share, usageBatchMax - (batch?.count ?? 0));
      const more = most > 0 ? queue.receive(most, batch?.lane) : undefined;
      if (more && !batch) end = clock.now + usageWindowSeconds;
      if (more && batch) {
        batch.sent.push(...more.sent);
        batch.count += more.count;
      }
      batch ??= more;
      if (batch && (batch.count >= usageBatchMax || clock.now >= end)) return batch;
      yield lookSeconds;
    }
  }

  *#open(batch: Batch, spread: Set<string>): Run<InHand> {
    const { clock, recordingsOf, random } = this.#parts;
    const ended = batch.sent.flatMap((sent) => Array<number>(sent.count).fill(sent.ended));
    const found = recordingsOf(batch.lane, ended[0] ?? 0).of(batch.count, random);
    const recording = yield* known(found);
    const done = ended.map(() => false);
    return { batch, began: clock.now, recording, ended, done, spread };
  }

  *#settle(inHand: InHand): Run {
    yield (inHand.batch.count * assumed.settleCpuSeconds) / core;
    for (const turn of inHand.recording) yield turn.map((transaction) => this.#record(inHand, transaction));
  }

  /** Writes a transaction, again after a pause where it is refused. */
  *#record(inHand: InHand, transaction: Placed): Run {
    const { random } = this.#parts;
    const { spread } = inHand;
    for (let attempt = 1; attempt <= postingTries && !this.#isOver(inHand); attempt++) {
      const places = transaction.sums.map(({ adder, whole, part }) => (spread.has(adder) ? part : whole));
      const busy = this.#busyOf(transaction, places);
      if (!busy) return yield* this.#write(inHand, transaction, places);
      yield assumed.refusalSeconds;
      if (attempt >= contentionTries) for (const each of busy) spread.add(each);
      yield contentionPauseMs(attempt, () => random.next()) / 1000;
    }
  }

  *#write({ ended, done }: InHand, { events }: Placed, places: readonly Place[]): Run {
    const { clock, figures } = this.#parts;
    for (const place of places) this.#closed.add(place);
    yield assumed.transactionSeconds;
    for (const place of places) this.#closed.delete(place);
    for (const at of events) {
      done[at] = true;
      figures.lag(ended[at] ?? 0, clock.now - (ended[at] ?? 0));
    }
    figures.recorded += events.length;
  }

  /** The organizations whose sums are in the way, which may be none of them. Undefined where nothing is. */
  #busyOf({ entries, sums }: Placed, places: readonly Place[]): string[] | undefined {
    const { ledger, figures } = this.#parts;
    const closed = sums.filter((_, at) => this.#closed.has(places[at] as Place));
    if (closed.length > 0) {
      figures.refuse("transactions on one rollup");
      return closed.map(({ adder }) => adder);
    }
    const needs = [...entries, ...sums.map(({ units }, at) => [places[at] as Place, units] as const)];
    if (ledger.takeAll(needs) === "given") return undefined;
    return sums.filter((_, at) => ledger.isHot(places[at] as Place)).map(({ adder }) => adder);
  }

  #isOver({ began }: InHand): boolean {
    return this.#parts.clock.now - began >= functionSizes.settle.timeoutSeconds;
  }

  /** The messages of a batch that are not recorded. */
  #undone({ batch, done }: InHand): Sent[] {
    const messages = batch.sent.flatMap((sent) => Array<Sent>(sent.count).fill({ ...sent, count: 1 }));
    return messages.filter((_, at) => !done[at]);
  }

  /** What was not recorded comes again after a while, or is a dead letter. */
  *#hide({ lane }: Batch, back: Sent[]): Run {
    const { queue, figures } = this.#parts;
    yield hiddenSeconds(functionSizes.settle.timeoutSeconds, usageWindowSeconds);
    queue.ended(lane, back.length);
    for (const sent of back) {
      if (sent.receives + 1 >= usageTries) figures.deadLetters += 1;
      else queue.send(lane, { ...sent, receives: sent.receives + 1 });
    }
  }
}

/** What is known already, or is found out without any time passing. */
function* known<Value>(found: Value | Promise<Value>): Run<Value> {
  if (!(found instanceof Promise)) return found;
  let value: Value | undefined;
  yield found.then((made) => {
    value = made;
  });
  return value as Value;
}
