/** A wallet's items: their sizes as the product writes them, and the shards that its rules give it. */
import { ulid } from "ulid";
import { limits } from "#shared/base/limits.ts";
import {
  type BudgetLevel,
  budgetLevels,
  type Organization,
  type Wallet,
} from "#shared/books/accounts/account.ts";
import { hourParts } from "#shared/books/ledger/spread-hours.ts";
import { budgetShares, type Hold, heldBy } from "#shared/books/meters/hold.ts";
import { accountOf, type Bound } from "#shared/books/meters/levels.ts";
import type { Meter } from "#shared/books/meters/meter.ts";
import { pickShard } from "#shared/books/meters/shards.ts";
import { growWallet, type ShardDeps, tendWallet } from "#shared/edges/jobs/shards.ts";
import { toAttribute } from "#shared/edges/store/dynamodb/attributes.ts";
import { meterKey } from "#shared/edges/store/dynamodb/item-keys.ts";
import { names, newMeterItem, writeHeld } from "#shared/edges/store/meters/meter-item.ts";
import type { Random } from "#test/simulation/random.ts";
import { noon, walletHold } from "#test/support/store.ts";
import { keyOf } from "./batches.ts";
import { bytesOf, unitsOf } from "./item-units.ts";
import type { Place, Table } from "./partitions.ts";

/** One call in so many asks for more shards, as its id ends (`looksForLeftovers`). */
const askingShare = 1 / hourParts.length;

/** The limits of a key with a budget, which all shards share. */
const budget = { budget_points: "1000000", budget_period: "month" } as const;

/** Bytes that DynamoDB takes for an item at most; a wallet whose item is full admits nobody. */
const itemBytesMax = 400 * 1024;

/** Whose calls have budgets: those of each key, or those of each account of every level. */
export type Budgets = "keys" | "levels";

/** Accounts of each level: ten projects, and as many customers as an item may count. */
const accountsOf: Record<BudgetLevel, number> = {
  organization: 1,
  project: 10,
  member: 100,
  customer: limits.customersMax,
};

/** The budgets that bound a call of an account of each level, beside its key's. */
function boundsAt(at: number): Bound[] {
  return budgetLevels.map((level) => ({
    level,
    account: accountOf(level, String(at % accountsOf[level]).padStart(10, "0")),
    points: 10n ** 24n,
    period: "month",
  }));
}

/** The hold of a call of one of an organization's keys. */
function holdAt(organization: string, at: number, budgets?: Budgets): Hold {
  return {
    ...walletHold("mtr_01ARZ3NDEKTSV4RRFFQ69G5FAV", "0.000123", noon, keyOf(organization, at)),
    ...(budgets && { limits: budget }),
    ...(budgets === "levels" && { bounds: boundsAt(at) }),
  };
}

/** The counters of budgets on a wallet's item, once every account has called there. */
export function countersOf(organization: string, keys: number, budgets?: Budgets): Set<string> {
  if (!budgets) return new Set();
  const calls = Math.max(keys, ...(budgets === "levels" ? Object.values(accountsOf) : []));
  const holds = Array.from({ length: calls }, (_, at) => holdAt(organization, at, budgets));
  return new Set(holds.flatMap((hold) => budgetShares(hold).map(({ counter }) => counter)));
}

/** Write units of a wallet's item by the holds on it. Not finite where they do not fit on an item. */
export function meterUnits(organization: string, keys: number, budgets?: Budgets): (holds: number) => number {
  const hold = holdAt(organization, 0, budgets);
  const amounts = { granted: 10n ** 24n, avail: 10n ** 24n - 1n, used: 10n ** 24n - 1n };
  const counters = countersOf(organization, keys, budgets);
  const empty = bytesOf({
    ...newMeterItem(hold.meter, 0, "payg"),
    ...Object.fromEntries(Object.entries(amounts).map(([name, points]) => [name, toAttribute(points)])),
    ...Object.fromEntries([...counters].map((name) => [name, toAttribute(10n ** 20n - 1n)])),
  });
  const each = bytesOf({ [names.hold(hold.request)]: writeHeld(heldBy(hold)) });
  return (holds) => {
    const bytes = empty + holds * each;
    return bytes > itemBytesMax ? Number.POSITIVE_INFINITY : unitsOf(bytes);
  };
}

/** The wallet of one organization. */
export class ModelWallet {
  readonly lane: number;
  readonly meter: string;
  /** Calls in flight on each shard. */
  readonly holds = new Int32Array(limits.shardsMax);
  shards = 1;
  readonly #places: Place[] = [];
  readonly #table: Table;
  readonly #budgets: ReadonlyMap<string, bigint>;
  /** How many shards there were, and until when a process may know no others. */
  #before = 1;
  #knownFrom = Number.NEGATIVE_INFINITY;
  #spreadFrom = Number.POSITIVE_INFINITY;
  /** Processes that have forgotten the wallet's record since it changed, because they met a rush. */
  #learned = 0;
  #rush: { throttled: boolean } | undefined;

  /** `counters` names those of budgets on each of its items. */
  constructor(lane: number, table: Table, random: Random, counters: ReadonlySet<string> = new Set()) {
    this.lane = lane;
    this.#budgets = new Map([...counters].map((name) => [name, 0n]));
    this.meter = `mtr_${ulid(noon, () => random.next())}`;
    this.#table = table;
  }

  /** Where a shard's item lies. */
  place(shard: number): Place {
    const known = this.#places[shard];
    if (known) return known;
    const place = this.#table.place("items of a wallet", meterKey(this.meter, shard).pk?.S ?? "");
    this.#places[shard] = place;
    return place;
  }

  /** A shard for a call at `now`, seconds, in one of so many sandboxes. It was tried on another shard, or on none (-1). */
  pick(now: number, tried: number, sandboxes: number, random: Random): number | undefined {
    const known = Math.max((now - this.#knownFrom) / limits.keyCacheSeconds, this.#learned / sandboxes);
    const knows = known >= 1 || random.next() < known;
    const shards = knows ? this.shards : this.#before;
    if (tried < 0) return Math.floor(random.next() * shards);
    return pickShard(shards, null, new Set([tried]), () => random.next());
  }

  /** Whether the hours of calls are spread that were admitted at an instant, as most processes knew it then. */
  isSpreadAt(admitted: number): boolean {
    return admitted - limits.keyCacheSeconds / 2 >= this.#spreadFrom;
  }

  /** What the sweep does at `now`: the product decides on the shards. The wallet has points enough. */
  async sweep(now: number): Promise<void> {
    await tendWallet("org_1", undefined, this.#deps(now));
  }

  /** A call found at `now`, seconds, so many holds on the first item. */
  noteHolds(count: number, now: number, random: Random): void {
    const most = this.isSpreadAt(now) ? limits.shardHolds : limits.spreadHolds;
    if (count > most) this.noteRush(false, random);
  }

  /** A call found that the first item has too many calls, or was throttled. A few calls ask for more shards. */
  noteRush(throttled: boolean, random: Random): void {
    if (throttled) this.#learned += 1;
    if (random.chance(askingShare)) this.#rush = { throttled: throttled || this.#rush?.throttled === true };
  }

  /** What the processes do that have asked. */
  async grow(now: number): Promise<void> {
    if (!this.#rush) return;
    const { throttled } = this.#rush;
    this.#rush = undefined;
    // A rush never takes any away.
    if (this.shards === limits.shardsMax) return;
    await growWallet("org_1", { shards: this.shards, throttled }, this.#deps(now));
  }

  #deps(now: number): ShardDeps {
    const record: Wallet = {
      meter: this.meter,
      shards: this.shards,
      ...(this.#spreadFrom <= now && { spread: true }),
    };
    const held = { points: 1n, tokens: 0, period: "" };
    const items = Array.from(this.holds.subarray(0, this.shards), (count, shard) => ({
      shard,
      avail: 10n ** 30n,
      holds: new Map(Array.from({ length: count }, (_, at) => [String(at), held])),
      budgets: this.#budgets,
      shardsAtRetirement: null,
    }));
    const nothing = async () => {};
    return {
      accounts: {
        organization: async () => ({ wallet: record }) as Organization,
        setWallet: async (_organization, _before, after) => this.#change(after, now),
      },
      meters: {
        shardsOf: async () => items as unknown as Meter[],
        openShard: nothing,
        useShard: nothing,
        emptyShard: nothing,
        move: async () => true,
      },
      ledger: { spreadHours: nothing },
    };
  }

  #change({ shards, spread }: Wallet, now: number): boolean {
    if (spread) this.#spreadFrom = Math.min(this.#spreadFrom, now);
    if (shards === this.shards) return true;
    this.#before = this.shards;
    this.shards = shards;
    this.#knownFrom = now;
    this.#learned = 0;
    return true;
  }
}
