/** What must be true of the rollups: hours at every instant, sealed days and months once all is at rest. */

import { timeOf } from "#shared/base/platform/id.ts";
import { spanAround, spanOf } from "#shared/books/billing/period.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import { type Item, readText } from "#shared/edges/store/dynamodb/attributes.ts";
import { readRollupKey, rollupKey, rollupSorts, sealSort } from "#shared/edges/store/dynamodb/item-keys.ts";
import { placesOf, readRollup, shareOf } from "#shared/edges/store/ledger/postings.ts";

/** Calls, cost and list value. */
type Sums = [calls: bigint, cost: bigint, list: bigint];

const none: Sums = [0n, 0n, 0n];

export class RollupBooks {
  /** What the hours must say, by place. */
  readonly #hours = new Map<string, Sums>();
  /** What each rollup of an hour says: the one of the whole hour, and those of its parts. */
  readonly #said = new Map<string, Map<string, Sums>>();

  /** An entry has turned what a request was before, if it was, into this. */
  post(event: UsageEvent, before: UsageEvent | undefined): void {
    this.#add(event, 1n);
    // What was guessed of a call may be of another model than the one that answered.
    if (before) this.#add(before, -1n);
  }

  #add(event: UsageEvent, sign: bigint): void {
    const sums = sumsOf(event);
    for (const place of hoursOf(event)) {
      const [calls, cost, list] = this.#hours.get(place) ?? none;
      this.#hours.set(place, [calls + sign * sums[0], cost + sign * sums[1], list + sign * sums[2]]);
    }
  }

  /** I5: an hour with its parts is the sum of its entries, whenever it is looked at. Gaps of what was written now. */
  hourGaps(rollups: readonly Item[]): string[] {
    const places = new Set<string>();
    for (const rollup of rollups) {
      const place = wholePlaceOf(rollup);
      places.add(place);
      const said = this.#said.get(place) ?? new Map<string, Sums>();
      this.#said.set(place, said.set(readText(rollup.pk), saidBy(rollup)));
    }
    return [...places].flatMap((place) => {
      const sum = [...(this.#said.get(place)?.values() ?? [])].reduce(plus, none);
      const expected = this.#hours.get(place) ?? none;
      return isSame(sum, expected) ? [] : [`I5 ${place} differs from its entries`];
    });
  }

  /** Every day and month through its seal is the sum of its entries, however late they came. */
  sealedGaps(items: Item[]): string[] {
    const found = new Map(items.map((item) => [placeOf(item), item]));
    return items
      .filter(({ sk }) => readText(sk) === sealSort)
      .flatMap((seal) => [...this.#gapsOf(seal, "day", found), ...this.#gapsOf(seal, "month", found)]);
  }

  #gapsOf(seal: Item, unit: "day" | "month", found: Map<string, Item>): string[] {
    const partition = readText(seal.pk);
    const expected = new Map<string, Sums>();
    for (const [place, sums] of this.#hours) {
      const [pk = "", sk = ""] = place.split(" ");
      const { span, ...share } = readRollupKey(pk, sk);
      const around = spanAround(span, unit);
      if (pk !== partition || around > readText(seal[unit])) continue;
      const key = placeOf(rollupKey(share, around, share));
      const [calls, cost, list] = expected.get(key) ?? none;
      expected.set(key, [calls + sums[0], cost + sums[1], list + sums[2]]);
    }
    return [...expected].flatMap(([place, sums]) =>
      same(found.get(place), sums) ? [] : [`I5 ${place} differs from its entries`],
    );
  }
}

/** The hours an event adds to: its organization's, and its project's, each as the whole of its parts. */
export function hoursOf(event: UsageEvent): string[] {
  const hour = spanOf(timeOf(event.id), "hour");
  return placesOf(event).map((place) => placeOf(rollupKey(place, hour, shareOf(event))));
}

/** Whether an item of the rollups is an hour's or a part's of it; days, months and seals are beside it. */
export function isHour(item: Item): boolean {
  return readText(item.sk).startsWith(rollupSorts.hour);
}

function placeOf(item: Item): string {
  return `${readText(item.pk)} ${readText(item.sk)}`;
}

function sumsOf({ calls, cost_points, list_points }: UsageEvent): Sums {
  return [BigInt(calls), parsePoints(cost_points), parsePoints(list_points)];
}

/** The place of the whole hour that a rollup of an hour, or of a part of it, belongs to. */
export function wholePlaceOf(rollup: Item): string {
  const { organization, project, span, ...share } = readRollup(rollup);
  return placeOf(rollupKey({ organization, project }, span, share));
}

function saidBy(rollup: Item): Sums {
  const { calls, cost_points, list_points } = readRollup(rollup).sums;
  return [BigInt(calls), cost_points, list_points];
}

function plus(a: Sums, b: Sums): Sums {
  return [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
}

function isSame(a: Sums, b: Sums): boolean {
  return a.every((sum, at) => sum === b[at]);
}

function same(rollup: Item | undefined, expected: Sums): boolean {
  return isSame(rollup ? saidBy(rollup) : none, expected);
}
