/**
 * A table of DynamoDB on demand, as its partitions: each gives so many units a second, and so does the whole table. What
 * is not asked for is kept for one second, and no longer.
 */
import { createHash } from "node:crypto";
import { assumed, dynamo } from "./facts.ts";

/** What a write or read met: room, or one of the two limits. */
export type Given = "given" | "partition" | "table";

interface Partition {
  /** Its range of positions in [0, 1): the first one, and the first one behind it. */
  from: number;
  to: number;
  /** Units that were given and have not come again yet, and those of this second. */
  used: number;
  given: number;
  /** Whether it refused in this second, and for how many seconds it has. */
  refused: boolean;
  hotSeconds: number;
  places: Place[];
  /** Units that were asked of it for keys that lie anywhere. */
  anywhere: number;
}

/** What a refusal met, and how many there were. */
export interface Limit {
  name: string;
  refusals: number;
}

/** Where a key lies: items of one partition key whose writes follow one another, or one item. */
export interface Place {
  readonly position: number;
  readonly limit: Limit;
  partition: Partition;
  /** Units that were asked of it while its partition refused. */
  asked: number;
}

/** Bits of a position that the partition key decides; the sort key decides the others. */
const hashBits = 32;
const sortBits = 21;

/** Where a key lies among all keys, in [0, 1). Items of one partition key lie together. */
function positionOf(pk: string, sk = ""): number {
  const number = (text: string, bits: number) =>
    createHash("sha256").update(text).digest().readUInt32BE() >>> (32 - bits);
  const own = sk === "" ? 0 : number(sk, sortBits) / 2 ** sortBits;
  return (number(pk, hashBits) + own) / 2 ** hashBits;
}

/** A table that takes `start` units a second at first, of which a partition gives `most`. */
export class Table {
  readonly name: string;
  readonly most: number;
  readonly #whole: Limit;
  readonly #limits = new Map<string, Limit>();
  readonly #places = new Map<string, Place>();
  #partitions: Partition[];
  #limit: number;
  #used = 0;
  #minute = 0;
  #peak = 0;
  #seconds = 0;

  constructor(name: string, most: number, start: number) {
    this.name = name;
    this.most = most;
    this.#limit = start;
    this.#whole = this.limitOf(`${name} table`);
    const count = Math.ceil(start / most);
    this.#partitions = Array.from({ length: count }, (_, at) => partition(at / count, (at + 1) / count));
  }

  /** Units that the table takes a second now. */
  get limit(): number {
    return this.#limit;
  }

  /** The limits that requests may meet. */
  get limits(): Iterable<Limit> {
    return this.#limits.values();
  }

  /** The limit of this name. */
  limitOf(name: string): Limit {
    const limit = this.#limits.get(name) ?? { name, refusals: 0 };
    this.#limits.set(name, limit);
    return limit;
  }

  /** The units that each partition has given in this second. */
  get given(): readonly number[] {
    return this.#partitions.map(({ given }) => given);
  }

  /** Where the items of a partition key are written, one behind the other; with a sort key, where that item lies. */
  place(limit: string, pk: string, sk = ""): Place {
    const name = `${pk} ${sk}`;
    const known = this.#places.get(name);
    if (known) return known;
    const position = positionOf(pk, sk);
    const holder = this.#holder(position);
    const place = { position, limit: this.limitOf(limit), partition: holder, asked: 0 };
    holder.places.push(place);
    this.#places.set(name, place);
    return place;
  }

  /** Takes units at a place, if partition and table have as many left in this second. */
  take(place: Place, units: number): Given {
    const { partition } = place;
    place.asked += units;
    if (partition.used + units > this.most) {
      partition.refused = true;
      return refuse("partition", place.limit);
    }
    if (this.#used + units > this.#limit) return refuse("table", this.#whole);
    return this.#give(partition, units);
  }

  /** Takes the units of all places, or none of them. */
  takeAll(needs: readonly (readonly [Place, number])[]): Given {
    const wanted = new Map<Partition, number>();
    let all = 0;
    for (const [place, units] of needs) {
      place.asked += units;
      all += units;
      wanted.set(place.partition, (wanted.get(place.partition) ?? 0) + units);
    }
    for (const [place] of needs) {
      if (place.partition.used + (wanted.get(place.partition) ?? 0) <= this.most) continue;
      place.partition.refused = true;
      return refuse("partition", place.limit);
    }
    if (this.#used + all > this.#limit) return refuse("table", this.#whole);
    for (const [partition, units] of wanted) this.#give(partition, units);
    return "given";
  }

  /** Whether the partition of a place has refused in this second. */
  isHot({ partition }: Place): boolean {
    return partition.refused;
  }

  /** Takes a unit for a key that lies at a position in [0, 1) and is used once. */
  takeAt(limit: Limit, position: number): Given {
    const partition = this.#holder(position);
    partition.anywhere += 1;
    if (partition.used >= this.most) {
      partition.refused = true;
      return refuse("partition", limit);
    }
    if (this.#used >= this.#limit) return refuse("table", this.#whole);
    return this.#give(partition, 1);
  }

  #give(partition: Partition, units: number): Given {
    partition.used += units;
    partition.given += units;
    this.#used += units;
    this.#minute += units;
    return "given";
  }

  /** The partition of a position. They stand in order. */
  #holder(position: number): Partition {
    let [first, last] = [0, this.#partitions.length - 1];
    while (first < last) {
      const middle = (first + last) >> 1;
      if (position < (this.#partitions[middle] as Partition).to) last = middle;
      else first = middle + 1;
    }
    return this.#partitions[first] as Partition;
  }

  /** So many seconds pass: units come again. */
  pass(seconds: number): void {
    this.#used = Math.max(0, this.#used - seconds * this.#limit);
    for (const each of this.#partitions) each.used = Math.max(0, each.used - seconds * this.most);
  }

  /** Ends a second: hot partitions are split, and the table grows with its load. */
  endSecond(): void {
    this.#seconds += 1;
    if (this.#seconds % 60 === 0) {
      this.#peak = Math.max(this.#peak, this.#minute / 60);
      this.#minute = 0;
    }
    for (const each of [...this.#partitions]) {
      each.given = 0;
      each.hotSeconds = each.refused ? each.hotSeconds + 1 : Math.max(0, each.hotSeconds - 1);
      each.refused = false;
      if (each.hotSeconds >= assumed.splitSeconds) this.#split(each, cutOf(each));
      else if (each.hotSeconds === 0) forget(each);
    }
    if (this.#seconds % dynamo.growthSeconds === 0) this.#grow();
  }

  #grow(): void {
    this.#limit = Math.max(this.#limit, Math.min(dynamo.quota, 2 * this.#peak));
    while (this.#partitions.length * this.most < this.#limit) {
      const widest = this.#partitions.reduce((most, each) =>
        each.to - each.from > most.to - most.from ? each : most,
      );
      this.#split(widest, (widest.from + widest.to) / 2);
    }
  }

  /** A partition whose load is that of one place stays as it is. */
  #split(whole: Partition, cut: number | undefined): void {
    whole.hotSeconds = 0;
    if (cut === undefined) return;
    const parts = [partition(whole.from, cut), partition(cut, whole.to)];
    for (const place of whole.places) {
      const part = (place.position < cut ? parts[0] : parts[1]) as Partition;
      place.partition = part;
      place.asked = 0;
      part.places.push(place);
    }
    this.#partitions.splice(this.#partitions.indexOf(whole), 1, ...parts);
  }
}

function refuse(given: Given, limit: Limit): Given {
  limit.refusals += 1;
  return given;
}

function partition(from: number, to: number): Partition {
  return { from, to, used: 0, given: 0, refused: false, hotSeconds: 0, places: [], anywhere: 0 };
}

function forget(each: Partition): void {
  each.anywhere = 0;
  for (const place of each.places) place.asked = 0;
}

/** The position that halves a partition's load best. Undefined where one place has nearly all of it. */
function cutOf({ from, to, places, anywhere }: Partition): number | undefined {
  const loaded = places.filter(({ asked }) => asked > 0).toSorted((a, b) => a.position - b.position);
  const all = loaded.reduce((sum, { asked }) => sum + asked, anywhere);
  const cuts = loaded.map(({ position }) => position).filter((position) => position > from);
  let best: { cut: number; worse: number } | undefined;
  for (const cut of [...cuts, (from + to) / 2]) {
    const own = loaded.filter(({ position }) => position < cut).reduce((sum, { asked }) => sum + asked, 0);
    const before = own + (anywhere * (cut - from)) / (to - from);
    const worse = Math.max(before, all - before);
    if (!best || worse < best.worse) best = { cut, worse };
  }
  return best && best.worse < 0.95 * all ? best.cut : undefined;
}
