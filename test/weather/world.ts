/**
 * Calls to one model in the weather of its providers, on virtual time. The processes run the product's routing. Each
 * serves one call at a time, as a function does, and their board answers late.
 */
import { limits } from "#shared/base/limits.ts";
import { within } from "#shared/base/platform/pause.ts";
import type { Boards } from "#shared/calls/routing/board.ts";
import { histogramOf } from "#shared/calls/routing/histogram.ts";
import { raceIfLate } from "#shared/calls/routing/race.ts";
import { laneOf } from "#shared/calls/routing/witness.ts";
import { Random } from "#test/simulation/random.ts";
import { Scheduler } from "#test/simulation/scheduler.ts";
import { MemoryBoards } from "#test/support/memory-boards.ts";
import { type Hostile, hostileConversation, hostileEnd, hostileName } from "./hostile.ts";
import { lateBoards } from "./late-boards.ts";
import { type Attempted, type PlayedChannel, Providers, threeChannels, type Weather } from "./provider.ts";
import { type Chosen, createRule, type Rule, type RuleName } from "./rules.ts";

/** An attempt that a call has sent. */
interface Sent {
  channel: PlayedChannel;
  sent_at: number;
  probed: boolean;
  ended: Promise<Ended>;
  /** Nothing is left of an attempt that nobody waits for. */
  abort: undefined;
}

type Ended = { attempt: Sent } & Attempted;

export interface Scenario {
  weather: Weather;
  rule: RuleName;
  /** Calls a second. */
  rate: number;
  seed: number;
  /** How long calls come before the weather begins, and from then on. Milliseconds. */
  calm_ms: number;
  weather_ms: number;
  channels?: readonly PlayedChannel[];
  /** Organizations that share the model. */
  tenants?: number;
  /** The organization whose calls alone are told. Absent: all but the hostile one's. */
  told_of?: string;
  /** An organization that does its worst at so many of the first channels, whatever the weather. */
  hostile?: Hostile;
  /** Of the board as the processes see it. */
  boards?: (boards: Boards) => Boards;
}

/** A call that came after the weather began. */
interface Told {
  /** The first attempt was made at the first channel while that was of no use. */
  tried_dead: boolean;
  retried: boolean;
  /** Two channels were asked at a time. */
  raced: boolean;
  /** From the call's arrival. Undefined where no channel answered. */
  first_byte_ms: number | undefined;
  /** Whether the channel that answered is that of the conversation's last turn; undefined for a first turn. */
  stayed: boolean | undefined;
}

export interface Outcome {
  calls: Told[];
  claims: number;
  openings: number;
  /** Conversations that had a turn after the weather began, and those of them that a turn moved. */
  conversations: number;
  moved: number;
}

const answerVisibleMs = 1_500;
const admissionMs = 12;
const turnShare = 0.85;
const start = Date.parse("2026-11-22T12:00:00Z");

interface Conversation {
  name: string;
  /** Whose it is. */
  witness: string;
  channel: PlayedChannel | undefined;
  calls: number;
  moved: boolean;
}

/** Runs a scenario to its end. */
export async function play(scenario: Scenario): Promise<Outcome> {
  const scheduler = new Scheduler(scenario.seed, start, false);
  return await scheduler.owning(() => new World(scenario, scheduler).run());
}

class World {
  readonly #scenario: Scenario;
  readonly #scheduler: Scheduler;
  readonly #random: Random;
  readonly #kept = new MemoryBoards();
  readonly #boards: Boards;
  readonly #channels: readonly PlayedChannel[];
  readonly #providers: Providers;
  /** The same providers for the hostile organization: what it draws moves no other call's luck. */
  readonly #hostile: Providers;
  readonly #idle: Rule[] = [];
  readonly #running;
  #conversations: Conversation[] = [];
  readonly #all: Conversation[] = [];
  readonly #calls: Told[] = [];
  readonly #begins: number;

  constructor(scenario: Scenario, scheduler: Scheduler) {
    const { weather, rate, seed, calm_ms, channels = threeChannels(), boards = (same) => same } = scenario;
    this.#scenario = scenario;
    this.#scheduler = scheduler;
    this.#random = new Random(seed);
    this.#begins = start + calm_ms;
    this.#channels = channels;
    this.#providers = new Providers(weather, this.#begins, rate, new Random(seed + 1));
    this.#hostile = new Providers(weather, this.#begins, rate, new Random(seed + 3));
    this.#running = scheduler.createRun("calls");
    this.#boards = boards(lateBoards(this.#kept, (ms) => this.#wait(ms)));
  }

  async run(): Promise<Outcome> {
    const { calm_ms, weather_ms, rate, seed, hostile } = this.#scenario;
    const ends = start + calm_ms + weather_ms;
    const converse = () => this.#converse();
    this.#scheduler.spawn(this.#running, () => this.#arrive(ends, rate, this.#random, converse), rethrow);
    if (hostile) {
      const random = new Random(seed + 2);
      const attack = () => {
        const name = hostileConversation(hostile, this.#channels, random);
        return { name, witness: hostileName, channel: undefined, calls: 0, moved: false };
      };
      this.#scheduler.spawn(this.#running, () => this.#arrive(ends, hostile.rate, random, attack), rethrow);
    }
    await this.#scheduler.proceed(Number.POSITIVE_INFINITY, () => {});
    return {
      calls: this.#calls,
      claims: this.#kept.claims,
      openings: this.#kept.openings,
      conversations: this.#all.filter(({ calls }) => calls > 0).length,
      moved: this.#all.filter(({ moved }) => moved).length,
    };
  }

  async #arrive(ends: number, rate: number, random: Random, converse: () => Conversation): Promise<void> {
    for (;;) {
      await this.#wait((-1000 / rate) * Math.log(1 - random.next()));
      if (this.#scheduler.now >= ends) return;
      this.#scheduler.spawn(this.#running, () => this.#call(converse()), rethrow);
    }
  }

  async #call(conversation: Conversation): Promise<void> {
    const arrived = this.#scheduler.now;
    const { told_of = conversation.witness } = this.#scenario;
    const isTold = conversation.witness === told_of && conversation.witness !== hostileName;
    const rule = this.#idle.pop() ?? this.#createProcess();
    const order = rule.begin(conversation.name, conversation.witness);
    await this.#wait(admissionMs);
    const chosen = await order();
    const told: Told = {
      tried_dead: false,
      retried: false,
      raced: false,
      first_byte_ms: undefined,
      stayed: undefined,
    };
    const run = this.#run(chosen, rule, told, conversation);
    for (let sent = run.next(); sent; sent = run.next()) {
      const ended = await run.endOf(sent);
      if (ended.outcome !== "answered") continue;
      const { channel } = ended.attempt;
      told.first_byte_ms = this.#scheduler.now - arrived;
      if (conversation.channel) told.stayed = conversation.channel === channel;
      this.#note(conversation, channel, told, arrived);
      await this.#wait(ended.generation_ms);
      this.#settle(channel, conversation, ended);
      break;
    }
    if (arrived >= this.#begins && isTold) this.#calls.push(told);
    await Promise.all(run.writes);
    this.#idle.push(rule);
  }

  /** The attempts of one call. */
  #run({ channels, left, probes }: Chosen, rule: Rule, told: Told, { witness }: Conversation) {
    const writes: Promise<void>[] = [];
    let place = 0;
    const saw = ({ channel, probed }: Sent, attempted: Attempted, raced: boolean) => {
      writes.push(rule.saw(channel, attempted, { witness, probed, raced }));
    };
    const next = (): Sent | undefined => {
      const channel = channels[place];
      if (!channel) return undefined;
      const at = this.#scheduler.now;
      if (place === 0) told.tried_dead = channel === this.#channels[0] && this.#providers.isDead(at);
      else told.retried = true;
      const attempted = this.#attempt(channel, witness, at);
      const sent = { channel, sent_at: at, probed: probes && place === 0, abort: undefined } as Sent;
      sent.ended = this.#wait(attempted.ms).then(() => ({ attempt: sent, ...attempted }));
      place += 1;
      return sent;
    };
    const { board } = rule;
    const endOf = async (sent: Sent): Promise<Ended> => {
      const mayRace = board !== undefined && !told.raced && channels[place] !== undefined;
      const early = mayRace ? await within(sent.ended, limits.raceMinMs, undefined) : await sent.ended;
      if (early) saw(sent, early, false);
      if (early || !board) return early ?? (await sent.ended);
      return await raceIfLate<Sent, Ended>(sent, {
        board,
        channel: sent.channel.id,
        model: { reasons: false },
        witness,
        isWorthwhile: () => !left?.has(channels[place] as PlayedChannel),
        now: () => this.#scheduler.now,
        async next(isWanted) {
          told.raced = true;
          return isWanted() ? next() : undefined;
        },
        failed: rethrow,
        tell: (ended, isLate) => saw(ended.attempt, ended, isLate),
        tellLost: ({ channel, probed, sent_at }, raced) => {
          const waited_ms = this.#scheduler.now - sent_at;
          writes.push(rule.saw(channel, { outcome: "lost" }, { witness, probed, raced, waited_ms }));
        },
      });
    };
    return { next, endOf, writes };
  }

  /** What a call comes to at a channel. */
  #attempt(channel: PlayedChannel, witness: string, at: number): Attempted {
    const place = this.#channels.indexOf(channel);
    const { hostile } = this.#scenario;
    if (!hostile || witness !== hostileName) return this.#providers.attempt(channel, place === 0, at);
    return hostileEnd(hostile, place, this.#hostile.attempt(channel, place === 0, at));
  }

  #note(conversation: Conversation, channel: PlayedChannel, { stayed }: Told, arrived: number): void {
    if (arrived >= this.#begins) {
      conversation.calls += 1;
      if (stayed === false) conversation.moved = true;
    }
    conversation.channel = channel;
  }

  /** The conversation of the next call: mostly one that runs. */
  #converse(): Conversation {
    const most = Math.max(20, this.#scenario.rate * 20);
    if (this.#conversations.length > 0 && this.#random.chance(turnShare)) {
      return this.#random.pick(this.#conversations);
    }
    const name = `c${this.#all.length}`;
    const witness = `org${this.#all.length % (this.#scenario.tenants ?? 4)}`;
    const conversation = { name, witness, channel: undefined, calls: 0, moved: false };
    this.#all.push(conversation);
    this.#conversations = [...this.#conversations, conversation].slice(-most);
    return conversation;
  }

  #createProcess(): Rule {
    return createRule(this.#scenario.rule, {
      channels: this.#channels,
      boards: this.#boards,
      now: () => this.#scheduler.now,
      random: this.#random,
      log: () => {},
    });
  }

  /** What the settling function adds, some time after the call. */
  #settle(
    { id }: PlayedChannel,
    { witness }: Conversation,
    { ms, output_tokens, generation_ms }: { ms: number; output_tokens: number; generation_ms: number },
  ): void {
    const counts = {
      answers: 1,
      first_byte: histogramOf(ms, laneOf(witness)),
      output_tokens,
      generation_ms: Math.round(generation_ms),
    };
    const at = this.#scheduler.now;
    this.#scheduler.after(answerVisibleMs, null, () => {
      void this.#kept.add({ model: "m", at, channels: { [id]: counts } });
    });
  }

  #wait(ms: number): Promise<void> {
    return this.#scheduler.wait(this.#running, ms);
  }
}

function rethrow(error?: unknown): void {
  if (error !== undefined) throw error;
}
