/** That no key has more calls in flight than its own limit lets it, whoever counts and wherever it is counted. */

import { limits } from "#shared/base/limits.ts";
import { timeOf } from "#shared/base/platform/id.ts";
import type { Wallet } from "#shared/books/accounts/account.ts";
import type { Meter } from "#shared/books/meters/meter.ts";
import { fromItem, type Item } from "#shared/edges/store/dynamodb/attributes.ts";
import type { Call } from "./calls.ts";

export class Caps {
  readonly #calls: Map<string, Call>;
  /** Open holds by item. */
  readonly #open = new Map<string, { meter: string; requests: string[] }>();
  /** The fewest calls in flight of its key that a call had beside it while it held, itself included. */
  readonly #crowds = new Map<string, number>();
  /** Wallets whose shards have changed: a key that moves with them may have calls on two. */
  readonly #moved = new Set<string>();

  constructor(calls: Map<string, Call>) {
    this.#calls = calls;
  }

  /** A meter item was written. */
  note({ meter, shard, holds }: Meter): void {
    const item = `${meter}#${shard}`;
    this.#open.set(item, { meter, requests: [...holds.keys()] });
    for (const request of holds.keys()) {
      const call = this.#calls.get(request);
      if (call?.key.record.limits?.max_concurrency === undefined || call.asked > 0) continue;
      const least = this.#crowds.get(request) ?? Infinity;
      this.#crowds.set(request, Math.min(least, this.#crowdOf(call, item, meter)));
    }
  }

  /** A record of an organization or a key was written. */
  noteOwner(before: Item | undefined, after: Item | undefined): void {
    const [was, is] = [before, after].map((item) => item && (fromItem(item).wallet as Wallet | null));
    if (was && is && was.shards !== is.shards) this.#moved.add(is.meter);
  }

  /** Customers are there, as they are to begin with. */
  start(): void {
    this.#moved.clear();
  }

  /** A call is sent: at some moment since it was held there must have been room. Gives what is wrong. */
  gapsOf(call: Call): string[] {
    const cap = call.key.record.limits?.max_concurrency ?? Infinity;
    const crowd = this.#crowds.get(call.id) ?? 0;
    return crowd > cap ? [`${call.id} is call ${crowd} in flight of a key that may have ${cap}`] : [];
  }

  /** By its own clock older holds belong to dead calls. */
  #crowdOf({ id, key }: Call, item: string, meter: string): number {
    const since = timeOf(id) - limits.holdExpirySeconds * 1000;
    let crowd = 0;
    for (const [name, open] of this.#open) {
      if (this.#moved.has(meter) ? name !== item : open.meter !== meter) continue;
      for (const request of open.requests) {
        const own = this.#calls.get(request)?.key.record.id === key.record.id;
        if (own && timeOf(request) >= since) crowd += 1;
      }
    }
    return crowd;
  }
}
