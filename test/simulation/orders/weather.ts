/** What goes wrong around orders in one seed. Each kind of fault is off in most seeds and heavy in some. */
import type { Random } from "../random.ts";
import type { EffectFaults } from "../scheduler.ts";

export interface OrderWeather {
  effects: EffectFaults;
  /** Probabilities for a call to DynamoDB; a stray one is given up, and arrives later all the same. */
  requestLost: number;
  stray: number;
  answerLost: number;
  throttled: number;
  conflict: number;
  /** For a question to a platform: that it does not arrive, and that its answer is lost. */
  platformDeaf: number;
  platformMute: number;
  /** For a call of a platform: that it is lost, that it comes again, and how late it is at most. */
  noticeLost: number;
  noticeAgain: number;
  noticeLateMs: number;
  /** That a run of the reconciler does not happen. */
  missedRun: number;
  /** How far the clock of a process may be off. */
  skewMs: number;
}

/** Nothing goes wrong. */
export const clear: OrderWeather = {
  effects: { kill: 0, freeze: 0, freezeMs: 0, latencyMs: 20 },
  requestLost: 0,
  stray: 0,
  answerLost: 0,
  throttled: 0,
  conflict: 0,
  platformDeaf: 0,
  platformMute: 0,
  noticeLost: 0,
  noticeAgain: 0,
  noticeLateMs: 1_000,
  missedRun: 0,
  skewMs: 0,
};

/** The weather of a seed. */
export function drawOrderWeather(random: Random): OrderWeather {
  // Here only the platforms' calls may be lost, late or doubled, so that it can be said how soon a payment is found.
  if (random.chance(0.1)) return { ...clear, ...drawNotices(random) };
  const some = (chance: number, most: number) => (random.chance(chance) ? random.next() * most : 0);
  return {
    effects: {
      kill: some(0.6, 0.1),
      freeze: some(0.3, 0.03),
      freezeMs: random.pick([10_000, 120_000, 1_200_000]),
      latencyMs: random.pick([5, 20, 400, 3_000]),
    },
    requestLost: some(0.3, 0.1),
    stray: some(0.4, 0.15),
    answerLost: some(0.6, 0.25),
    throttled: some(0.3, 0.4),
    conflict: some(0.3, 0.3),
    platformDeaf: some(0.4, 0.5),
    platformMute: some(0.5, 0.5),
    ...drawNotices(random),
    missedRun: some(0.3, 0.5),
    skewMs: random.pick([0, 0, 2_000, 60_000]),
  };
}

function drawNotices(random: Random): Pick<OrderWeather, "noticeLost" | "noticeAgain" | "noticeLateMs"> {
  return {
    noticeLost: random.pick([0, 0.3, 0.9, 1]),
    noticeAgain: random.chance(0.6) ? random.next() * 0.6 : 0,
    noticeLateMs: random.pick([1_000, 60_000, 1_800_000, 20 * 3_600_000]),
  };
}

/** Whether nothing but a platform's call can go wrong: then every payment is found within a time. */
export function isFair({
  noticeLost: _lost,
  noticeAgain: _again,
  noticeLateMs: _late,
  ...rest
}: OrderWeather): boolean {
  return Object.entries(rest).every(([name, value]) => value === clear[name as keyof OrderWeather]);
}
