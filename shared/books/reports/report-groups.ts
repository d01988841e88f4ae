/** Usage split into the groups that a report asks for. Every amount is added to its model and to its group at once. */
import { isTagName, tagValue } from "../billing/tags.ts";
import type { Rollup, Sums, UsedEvent } from "../ledger/ledger.ts";
import { addTo, isEmpty } from "./report.ts";

export const groupDimensions = ["model", "project", "key", "user", "day", "hour"] as const;

/** A report can also be split by the value of one tag: `tag:` and the tag's name. */
export type TagDimension = `tag:${string}`;

/** What a report can be split by. */
export type GroupDimension = (typeof groupDimensions)[number] | TagDimension;

/** What amounts can be added up by: also by month, which the console's series need. */
export type ReportDimension = GroupDimension | "month";

/** Where an amount comes from: a rollup's share in its span, or one call. */
export type UsageSource = Omit<Rollup, "sums"> & Pick<UsedEvent, "user" | "tags">;

/** One group of a report: its values, in the order of the report's dimensions, and its sums. */
export interface ReportGroup {
  values: (string | null)[];
  sums: Sums;
}

/** The source of an event that was admitted in the hour `span`. */
export function sourceOf({ model, key, project, user, tags }: UsedEvent, span: string): UsageSource {
  return { span, model, key, owner: project, user, ...(tags !== undefined && { tags }) };
}

/** The name of the tag that a dimension is of; undefined for every other dimension. */
export function tagNameOf(dimension: ReportDimension): string | undefined {
  return dimension.startsWith("tag:") ? dimension.slice("tag:".length) : undefined;
}

/** The dimension of a tag that a text names; undefined where it names none. */
export function tagDimension(text: string): TagDimension | undefined {
  const dimension = text as TagDimension;
  const name = tagNameOf(dimension);
  return name !== undefined && isTagName(name) ? dimension : undefined;
}

/** Whether entries alone know a dimension. Users and tags are unbounded, so rollups do not name them. */
export function isOfEntries(dimension: ReportDimension): boolean {
  return dimension === "user" || tagNameOf(dimension) !== undefined;
}

/** Adds amounts up by model and, with dimensions, by group. What is of no wanted source is left out. */
export class Tally {
  readonly dimensions: readonly ReportDimension[];
  readonly #isWanted: (source: UsageSource) => boolean;
  readonly #valuesIn: readonly ValueIn[];
  readonly #byModel = new Map<string, Sums>();
  readonly #groups = new Map<string, Sums>();

  constructor(
    dimensions: readonly ReportDimension[],
    isWanted: (source: UsageSource) => boolean = () => true,
  ) {
    this.dimensions = dimensions;
    this.#isWanted = isWanted;
    this.#valuesIn = dimensions.map(valueIn);
  }

  /** The number of groups so far. Some of them may turn out to be empty. */
  get size(): number {
    return this.#groups.size;
  }

  add(source: UsageSource, sums: Sums): void {
    if (!this.#isWanted(source)) return;
    addTo(this.#byModel, source.model, sums);
    if (this.dimensions.length === 0) return;
    addTo(this.#groups, JSON.stringify(this.#valuesIn.map((read) => read(source))), sums);
  }

  /** Sums by model, without models whose sums are empty. */
  byModel(): Map<string, Sums> {
    return new Map([...this.#byModel].filter(([, sums]) => !isEmpty(sums)));
  }

  /** The groups that are not empty: by time, then by cost with the dearest first, then by their values. */
  groups(): ReportGroup[] {
    const groups = [...this.#groups].filter(([, sums]) => !isEmpty(sums));
    const time = this.dimensions.findIndex((dimension) => timeDimensions.includes(dimension));
    return groups
      .map(([name, sums]) => ({ values: JSON.parse(name) as ReportGroup["values"], name, sums }))
      .sort((a, b) => {
        const [timeA, timeB] = [a.values[time] ?? "", b.values[time] ?? ""];
        if (timeA !== timeB) return timeA < timeB ? -1 : 1;
        if (a.sums.cost_points !== b.sums.cost_points)
          return a.sums.cost_points > b.sums.cost_points ? -1 : 1;
        return a.name < b.name ? -1 : 1;
      });
  }
}

const timeDimensions: readonly ReportDimension[] = ["month", "day", "hour"];

/** Gives the value of a dimension. */
type ValueIn = (source: UsageSource) => string | null;

function valueIn(dimension: ReportDimension): ValueIn {
  const name = tagNameOf(dimension);
  if (name === undefined) return valuesIn[dimension as Exclude<ReportDimension, TagDimension>];
  return ({ tags }) => tagValue(tags, name);
}

/** `sumRange` reads no days for groups by hour and no months for groups by day, so each span lies in one group. */
const valuesIn: Record<Exclude<ReportDimension, TagDimension>, ValueIn> = {
  model: ({ model }) => model,
  project: ({ owner }) => owner,
  key: ({ key }) => key,
  user: ({ user }) => user,
  month: ({ span }) => span.slice(0, 7),
  day: ({ span }) => span.slice(0, 10),
  hour: ({ span }) => `${span.slice(0, 13)}:00:00.000Z`,
};
