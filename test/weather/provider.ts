/** The providers of a model, and the weather of the first of them. */
import type { Random } from "#test/simulation/random.ts";

export const weathers = ["calm", "outage", "flaky", "slow", "hang", "limit", "flapping"] as const;
export type Weather = (typeof weathers)[number];

/** A channel that answers after a median of so many milliseconds. */
export interface PlayedChannel {
  id: string;
  provider: string;
  priority: number;
  weight: number;
  first_byte_ms: number;
}

/** Three channels of one priority. */
export function threeChannels(medians: readonly number[] = [450, 600, 750]): PlayedChannel[] {
  const names = ["acme", "globex", "initech"];
  return medians.map((first_byte_ms, at) => ({
    id: `00000${at}`,
    provider: names[at] ?? `p${at}`,
    priority: 1,
    weight: 1,
    first_byte_ms,
  }));
}

/** How an attempt ends, and after how many milliseconds: with its first byte, or with its failure. */
export type Attempted =
  | { outcome: "answered"; ms: number; output_tokens: number; generation_ms: number }
  | { outcome: "fault"; ms: number }
  | { outcome: "limited"; ms: number; wait_ms: number };

const spread = 0.45;
const faultShare = 0.003;
/** Answers differ much in their length, and less in their speed: 5 s is the median of a stream. */
const tokensOfAnswer = 400;
const tokenSpread = 0.5;
const tokenMs = 12.5;
const speedSpread = 0.25;
const refusedAfterMs = 80;
/** The gateway gives up a provider that is silent for so long. */
const silenceMs = 60_000;
/** A provider's limit counts so long, and lets through this share of all calls. */
const limitWindowMs = 10_000;
const limitShare = 0.15;
const flapMs = 30_000;
const flapDeadMs = 10_000;

/** Plays the channels of one run. */
export class Providers {
  readonly #weather: Weather;
  readonly #begins: number;
  readonly #rate: number;
  readonly #random: Random;
  #window = 0;
  #left = 0;

  /** The weather begins at an instant, Unix milliseconds. `rate` is the calls a second of all clients. */
  constructor(weather: Weather, begins: number, rate: number, random: Random) {
    this.#weather = weather;
    this.#begins = begins;
    this.#rate = rate;
    this.#random = random;
  }

  /** Whether the first channel is of no use at this instant. */
  isDead(at: number): boolean {
    if (at < this.#begins) return false;
    if (this.#weather === "flapping") return (at - this.#begins) % flapMs < flapDeadMs;
    return this.#weather === "outage" || this.#weather === "hang";
  }

  attempt(channel: PlayedChannel, isFirst: boolean, at: number): Attempted {
    const weather = isFirst && at >= this.#begins ? this.#weather : "calm";
    const ms = channel.first_byte_ms * this.#logNormal(spread) * (weather === "slow" ? 8 : 1);
    if (isFirst && this.isDead(at)) {
      return { outcome: "fault", ms: weather === "hang" ? silenceMs : refusedAfterMs };
    }
    if (weather === "limit" && !this.#admits(at)) {
      return { outcome: "limited", ms: refusedAfterMs, wait_ms: limitWindowMs - (at % limitWindowMs) };
    }
    if (this.#random.chance(weather === "flaky" ? 0.3 : faultShare)) return { outcome: "fault", ms };
    const output_tokens = Math.round(tokensOfAnswer * this.#logNormal(tokenSpread));
    const generation_ms = output_tokens * tokenMs * this.#logNormal(speedSpread);
    return { outcome: "answered", ms, output_tokens, generation_ms };
  }

  #admits(at: number): boolean {
    const window = Math.floor(at / limitWindowMs);
    if (window !== this.#window) {
      this.#window = window;
      this.#left = Math.round((this.#rate * limitShare * limitWindowMs) / 1000);
    }
    this.#left -= 1;
    return this.#left >= 0;
  }

  #logNormal(sigma: number): number {
    const [one, other] = [1 - this.#random.next(), this.#random.next()];
    return Math.exp(sigma * Math.sqrt(-2 * Math.log(one)) * Math.cos(2 * Math.PI * other));
  }
}
