/** Usage over time, from the form of the API to that of a chart. */

import type { Figures, SeriesStep, UsageLine, UsageSeries } from "./api-types.ts";
import type { ChartSeries } from "./chart-scale.ts";

/** The beginnings of all buckets of a range, also of those without usage. Days, hours and months are UTC's. */
export function bucketsOf({ from, to, step }: Pick<UsageSeries, "from" | "to" | "step">): string[] {
  const end = Date.parse(to);
  const at = floor(new Date(from), step);
  const buckets: string[] = [];
  while (at.getTime() < end) {
    buckets.push(at.toISOString());
    advance(at, step);
  }
  return buckets;
}

/** The end of the bucket that begins at an instant. */
export function endOf(at: string, step: SeriesStep): string {
  const end = new Date(at);
  advance(end, step);
  return end.toISOString();
}

function advance(at: Date, step: SeriesStep): void {
  if (step === "hour") at.setUTCHours(at.getUTCHours() + 1);
  else if (step === "day") at.setUTCDate(at.getUTCDate() + 1);
  else at.setUTCMonth(at.getUTCMonth() + 1);
}

function floor(at: Date, step: SeriesStep): Date {
  if (step === "month") at.setUTCDate(1);
  if (step !== "hour") at.setUTCHours(0);
  at.setUTCMinutes(0, 0, 0);
  return at;
}

/** Each line as one value for each bucket: the sum of these figures. Points become floats here, which only draw. */
export function seriesOf(
  usage: UsageSeries,
  buckets: readonly string[],
  figures: readonly (keyof Figures)[],
  labelOf: (line: UsageLine) => string,
): ChartSeries[] {
  const places = new Map(buckets.map((at, place) => [Date.parse(at), place]));
  const columns = figures.map((each) => usage.columns.indexOf(each));
  return usage.series.map((line) => {
    const values = buckets.map(() => 0);
    for (const point of line.points) {
      const place = places.get(floor(new Date(point[0] ?? ""), usage.step).getTime());
      const value = columns.reduce((sum, column) => sum + Number(point[column] ?? 0), 0);
      if (place !== undefined) values[place] = (values[place] ?? 0) + value;
    }
    return { name: line.name ?? "", label: labelOf(line), values };
  });
}

/** What a line is called, where it has a name. */
export function labelOf({ label, name }: Pick<UsageLine, "label" | "name">): string {
  return label || name || "";
}
