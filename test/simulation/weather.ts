/**
 * What goes wrong in one seed. Each kind of fault is off in most seeds and heavy in some: a fault that is
 * always there a little hides what another one does alone.
 */
import { limits } from "#shared/base/limits.ts";
import type { Random } from "./random.ts";
import type { EffectFaults } from "./scheduler.ts";

export interface Weather {
  effects: EffectFaults;
  /** Probabilities for a call to AWS. */
  requestLost: number;
  /** That a request is given up, and arrives up to so much later all the same. */
  stray: number;
  strayMs: number;
  answerLost: number;
  throttled: number;
  /** That one begins a second or so in which every call to the tables is throttled. */
  burst: number;
  conflict: number;
  /** That the queue refuses an entry of a batch and takes the others. */
  entryRefused: number;
  /** How long a gateway collects what it joins. The product waits for no more than the turn of its event loop. */
  joinMs: number;
  /** Probabilities that a service is away when a window of outage begins. */
  queueDown: number;
  tablesDown: number;
  /** For each request to the board: that the table is not there, and that it has lost all it had. */
  boardDown: number;
  boardLost: number;
  /** For each delivery of a message: that it is late, by up to `lateMs`, and that it comes once more. */
  late: number;
  lateMs: number;
  duplicate: number;
  /** That a sealer starts beside whoever settles a batch. */
  seal: number;
  /**
   * How far clocks may be off: those of gateways and of the settling function, of sweepers, and of sealers. A day
   * is sealed two hours after its end. These two hours cover the errors of the sealer's and the writer's clock.
   * They also cover a writer that is frozen between a look at the clock and its write (billing.md §2.7).
   */
  gatewaySkewMs: number;
  sweeperSkewMs: number;
  sealerSkewMs: number;
}

/** Nothing goes wrong. */
export const calm: Weather = {
  effects: { kill: 0, freeze: 0, freezeMs: 0, latencyMs: 20 },
  requestLost: 0,
  stray: 0,
  strayMs: 0,
  answerLost: 0,
  throttled: 0,
  burst: 0,
  conflict: 0,
  entryRefused: 0,
  joinMs: 0,
  queueDown: 0,
  tablesDown: 0,
  boardDown: 0,
  boardLost: 0,
  late: 0,
  lateMs: 0,
  duplicate: 0,
  seal: 0,
  gatewaySkewMs: 0,
  sweeperSkewMs: 0,
  sealerSkewMs: 0,
};

const expiryMs = limits.holdExpirySeconds * 1000;

/** The weather of a seed. */
export function drawWeather(random: Random): Weather {
  const some = (chance: number, most: number) => (random.chance(chance) ? random.next() * most : 0);
  return {
    effects: {
      kill: some(0.6, 0.05),
      freeze: some(0.3, 0.02),
      freezeMs: random.pick([10_000, expiryMs, 3 * expiryMs]),
      latencyMs: random.pick([5, 20, 20, 400]),
    },
    requestLost: some(0.3, 0.1),
    stray: some(0.4, 0.2),
    strayMs: random.pick([1_000, 60_000]),
    answerLost: some(0.6, 0.25),
    throttled: some(0.3, 0.6),
    burst: some(0.2, 0.05),
    conflict: some(0.3, 0.3),
    entryRefused: some(0.3, 0.5),
    joinMs: random.pick([0, 30, 100, 2_000]),
    queueDown: random.pick([0, 0, 0.3, 0.9]),
    tablesDown: random.pick([0, 0, 0, 0.3]),
    boardDown: random.pick([0, 0, 0.2, 1]),
    boardLost: random.pick([0, 0, 0.2]),
    late: some(0.6, 0.5),
    lateMs: random.pick([60_000, 2 * expiryMs, 6 * 3_600_000, 30 * 3_600_000]),
    duplicate: some(0.6, 0.4),
    seal: random.pick([0, 0, 0.7]),
    gatewaySkewMs: random.pick([0, 0, 2_000, 900_000]),
    sweeperSkewMs: random.pick([0, 0, 120_000, 5 * expiryMs]),
    sealerSkewMs: random.pick([0, 0, 60_000, 1_800_000]),
  };
}
