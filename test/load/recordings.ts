/** Batches as they are recorded in one hour of a table: their transactions, with the places that they write to. */
import type { Random } from "#test/simulation/random.ts";
import { type Batch, type Batches, batchHour, type Transaction } from "./batches.ts";
import type { Place, Table } from "./partitions.ts";

/** A sum that a transaction adds to: where it lies, and where for a process that knows that the hours are spread. */
interface PlacedSum {
  adder: string;
  whole: Place;
  part: Place;
  units: number;
}

/** A transaction of a batch, and where it writes. */
export interface Placed {
  events: readonly number[];
  entries: readonly (readonly [Place, number])[];
  /** A second transaction on one of them is refused. */
  sums: readonly PlacedSum[];
}

/** What is written for a batch: turn after turn. */
export type Recording = Placed[][];

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
    const recording = batch.map((turn) => turn.map((each) => this.#placed(each)));
    this.#known.set(batch, recording);
    return recording;
  }

  #placed({ events, writes }: Transaction): Placed {
    const entries = new Map<Place, number>();
    const sums: PlacedSum[] = [];
    for (const { pk, sk, units, adder, partPk } of writes) {
      if (adder === undefined) {
        const place = this.#place(pk, "");
        entries.set(place, (entries.get(place) ?? 0) + units);
      } else sums.push({ adder, units, whole: this.#place(pk, sk), part: this.#place(partPk, sk) });
    }
    return { events, entries: [...entries], sums };
  }

  /** Entries follow one another at the end of their partition. A rollup is an item of its own. */
  #place(pk: string, sk: string): Place {
    const inHour = (text: string) => text.replace(batchHour, this.#hour);
    const kind = sk === "" ? "entries of an hour" : "rollups of an hour";
    return this.#table.place(kind, inHour(pk), inHour(sk));
  }
}
