/** Whether something that was sampled through a long run has stayed level or has grown. */
import { spreadOf } from "./spread.ts";

export interface Sampled {
  /** Hours since the first sample. */
  hours: number;
  value: number;
}

interface Trend {
  /** Of the first, the middle and the last third of the samples. */
  medians: [first: number, middle: number, last: number];
  /** By least squares over the last two thirds, in units an hour. The first third warms up. */
  slope: number;
  isLevel: boolean;
}

/** By how much the last third may be above the middle one: by a share of it or by an amount, whichever is more. */
export interface Tolerance {
  share: number;
  atLeast: number;
}

/**
 * The trend of samples, in the order of their times. It is level unless the last third's median is above the middle
 * one's by more than `tolerance`. The first third does not count, because caches fill and code is compiled then.
 * Throws when there are fewer than three samples.
 */
export function trendOf(samples: readonly Sampled[], { share, atLeast }: Tolerance): Trend {
  if (samples.length < 3) throw new Error("a trend needs three samples");
  const cut = (part: number) => Math.round((samples.length * part) / 3);
  const thirds = [0, 1, 2].map((part) => samples.slice(cut(part), cut(part + 1)));
  const [first = 0, middle = 0, last = 0] = thirds.map(
    (third) => spreadOf(third.map(({ value }) => value))?.median ?? 0,
  );
  return {
    medians: [first, middle, last],
    slope: slopeOf(samples.slice(cut(1))),
    isLevel: last - middle <= Math.max(middle * share, atLeast),
  };
}

function slopeOf(samples: readonly Sampled[]): number {
  const mean = (of: (sample: Sampled) => number) =>
    samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length;
  const hours = mean((sample) => sample.hours);
  const value = mean((sample) => sample.value);
  const spread = mean((sample) => (sample.hours - hours) ** 2);
  return mean((sample) => (sample.hours - hours) * (sample.value - value)) / (spread || 1);
}
