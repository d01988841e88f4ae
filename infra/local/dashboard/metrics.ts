/** The metrics of a local gateway by the minute, as CloudWatch keeps those of a stage. They are in memory, and bounded. */

/** One metric: AWS tells those of one name apart by their dimensions. */
export interface MetricId {
  namespace: string;
  name: string;
  dimensions: Record<string, string>;
}

/** What was measured in some time. */
interface Measured {
  count: number;
  sum: number;
  minimum: number;
  maximum: number;
  /** How many values there were of each size, in steps of 2 %. */
  sizes: Map<number, number>;
}

/** An hour to show, and the time that the slowest alarm looks back. */
const minutesKept = 80;
/** More would be the fault of a dimension that is none. Metrics that come later are left out. */
const metricsMax = 2_000;
const minuteMs = 60_000;

/** The number of the minute that an instant is in. Takes Unix milliseconds. */
export function minuteOf(at: number): number {
  return Math.floor(at / minuteMs);
}

interface KeptMetric {
  id: MetricId;
  minutes: Map<number, Measured>;
}

export class Metrics {
  readonly #kept = new Map<string, KeptMetric>();

  /** Notes a value at an instant, Unix milliseconds. */
  add(id: MetricId, value: number, at: number): void {
    const { minutes } = this.#metricOf(id) ?? {};
    if (!minutes) return;
    const minute = minuteOf(at);
    const known = minutes.get(minute);
    const size = sizeOf(value);
    if (known) {
      known.count += 1;
      known.sum += value;
      known.minimum = Math.min(known.minimum, value);
      known.maximum = Math.max(known.maximum, value);
      known.sizes.set(size, (known.sizes.get(size) ?? 0) + 1);
      return;
    }
    minutes.set(minute, {
      count: 1,
      sum: value,
      minimum: value,
      maximum: value,
      sizes: new Map([[size, 1]]),
    });
    // One minute more than is kept, so the one that came first goes.
    if (minutes.size > minutesKept) minutes.delete(Math.min(...minutes.keys()));
  }

  /** What was measured in `length` minutes from a minute on; undefined where nothing was. */
  read(id: MetricId, first: number, length = 1): Measured | undefined {
    const minutes = this.#kept.get(keyOf(id))?.minutes;
    const found = Array.from({ length }, (_, at) => minutes?.get(first + at)).filter(
      (each) => each !== undefined,
    );
    return found.length === 0 ? undefined : found.reduce(added);
  }

  /** The metrics of a name that have just these dimensions, whatever their values, the first one first. */
  find(namespace: string, name: string, dimensions: readonly string[]): MetricId[] {
    const wanted = dimensions.toSorted().join();
    return [...this.#kept.values()]
      .map(({ id }) => id)
      .filter((id) => id.namespace === namespace && id.name === name)
      .filter((id) => Object.keys(id.dimensions).toSorted().join() === wanted);
  }

  #metricOf(id: MetricId): KeptMetric | undefined {
    const key = keyOf(id);
    const known = this.#kept.get(key);
    if (known || this.#kept.size >= metricsMax) return known;
    const kept = { id, minutes: new Map<number, Measured>() };
    this.#kept.set(key, kept);
    return kept;
  }
}

function keyOf({ namespace, name, dimensions }: MetricId): string {
  return JSON.stringify([namespace, name, Object.entries(dimensions).sort()]);
}

function added(one: Measured, other: Measured): Measured {
  const sizes = new Map(one.sizes);
  for (const [size, count] of other.sizes) sizes.set(size, (sizes.get(size) ?? 0) + count);
  return {
    count: one.count + other.count,
    sum: one.sum + other.sum,
    minimum: Math.min(one.minimum, other.minimum),
    maximum: Math.max(one.maximum, other.maximum),
    sizes,
  };
}

const step = Math.log(1.02);
/** The step of values that have no logarithm. */
const none = Number.NEGATIVE_INFINITY;

function sizeOf(value: number): number {
  return value > 0 ? Math.round(Math.log(value) / step) : none;
}

/** A statistic by CloudWatch's name of it. A percentile is right within 1 %. Throws on a name that is not known here. */
export function statisticOf(measured: Measured, name: string): number {
  const { count, sum, minimum, maximum } = measured;
  const known: Record<string, number> = {
    Sum: sum,
    SampleCount: count,
    Average: sum / count,
    Minimum: minimum,
    Maximum: maximum,
  };
  const value = known[name];
  if (value !== undefined) return value;
  const [, percent] = /^p(\d+(?:\.\d+)?)$/.exec(name) ?? [];
  if (percent === undefined) throw new Error(`the statistic ${name} is not known here`);
  return percentileOf(measured, Number(percent) / 100);
}

function percentileOf({ count, sizes, minimum, maximum }: Measured, share: number): number {
  let left = Math.max(1, Math.ceil(count * share));
  for (const [size, values] of [...sizes].sort(([a], [b]) => a - b)) {
    left -= values;
    const value = size === none ? minimum : Math.exp(size * step);
    if (left <= 0) return Math.min(Math.max(value, minimum), maximum);
  }
  return maximum;
}
