/** Batches as they are recorded in one hour of a table: their transactions, with the places that they write to. */
import type { Random } from "#test/simulation/random.ts";
import { type Batch, type Batches, batchHour, partOf, type Transaction } from "./batches.ts";
import type { Place, Table } from "./partitions.ts";

/** A transaction of a batch, and where it writes. */
export interface Placed {
  events: readonly number[];
  needs: readonly (readonly [Place, number])[];
  /** The items that others may write too: a second transaction on one of them is refused. */
  shared: readonly Place[];
  /** The same in two halves, one after the other; a promise where they must be made. */
  halves(): Placed[] | Promise<Placed[]>;
}

/** What is written for a batch: turn after turn. */
export interface Recording {
  turns: Placed[][];
  /** What is written for one of its events alone. */
  single(at: number): Promise<Placed[]>;
}

export class Recordings {
  readonly #batches: Batches;
  readonly #table: Table;
  readonly #hour: string;
  readonly #known = new Map<Batch, Recording>();

  constructor(batches: Batches, table: Table, hour: string) {
    this.#batches = batches;
    this.#table = table;
    this.#hour = hour;
  }

  /** The recording of a batch of so many events; a promise where it must be made. */
  of(count: number, random: Random): Recording | Promise<Recording> {
    const batch = this.#batches.of(count, random);
    return batch instanceof Promise ? batch.then((made) => this.#recording(made)) : this.#recording(batch);
  }

  #recording(batch: Batch): Recording {
    const known = this.#known.get(batch);
    if (known) return known;
    const recording = {
      turns: batch.turns.map((turn) => turn.map((each) => this.#placed(batch, each))),
      single: (at: number) => this.#part(batch, [at]),
    };
    this.#known.set(batch, recording);
    return recording;
  }

  #placed(batch: Batch, { events, writes }: Transaction): Placed {
    const needs = new Map<Place, number>();
    const shared: Place[] = [];
    for (const { pk, sk, units, isShared } of writes) {
      const place = this.#place(pk, isShared ? sk : "");
      needs.set(place, (needs.get(place) ?? 0) + units);
      if (isShared) shared.push(place);
    }
    let halves: Placed[] | undefined;
    const halve = async () => {
      const middle = Math.ceil(events.length / 2);
      const parts = [events.slice(0, middle), events.slice(middle)];
      halves = (await Promise.all(parts.map((part) => this.#part(batch, part)))).flat();
      return halves;
    };
    return { events, needs: [...needs], shared, halves: () => halves ?? halve() };
  }

  /** Entries follow one another at the end of their partition. A rollup is an item of its own. */
  #place(pk: string, sk: string): Place {
    const inHour = (text: string) => text.replace(batchHour, this.#hour);
    const kind = sk === "" ? "entries of an hour" : "rollups of an hour";
    return this.#table.place(kind, inHour(pk), inHour(sk));
  }

  /** What is written for some events of a batch, by their places in it. */
  async #part(batch: Batch, places: readonly number[]): Promise<Placed[]> {
    return (await partOf(batch, places)).map((each) => this.#placed(batch, each));
  }
}
