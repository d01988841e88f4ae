/**
 * One thread of virtual time for everything that happens in a simulated world. Whatever takes time is an
 * event; between two events all code runs to where it waits. A run is a process of the product: killed, none of its
 * events happen any more, so whatever it waited for never answers.
 *
 * The product takes time and chance from globals, and `owning` puts ours in their place: a timer belongs to
 * the run that set it. A scenario only needs `spawn` to start a run, `effect` around whatever a run asks of
 * the outside, and `after` for what the world does by itself.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { settled } from "#test/support/settled.ts";
import { Random } from "./random.ts";

/** A process. What it was killed by, if it was, is up to the scenario. */
export interface Run {
  name: string;
  alive: boolean;
  /** A frozen process does nothing until then, and does not notice. */
  frozenUntil: number;
  onKilled: (() => void) | undefined;
}

interface Event {
  at: number;
  order: number;
  run: Run | null;
  act: (() => void) | null;
}

/** Probabilities of what may go wrong around an effect, and how long it takes. */
export interface EffectFaults {
  /** That the run dies at one of the two places: before the effect, or after it and before its answer. */
  kill: number;
  /** That the run is frozen while it waits. */
  freeze: number;
  freezeMs: number;
  latencyMs: number;
}

const running = new AsyncLocalStorage<Run>();

export class Scheduler {
  readonly random: Random;
  /** Unix milliseconds. */
  now: number;
  steps = 0;
  /** Undefined unless the trace is wanted. */
  trace: string[] | undefined;
  readonly #start: number;
  #events: Event[] = [];
  #order = 0;

  constructor(seed: number, start: number, traced: boolean) {
    this.random = new Random(seed);
    this.now = start;
    this.#start = start;
    this.trace = traced ? [] : undefined;
  }

  /** A process that does nothing yet. */
  createRun(name: string): Run {
    return { name, alive: true, frozenUntil: 0, onKilled: undefined };
  }

  /** Lets a run do something. `ended` is told how it came out, unless the run is killed before. */
  spawn(run: Run, act: () => Promise<void>, ended: (error?: unknown) => void = () => {}): void {
    running.run(run, act).then(
      () => ended(),
      (error: unknown) => ended(error ?? new Error("rejected with nothing")),
    );
  }

  kill(run: Run): void {
    if (!run.alive) return;
    this.note(run, "killed");
    run.alive = false;
    run.onKilled?.();
  }

  /** Acts in so many milliseconds; never, if it is for a run that is dead by then. Gives what calls it off. */
  after(ms: number, run: Run | null, act: () => void): () => void {
    const event: Event = { at: this.now + Math.ceil(Math.max(0, ms)), order: this.#order++, run, act };
    this.#insert(event);
    return () => {
      event.act = null;
    };
  }

  /** Resolves in so many milliseconds, if the run still lives. */
  wait(run: Run, ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, run, resolve));
  }

  /**
   * Something a run asks of the outside: it arrives, is done by `act`, and its answer comes back, each a little
   * later. Rejects with what `act` throws. The request of a process that has died meanwhile may arrive or not.
   */
  effect<Value>(run: Run, label: string, faults: EffectFaults, act: () => Value): Promise<Value> {
    const { promise, resolve, reject } = Promise.withResolvers<Value>();
    const wait = () => this.random.between(1, faults.latencyMs);
    if (this.random.chance(faults.freeze))
      run.frozenUntil = this.now + this.random.between(1, faults.freezeMs);
    this.after(wait(), null, () => {
      if (this.random.chance(faults.kill)) this.kill(run);
      if (!run.alive && this.random.chance(0.5)) return;
      let answer: () => void;
      try {
        const value = act();
        this.note(run, label);
        answer = () => resolve(value);
      } catch (error) {
        this.note(run, `${label} ⇒ ${String(error)}`);
        answer = () => reject(error);
      }
      if (this.random.chance(faults.kill)) this.kill(run);
      this.after(wait(), run, answer);
    });
    return promise;
  }

  note(run: Run | null, what: string): void {
    this.trace?.push(
      `${String((this.now - this.#start) / 1000).padStart(10)} s  ${run?.name ?? "world"}: ${what}`,
    );
  }

  /** Lets everything happen that is to happen before `until`, with a look at the world after each event. */
  async proceed(until: number, look: () => void): Promise<void> {
    // What was started since the last event has to come to where it waits first.
    await settled();
    for (let event = this.#events[0]; event && event.at <= until; event = this.#events[0]) {
      this.#events.shift();
      const { run, act } = event;
      if (!act || (run && !run.alive)) continue;
      if (run && run.frozenUntil > event.at) {
        this.#insert({ ...event, at: run.frozenUntil });
        continue;
      }
      this.now = event.at;
      this.steps += 1;
      if (run) running.run(run, act);
      else act();
      await settled();
      look();
    }
    this.now = Math.max(this.now, Number.isFinite(until) ? until : this.now);
  }

  /** Runs `act` with time and chance of the product taken from here. */
  async owning<Value>(act: () => Promise<Value>): Promise<Value> {
    const saved = { setTimeout, clearTimeout, random: Math.random };
    const { stackTraceLimit } = Error;
    // Where an error comes from is read by nobody before the seed is traced, and takes a tenth of a seed's time.
    if (!this.trace) Error.stackTraceLimit = 0;
    const { getRandomValues, randomUUID } = crypto;
    const timeout = (action: () => void, ms = 0) => {
      const run = running.getStore();
      return run ? this.after(ms, run, action) : saved.setTimeout(action, ms);
    };
    const clear = (timer: unknown) =>
      typeof timer === "function" ? timer() : saved.clearTimeout(timer as NodeJS.Timeout);
    const bytes = (array: Uint8Array) => array.map((_, i) => (array[i] = this.random.between(0, 255)));
    const hex = (digits: number) =>
      Array.from({ length: digits }, () => this.random.between(0, 15).toString(16)).join("");
    Object.assign(globalThis, { setTimeout: timeout, clearTimeout: clear });
    Math.random = () => this.random.next();
    const uuid = () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`;
    Object.assign(crypto, { getRandomValues: bytes, randomUUID: uuid });
    try {
      return await act();
    } finally {
      Object.assign(globalThis, { setTimeout: saved.setTimeout, clearTimeout: saved.clearTimeout });
      Math.random = saved.random;
      Error.stackTraceLimit = stackTraceLimit;
      Object.assign(crypto, { getRandomValues, randomUUID });
    }
  }

  #insert(event: Event): void {
    let [low, high] = [0, this.#events.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.#events[middle] as Event;
      if (other.at < event.at || (other.at === event.at && other.order < event.order)) low = middle + 1;
      else high = middle;
    }
    this.#events.splice(low, 0, event);
  }
}
