/** Usage split by what finance asks for: every amount is added to its model and to its group at once. */
import type { Rollup, Sums } from "../ledger/ledger.ts";
import type { UsageEvent } from "../ledger/usage-event.ts";
import { addTo, isEmpty } from "./report.ts";

export const dimensionsOfGroups = ["model", "project", "key", "user", "day", "hour"] as const;

/** What a report can be split by. */
export type GroupDimension = (typeof dimensionsOfGroups)[number];

/** What an amount is of: a rollup's share in its span, or one call. */
export type Source = Omit<Rollup, "sums"> & { user: string | null };

/** One group of a report: its values, in the order of the report's dimensions, and its sums. */
export interface Group {
  values: (string | null)[];
  sums: Sums;
}

/** Whose call an event is, in the hour `span` in which it was admitted. */
export function sourceOf({ model, key, project, user }: UsageEvent, span: string): Source {
  return { span, model, key, owner: project, user };
}

/** Adds amounts up by model and, where there are dimensions, by group. Both have the same total. */
export class Tally {
  readonly dimensions: readonly GroupDimension[];
  readonly #byModel = new Map<string, Sums>();
  readonly #groups = new Map<string, Sums>();

  constructor(dimensions: readonly GroupDimension[]) {
    this.dimensions = dimensions;
  }

  /** How many groups there are so far, those included that may turn out to be empty. */
  get size(): number {
    return this.#groups.size;
  }

  add(source: Source, sums: Sums): void {
    addTo(this.#byModel, source.model, sums);
    if (this.dimensions.length === 0) return;
    addTo(this.#groups, JSON.stringify(this.dimensions.map((dimension) => valueIn[dimension](source))), sums);
  }

  /** Sums by model; a model with nothing in them is left out. */
  byModel(): Map<string, Sums> {
    return new Map([...this.#byModel].filter(([, sums]) => !isEmpty(sums)));
  }

  /** The groups in which there is anything: in order of time, then of cost, the dearest first, then of their values. */
  groups(): Group[] {
    const groups = [...this.#groups].filter(([, sums]) => !isEmpty(sums));
    const time = this.dimensions.findIndex((dimension) => dimension === "day" || dimension === "hour");
    return groups
      .map(([name, sums]) => ({ values: JSON.parse(name) as Group["values"], name, sums }))
      .sort((a, b) => {
        const [timeA, timeB] = [a.values[time] ?? "", b.values[time] ?? ""];
        if (timeA !== timeB) return timeA < timeB ? -1 : 1;
        if (a.sums.cost_points !== b.sums.cost_points)
          return a.sums.cost_points > b.sums.cost_points ? -1 : 1;
        return a.name < b.name ? -1 : 1;
      });
  }
}

/** A span is at most as long as what it is asked for: `sumRange` reads no days for hours, and no months for days. */
const valueIn: Record<GroupDimension, (source: Source) => string | null> = {
  model: ({ model }) => model,
  project: ({ owner }) => owner,
  key: ({ key }) => key,
  user: ({ user }) => user,
  day: ({ span }) => span.slice(0, 10),
  hour: ({ span }) => `${span.slice(0, 13)}:00:00.000Z`,
};
