/** The numbers behind a chart: where its lines are, and which series are drawn apart. No drawing. */

/** The top of an axis and its lines, at round values. The top is never under `max`. */
export function ticks(max: number, wanted = 4): number[] {
  if (!(max > 0) || !Number.isFinite(max)) return [0, 1];
  const rough = max / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const size = [1, 2, 2.5, 5, 10].find((each) => each * power >= rough) ?? 10;
  const step = size * power;
  const lines = Math.ceil(max / step - 1e-9);
  return Array.from({ length: lines + 1 }, (_, at) => Number((at * step).toPrecision(12)));
}

export interface ChartSeries {
  name: string;
  label: string;
  /** One for each bucket. */
  values: number[];
}

/** The largest series, and the sum of all others as the last one. */
export function largest(series: readonly ChartSeries[], kept: number, others: string): ChartSeries[] {
  const total = ({ values }: ChartSeries) => values.reduce((sum, value) => sum + value, 0);
  const sorted = series.toSorted((a, b) => total(b) - total(a));
  const rest = sorted.slice(kept);
  if (rest.length <= 1) return sorted;
  const values = (rest[0]?.values ?? []).map((_, at) =>
    rest.reduce((sum, each) => sum + (each.values[at] ?? 0), 0),
  );
  return [...sorted.slice(0, kept), { name: "", label: others, values }];
}

/** Where each part of a bucket's bar begins and ends, from the bottom, in parts of `top`. */
export function stacked(
  series: readonly ChartSeries[],
  bucket: number,
  top: number,
): { from: number; to: number }[] {
  let from = 0;
  return series.map(({ values }) => {
    const to = from + (values[bucket] ?? 0) / top;
    const part = { from, to };
    from = to;
    return part;
  });
}

/** Every how many buckets a label fits below the bars. */
export function labelEvery(buckets: number, width: number, labelWidth: number): number {
  return Math.max(1, Math.ceil((buckets * labelWidth) / Math.max(width, 1)));
}
