/**
 * The gateway behind a function URL, in steps: sandboxes start, calls read their key, put hold and intent, and end with
 * an event and a settlement. A call in a list is a number: its wallet, its shard, and how far it has come.
 */
import { limits } from "#shared/base/limits.ts";
import { retryPauseMs } from "#shared/base/platform/aws.ts";
import type { Item } from "#shared/edges/store/dynamodb/attributes.ts";
import { keyByHash, organizationKey } from "#shared/edges/store/dynamodb/item-keys.ts";
import type { Random } from "#test/simulation/random.ts";
import { arrivals } from "./arrivals.ts";
import {
  type Attempt,
  attemptsMax,
  holding,
  intending,
  readAttempt,
  readCall,
  readingKey,
  readingOwner,
  writeCall,
} from "./attempts.ts";
import { keyOf } from "./batches.ts";
import { lambda } from "./facts.ts";
import type { Figures } from "./figures.ts";
import type { ModelWallet } from "./meters.ts";
import type { Limit, Place, Table } from "./partitions.ts";
import type { UsageQueue } from "./queue.ts";
import { Steps, stepSeconds } from "./steps.ts";

/** Calls of customers that are alike. */
export interface LaneOfCalls {
  wallets: readonly ModelWallet[];
  organizations: readonly string[];
  keys: number;
  callSeconds: number;
  /** Calls a second at an instant, seconds. */
  rateAt(now: number): number;
  /** Units of a wallet's item by its holds. */
  unitsOf(holds: number): number;
}

interface GatewayParts {
  lanes: readonly LaneOfCalls[];
  counters: Table;
  keys: Table;
  queue: UsageQueue;
  random: Random;
  figures: Figures;
  /** The most sandboxes of the account. */
  concurrency: number;
}

/** Where the records of an organization and of its keys lie. */
interface Records {
  ofKeys: Place[];
  ofOrganization: Place;
}

export class Gateway {
  readonly #parts: GatewayParts;
  readonly #wallets: { wallet: ModelWallet; lane: LaneOfCalls; laneAt: number }[];
  readonly #ending: Steps;
  readonly #unsettled: Steps;
  readonly #unadmitted: Steps;
  readonly #left: { at: number; wallet: number; shard: number }[] = [];
  readonly #firstWallet: number[] = [];
  readonly #records: Records[] = [];
  readonly #intents: Limit;
  #sandboxes = 0;
  #inFlight = 0;
  #startable: number = lambda.startsMax;

  constructor(parts: GatewayParts) {
    this.#parts = parts;
    this.#intents = parts.counters.limitOf("intents");
    this.#wallets = parts.lanes.flatMap((lane, laneAt) =>
      lane.wallets.map((wallet) => ({ wallet, lane, laneAt })),
    );
    for (const lane of parts.lanes) {
      this.#firstWallet.push(this.#wallets.findIndex((each) => each.lane === lane));
    }
    const longest = Math.max(...parts.lanes.map(({ callSeconds }) => callSeconds));
    this.#ending = new Steps(longest);
    this.#unsettled = new Steps(1);
    this.#unadmitted = new Steps(1);
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Everything that happens in the step that begins at `now`. */
  step(now: number): void {
    const starts = (lambda.startsMax / lambda.startsSeconds) * stepSeconds;
    this.#startable = Math.min(lambda.startsMax, this.#startable + starts);
    this.#end(now);
    for (const code of this.#unsettled.due(now)) {
      const { attempt, rest } = readAttempt(code);
      this.#settle(rest, attempt, now);
    }
    for (const code of this.#unadmitted.due(now)) this.#attempt(readCall(code), now);
    for (const [at, lane] of this.#parts.lanes.entries()) this.#arrive(at, lane, now);
    this.#parts.figures.sandboxes = Math.max(this.#parts.figures.sandboxes, this.#sandboxes);
  }

  /** Wallets get more shards whose calls have asked for them. */
  async grow(now: number): Promise<void> {
    for (const { wallet } of this.#wallets) {
      await wallet.grow(now);
      this.#parts.figures.shards = Math.max(this.#parts.figures.shards, wallet.shards);
    }
  }

  /** What the sweep does: shards grow, and old holds end. */
  async sweep(now: number): Promise<void> {
    for (const { wallet } of this.#wallets) {
      await wallet.sweep(now);
      this.#parts.figures.shards = Math.max(this.#parts.figures.shards, wallet.shards);
    }
    const firstLeft = this.#left.findIndex(({ at }) => at > now);
    const over = this.#left.splice(0, firstLeft < 0 ? this.#left.length : firstLeft);
    for (const { wallet, shard } of over) {
      this.#holdsOf(wallet)[shard] = (this.#holdsOf(wallet)[shard] ?? 0) - 1;
    }
  }

  /** Calls end: their events are sent, then their holds are settled. */
  #end(now: number): void {
    const sent = this.#parts.lanes.map(() => 0);
    const due = this.#ending.due(now);
    for (const place of due) {
      const { laneAt } = this.#of(Math.floor(place / limits.shardsMax));
      sent[laneAt] = (sent[laneAt] ?? 0) + 1;
    }
    this.#parts.figures.ended += due.length;
    for (const [lane, count] of sent.entries()) {
      if (count > 0) this.#parts.queue.send(lane, { ended: now, count, receives: 0 });
    }
    this.#inFlight -= due.length;
    for (const place of due) this.#settle(place, 1, now);
  }

  #settle(place: number, attempt: number, now: number): void {
    const { counters, random, figures } = this.#parts;
    const [wallet, shard] = [Math.floor(place / limits.shardsMax), place % limits.shardsMax];
    const holds = this.#holdsOf(wallet);
    const count = holds[shard] ?? 0;
    const of = this.#of(wallet);
    if (counters.take(of.wallet.place(shard), of.lane.unitsOf(count)) === "given") {
      holds[shard] = count - 1;
    } else if (attempt < attemptsMax) {
      const pause = retryPauseMs(attempt, () => random.next()) / 1000;
      this.#unsettled.add(now, pause, place * (attemptsMax + 1) + attempt + 1);
    } else {
      figures.left += 1;
      this.#left.push({ at: now + limits.holdExpirySeconds, wallet, shard });
    }
  }

  #arrive(at: number, lane: LaneOfCalls, now: number): void {
    const { random, figures } = this.#parts;
    const rate = lane.rateAt(now);
    const first = this.#firstWallet[at] ?? 0;
    const sandboxes = Math.max(1, this.#sandboxes);
    const secondsBetween = (sandboxes * lane.wallets.length) / rate;
    const unknownShare = (seconds: number) => seconds / (seconds + limits.keyCacheSeconds);
    const [keyShare, ownerShare] = [unknownShare(secondsBetween * lane.keys), unknownShare(secondsBetween)];
    for (let calls = arrivals(rate * stepSeconds, random); calls > 0; calls--) {
      const missing = this.#missing();
      figures.count("calls", now);
      if (missing !== undefined) {
        figures.count("unstarted", now, missing);
        continue;
      }
      const isNew = this.#inFlight > this.#sandboxes;
      if (isNew) this.#sandboxes = this.#inFlight;
      const wallet = first + Math.floor(random.next() * lane.wallets.length);
      // A process that does not know the organization knows none of its keys.
      const isStrange = isNew || random.chance(ownerShare);
      const readsKey = isStrange || random.chance((keyShare - ownerShare) / (1 - ownerShare));
      const reads = (readsKey ? readingKey : 0) | (isStrange ? readingOwner : 0);
      const shard = this.#of(wallet).wallet.pick(now, -1, sandboxes, random) ?? 0;
      this.#attempt({ wallet, shard, tried: 0, attempt: 1, pending: reads | holding | intending }, now);
    }
  }

  /** Takes a sandbox. Gives the limit that lets no other one start, where none is free. */
  #missing(): string | undefined {
    if (this.#inFlight >= this.#sandboxes) {
      if (this.#sandboxes >= this.#parts.concurrency) return "concurrency";
      if (this.#startable < 1) return "starts of sandboxes";
      this.#startable -= 1;
    }
    this.#inFlight += 1;
    return undefined;
  }

  #attempt(call: Attempt, now: number): void {
    const { counters, random } = this.#parts;
    const { wallet, lane } = this.#of(call.wallet);
    for (const what of [readingKey, readingOwner]) {
      if (!(call.pending & what)) continue;
      if (!this.#isRead(what, call.wallet, lane)) {
        this.#again(call, now);
        return;
      }
      call.pending ^= what;
      call.attempt = 1;
    }
    const holds = this.#holdsOf(call.wallet);
    if (call.pending & holding) {
      const units = lane.unitsOf((holds[call.shard] ?? 0) + 1);
      if (counters.take(wallet.place(call.shard), units) === "given") {
        const count = (holds[call.shard] ?? 0) + 1;
        holds[call.shard] = count;
        call.pending ^= holding;
        if (call.shard === 0) wallet.noteHolds(count, now, random);
      }
    }
    if (call.pending & intending && counters.takeAt(this.#intents, random.next()) === "given") {
      call.pending ^= intending;
    }
    if (call.pending === 0) this.#admit(call, now);
    else this.#again(call, now);
  }

  #admit({ wallet, shard }: Attempt, now: number): void {
    // Between two steps it ends at the one or the other.
    const seconds = this.#of(wallet).lane.callSeconds + (this.#parts.random.next() - 0.5) * stepSeconds;
    this.#ending.add(now, seconds, wallet * limits.shardsMax + shard);
  }

  /** The transport tries again; then the call tries another shard; then it is refused. */
  #again(call: Attempt, now: number): void {
    const { random, figures } = this.#parts;
    if (call.attempt < attemptsMax) {
      const pause = retryPauseMs(call.attempt, () => random.next()) / 1000;
      this.#unadmitted.add(now, pause, writeCall({ ...call, attempt: call.attempt + 1 }));
      return;
    }
    const isReading = call.pending & (readingKey | readingOwner);
    if (call.pending & holding && !isReading) {
      if (call.shard === 0) this.#of(call.wallet).wallet.noteRush(true, random);
      const tried = call.tried + 1;
      const shard = this.#of(call.wallet).wallet.pick(now, call.shard, this.#sandboxes, random);
      if (tried < limits.shardTriesMax && shard !== undefined) {
        this.#attempt({ ...call, shard, tried, attempt: 1, pending: holding | intending }, now);
        return;
      }
    } else if (!isReading) this.#settle(call.wallet * limits.shardsMax + call.shard, 1, now);
    this.#inFlight -= 1;
    figures.count("refused", now);
  }

  /** Reads the record of a key, or that of its organization. */
  #isRead(what: number, wallet: number, lane: LaneOfCalls): boolean {
    const { keys, random } = this.#parts;
    const records = this.#records[wallet] ?? this.#recordsOf(wallet, lane);
    this.#records[wallet] = records;
    const { ofKeys, ofOrganization } = records;
    const place = what === readingKey ? ofKeys[Math.floor(random.next() * lane.keys)] : ofOrganization;
    return keys.take(place as Place, 1) === "given";
  }

  #recordsOf(wallet: number, lane: LaneOfCalls): Records {
    const { keys, lanes } = this.#parts;
    const organization = lane.organizations[wallet - (this.#firstWallet[lanes.indexOf(lane)] ?? 0)] ?? "";
    const place = ({ pk }: Item) => keys.place("records of keys and organizations", pk?.S ?? "");
    return {
      ofKeys: Array.from({ length: lane.keys }, (_, at) => place(keyByHash(keyOf(organization, at)))),
      ofOrganization: place(organizationKey(organization)),
    };
  }

  #of(wallet: number): { wallet: ModelWallet; lane: LaneOfCalls; laneAt: number } {
    return this.#wallets[wallet] as { wallet: ModelWallet; lane: LaneOfCalls; laneAt: number };
  }

  #holdsOf(wallet: number): Int32Array {
    return this.#of(wallet).wallet.holds;
  }
}
