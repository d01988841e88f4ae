/** The figures of calls: what is kept of them, and which have moved. */

/** What one call costs, by the call's name and the figure's. */
export type Figures = Record<string, Record<string, number>>;

export interface KeptFigures {
  /** The version of Node that they were measured with. Another one allocates differently. */
  node: string;
  figures: Figures;
}

/** How far a figure may move, as a share of what is kept: ten times as far as any has moved by itself. */
const tolerance = 0.05;

/** A line for each figure that has moved too far, or stands on one side only. Up and down are told alike. */
export function movedFigures(kept: Figures, measured: Figures): string[] {
  const names = [...new Set([...Object.keys(kept), ...Object.keys(measured)])];
  return names.flatMap((name) => movedOf(name, kept[name] ?? {}, measured[name] ?? {}));
}

function movedOf(name: string, kept: Figures[string], measured: Figures[string]): string[] {
  const figures = [...new Set([...Object.keys(kept), ...Object.keys(measured)])];
  return figures.flatMap((figure) => {
    const [before, now] = [kept[figure], measured[figure]];
    if (before !== undefined && now !== undefined && Math.abs(now - before) <= before * tolerance) return [];
    return [`${name}: ${figure} ${before ?? "none"} → ${now ?? "none"}${shareOf(before, now)}`];
  });
}

function shareOf(before: number | undefined, now: number | undefined): string {
  if (!before || now === undefined) return "";
  const percent = (now / before - 1) * 100;
  return ` (${percent > 0 ? "+" : "−"}${Math.abs(percent).toFixed(1)} %)`;
}
