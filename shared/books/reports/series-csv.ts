/** Series as CSV (RFC 4180), for spreadsheets: a line for each point, with the same numbers as the screen. */
import { csvFile } from "./csv.ts";
import { pointOf, type Series, type SeriesLabel, seriesColumns } from "./series.ts";

/** A line for each point, by time. `by` names the first column. No text in it can run as a formula. */
export function seriesCsv(
  by: string,
  series: readonly Series[],
  labelOf: (name: string | null) => SeriesLabel,
): string {
  const lines = series.flatMap(({ name, points }) => {
    const { label, last_four } = labelOf(name);
    const head = [name ?? "", label ?? "", last_four ?? ""];
    return points.map(({ at, sums }) => ({ at, fields: [...head, ...pointOf(at, sums).map(String)] }));
  });
  lines.sort((a, b) => a.at - b.at);
  const head = [by, "label", "last_four", ...seriesColumns];
  return csvFile([head, ...lines.map(({ fields }) => fields)]);
}
