/** The arithmetic of usage reports. A report equals the sum of the entries in its range (billing.md §2.11). */

import { type SpanUnit, spanAround } from "../billing/period.ts";
import { formatPoints, parsePoints } from "../billing/points.ts";
import { countsOf, dimensions, noUsage } from "../billing/usage.ts";
import type { Rollup, Sums, UsedEvent } from "../ledger/ledger.ts";

/** Sums of nothing, to start from. */
export function noSums(): Sums {
  return { ...noUsage, calls: 0, cost_points: 0n, list_points: 0n };
}

/** The amounts that one event adds to a sum. */
export function sumsOf(event: Pick<UsedEvent, "usage" | "calls" | "cost_points" | "list_points">): Sums {
  return {
    ...countsOf(event.usage),
    calls: event.calls,
    cost_points: parsePoints(event.cost_points),
    list_points: parsePoints(event.list_points),
  };
}

/** a + b in every field. */
export function addSums(a: Sums, b: Sums): Sums {
  const total = {
    ...a,
    calls: a.calls + b.calls,
    cost_points: a.cost_points + b.cost_points,
    list_points: a.list_points + b.list_points,
  };
  for (const dimension of dimensions) total[dimension] += b[dimension];
  return total;
}

/** −a in every field. */
export function negateSums(a: Sums): Sums {
  const negated = { ...noSums(), calls: -a.calls, cost_points: -a.cost_points, list_points: -a.list_points };
  for (const dimension of dimensions) negated[dimension] = -a[dimension];
  return negated;
}

/** Whether every amount is 0, as it is where all calls failed. */
export function isEmpty(sums: Sums): boolean {
  return Object.values(sums).every((amount) => !amount);
}

/**
 * The events that count, from entries in the ledger's order. The correction of a request directly follows its estimate,
 * and only the event of the correction counts. An empty `project` stands for all projects.
 */
export async function* countedEvents<Event extends Pick<UsedEvent, "id" | "project">>(
  entries: AsyncIterable<{ event: Event | null }>,
  project: string,
): AsyncGenerator<Event> {
  let last: Event | undefined;
  for await (const { event } of entries) {
    if (!event || (project !== "" && event.project !== project)) continue;
    if (last && last.id !== event.id) yield last;
    last = event;
  }
  if (last) yield last;
}

/** Adds hours up to days, or days to months: one rollup for each longer span and share, in the order of spans. */
export function coarsen(rollups: Iterable<Rollup>, unit: SpanUnit): Rollup[] {
  const longer = new Map<string, Rollup>();
  for (const { span, model, key, owner, sums } of rollups) {
    const around = spanAround(span, unit);
    const name = JSON.stringify([around, model, key, owner]);
    const total = addSums(longer.get(name)?.sums ?? noSums(), sums);
    longer.set(name, { span: around, model, key, owner, sums: total });
  }
  return [...longer.values()].sort((a, b) => (a.span < b.span ? -1 : a.span > b.span ? 1 : 0));
}

/** Adds sums to those that a map has for a model. */
export function addTo(byModel: Map<string, Sums>, model: string, sums: Sums): void {
  byModel.set(model, addSums(byModel.get(model) ?? noSums(), sums));
}

interface ReportItem {
  calls: number;
  input_tokens: number;
  output_tokens: number;
  cache_read_tokens: number;
  cache_write_tokens: number;
  generated_images: number;
  video_seconds: number;
  cost_points: string;
  list_points: string;
}

/** The report of contract §2.4: models by cost, then by name. Totals are the lines' sum; groups stand beside. */
export function renderReport<Groups extends object>(
  range: { from: string; to: string },
  project: string,
  byModel: Map<string, Sums>,
  groups: Groups,
) {
  const lines = [...byModel].sort(([nameA, a], [nameB, b]) => {
    if (a.cost_points !== b.cost_points) return a.cost_points > b.cost_points ? -1 : 1;
    return nameA < nameB ? -1 : 1;
  });
  const totals = lines.reduce((total, [, sums]) => addSums(total, sums), noSums());
  return {
    ...range,
    project_id: project,
    ...groups,
    by_model: lines.map(([model, sums]) => ({ model, ...renderSums(sums) })),
    totals: renderSums(totals),
  };
}

/** Sums as a report shows them, with points as decimal strings. */
export function renderSums(sums: Sums): ReportItem {
  return {
    calls: sums.calls,
    input_tokens: sums.input_tokens,
    output_tokens: sums.output_tokens,
    cache_read_tokens: sums.cache_read_tokens,
    cache_write_tokens: sums.cache_write_tokens,
    generated_images: sums.generated_images,
    video_seconds: sums.video_seconds,
    cost_points: formatPoints(sums.cost_points),
    list_points: formatPoints(sums.list_points),
  };
}
