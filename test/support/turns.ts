/** Several actors whose every call waits for its turn: a seeded order of all their steps, in which each may die. */
import { settled } from "./settled.ts";

/** Numbers in [0, 1) that are the same for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export class Turns {
  readonly #random: () => number;
  readonly #deathRate: number;
  /** Calls under way. */
  #busy = 0;
  #waiting: { actor: object; go: () => void }[] = [];

  /** At each turn an actor dies with the given probability. */
  constructor(random: () => number, deathRate: number) {
    this.#random = random;
    this.#deathRate = deathRate;
  }

  /** The port as an actor sees it: a turn before each call, and one before its answer. */
  wrap<Port extends object>(actor: object, port: Port): Port {
    const turn = () => this.#turn(actor);
    return new Proxy(port, {
      get: (target, name) => {
        const member = Reflect.get(target, name) as unknown;
        if (typeof member !== "function") return member;
        return async (...given: unknown[]) => {
          await turn();
          this.#busy += 1;
          try {
            return await Reflect.apply(member, target, given);
          } finally {
            this.#busy -= 1;
            await turn();
          }
        };
      },
    });
  }

  #turn(actor: object): Promise<void> {
    return new Promise((resolve) => this.#waiting.push({ actor, go: resolve }));
  }

  /** Lets an actor begin at its first turn. Its rejection ends it; `told` hears of it. */
  start(actor: object, run: () => Promise<unknown>, told: (error: unknown) => void): void {
    this.#turn(actor).then(run).catch(told);
  }

  /** Gives turns until every actor has ended or died. */
  async run(): Promise<void> {
    for (;;) {
      await settled();
      // A call that goes over the network needs rounds of Node's loop.
      while (this.#busy > 0) await new Promise(setImmediate);
      const chosen = this.#waiting[Math.floor(this.#random() * this.#waiting.length)];
      if (!chosen) return;
      this.#waiting = this.#waiting.filter((each) => each !== chosen);
      if (this.#random() >= this.#deathRate) chosen.go();
      // It never comes back from its call, nor from any other it has under way.
      else this.#waiting = this.#waiting.filter(({ actor }) => actor !== chosen.actor);
    }
  }
}
