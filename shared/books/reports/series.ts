/** Usage over time: a series by model, project, key or user. All add up to the totals, to the last digit. */
import { formatPoints } from "../billing/points.ts";
import type { Sums } from "../ledger/ledger.ts";
import { addSums, noSums, renderSums } from "./report.ts";
import type { ReportGroup } from "./report-groups.ts";

/** The members of a point, in their order. `at` is the start of the step in RFC 3339; costs are decimal strings. */
export const seriesColumns = [
  "at",
  "cost_points",
  "calls",
  "input_tokens",
  "output_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "generated_images",
  "video_seconds",
  "list_points",
] as const;

/** One line. Its points are in order of time, `at` in Unix milliseconds. */
export interface Series {
  /** Null: no user was named, or the usage is older than the names of keys in rollups. */
  name: string | null;
  totals: Sums;
  points: { at: number; sums: Sums }[];
}

/** How a series is called for people. */
export interface SeriesLabel {
  label: string | null;
  last_four?: string;
}

/** The series of groups named by a name and a step (`2026-11`, `2026-11-21` or an instant), the dearest first. */
export function seriesOf(groups: Iterable<ReportGroup>): Series[] {
  const byName = new Map<string | null, Series>();
  for (const { values, sums } of groups) {
    const [name = null, step] = values;
    const series = byName.get(name) ?? { name, totals: noSums(), points: [] };
    byName.set(name, series);
    series.points.push({ at: Date.parse(step ?? ""), sums });
    series.totals = addSums(series.totals, sums);
  }
  for (const { points } of byName.values()) points.sort((a, b) => a.at - b.at);
  return [...byName.values()].sort((a, b) => {
    if (a.totals.cost_points !== b.totals.cost_points)
      return a.totals.cost_points > b.totals.cost_points ? -1 : 1;
    return (a.name ?? "") < (b.name ?? "") ? -1 : 1;
  });
}

/** What several series come to together. */
export function totalOf(series: readonly Pick<Series, "totals">[]): Sums {
  return series.reduce((total, { totals }) => addSums(total, totals), noSums());
}

/** A series as the interface shows it. */
export function renderSeries({ name, totals, points }: Series, label: SeriesLabel) {
  return {
    name,
    ...label,
    totals: renderSums(totals),
    points: points.map(({ at, sums }) => pointOf(at, sums)),
  };
}

/** A point as a list, in the order of `seriesColumns`. */
export function pointOf(at: number, sums: Sums): (string | number)[] {
  return [
    new Date(at).toISOString(),
    formatPoints(sums.cost_points),
    sums.calls,
    sums.input_tokens,
    sums.output_tokens,
    sums.cache_read_tokens,
    sums.cache_write_tokens,
    sums.generated_images,
    sums.video_seconds,
    formatPoints(sums.list_points),
  ];
}
