/** What the page of usage asks for, as its address has it, and where its numbers lead. */
import { withQuery } from "./api.ts";
import type { SeriesBy, SeriesStep, UsageLine } from "./api-types.ts";
import { page as callsPage } from "./pages/daily/calls/page.ts";

export const ranges = { day: 1, week: 7, month: 30, quarter: 90, year: 366 } as const;
export type UsageRange = keyof typeof ranges;

/** What usage is split by, beside the tags that somebody names. */
export const bys = ["model", "project", "key", "user"] as const satisfies readonly SeriesBy[];

const hourMs = 3_600_000;
const dayMs = 86_400_000;

interface UsageQuery {
  range: UsageRange;
  by: SeriesBy;
}

/** The name of the tag that usage is split by; undefined where it is by something else. */
export function tagOf(by: SeriesBy): string | undefined {
  return by.startsWith("tag:") ? by.slice(4) : undefined;
}

/** Whether usage is split by what calls said, which is read call by call: then a range has at most 31 days. */
export function isShort(by: SeriesBy): boolean {
  return by === "user" || tagOf(by) !== undefined;
}

/** What an address asks for; what it does not say, or says wrongly, is the usual. */
export function readUsageQuery(query: URLSearchParams): UsageQuery {
  const given = query.get("by") ?? "";
  const by = tagOf(given as SeriesBy) ? (given as SeriesBy) : (bys.find((each) => each === given) ?? "model");
  const asked = (Object.keys(ranges) as UsageRange[]).find((each) => each === query.get("range")) ?? "month";
  return { by, range: isShort(by) && ranges[asked] > 31 ? "month" : asked };
}

/** How wide a bar of a range is. */
function stepOf(range: UsageRange): SeriesStep {
  return range === "day" ? "hour" : range === "year" ? "month" : "day";
}

/** The parameters of the API for a range that ends now. Days and hours begin with UTC's. */
export function seriesParameters({ range, by }: UsageQuery, now: number): Record<string, string> {
  const size = range === "day" ? hourMs : dayMs;
  const to = Math.ceil((now + 1) / size) * size;
  const from = to - ranges[range] * dayMs;
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString(), by, step: stepOf(range) };
}

/** The page of the calls behind a line, or behind one of its bars. Undefined where calls cannot be asked for so. */
export function callsBehind(
  { by, name }: { by: SeriesBy; name: UsageLine["name"] },
  { from, to }: { from: string; to: string },
): string | undefined {
  if (name === null) return undefined;
  const bounds = withQuery(callsPage.path, { from, to });
  // A project may be called nothing, and then its parameter is there and empty.
  const tag = tagOf(by);
  const [filter, value] = tag === undefined ? [by, name] : ["tag", `${tag}=${name}`];
  return `${bounds}&${filter}=${encodeURIComponent(value)}`;
}
