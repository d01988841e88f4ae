/** Charts and alarms of the template, evaluated on the metrics of this machine. */
import type { Alarm, Chart, Query } from "./definition.ts";
import { type MetricValues, parseExpression, queryOf, searchOf } from "./expression.ts";
import { type MetricId, type Metrics, minuteOf, statisticOf } from "./metrics.ts";

/** What charts and alarms are evaluated on. */
export interface MetricSource {
  metrics: Metrics;
  /** Whether this machine measures a metric. Those of DynamoDB, for instance, only AWS has. */
  isMeasured(id: MetricId): boolean;
  /** When the measuring began, Unix milliseconds. */
  since: number;
}

/** A line of a chart, with a value for each minute. */
export interface ChartLine {
  label: string;
  /** How many minutes one value is for. */
  minutes: number;
  values: MetricValues;
}

interface Drawn {
  lines: ChartLine[];
  /** The labels of the lines that only AWS measures. */
  elsewhere: string[];
}

/** A time of some minutes, by the number of its first one. */
interface MinuteSpan {
  first: number;
  length: number;
}

/** The lines of a chart in the last `length` minutes before `now` (Unix ms), the running minute included. */
export function draw({ queries }: Chart, now: number, source: MetricSource, length = 60): Drawn {
  const span = { first: minuteOf(now) - length + 1, length };
  const drawn: Drawn = { lines: [], elsewhere: [] };
  for (const query of queries.filter(({ isShown }) => isShown)) {
    if (isHere(query, queries, source)) drawn.lines.push(...linesOf(query, queries, span, source));
    else drawn.elsewhere.push(query.label);
  }
  return drawn;
}

function isHere({ of }: Query, queries: readonly Query[], source: MetricSource): boolean {
  if ("metric" in of) return source.isMeasured(of.metric);
  if (searchOf(of.expression)) return true;
  const asked = queryOf(of.expression);
  if (asked) return source.isMeasured({ ...asked, dimensions: asked.where });
  return parseExpression(of.expression).ids.every((id) => isHere(queryNamed(id, queries), queries, source));
}

function queryNamed(id: string, queries: readonly Query[]): Query {
  const found = queries.find((query) => query.id === id);
  if (!found) throw new Error(`an expression names ${id}, which is not there`);
  return found;
}

function linesOf(
  query: Query,
  queries: readonly Query[],
  span: MinuteSpan,
  source: MetricSource,
): ChartLine[] {
  const { label, minutes, of } = query;
  const search = "expression" in of ? searchOf(of.expression) : undefined;
  if (!search) return [{ label, minutes, values: valuesOf(query, queries, span, source) }];
  const { namespace, name, dimensions, statistic } = search;
  return source.metrics.find(namespace, name, dimensions).flatMap((metric) => {
    const values = measured({ metric, statistic, minutes }, span, source);
    const named = label.replace(
      /\$\{PROP\('Dim\.(\w+)'\)\}/g,
      (_, each: string) => metric.dimensions[each] ?? "",
    );
    return values.some((value) => value !== null && value !== 0) ? [{ label: named, minutes, values }] : [];
  });
}

function valuesOf(
  { of, minutes }: Query,
  queries: readonly Query[],
  span: MinuteSpan,
  source: MetricSource,
): MetricValues {
  if ("metric" in of) return measured({ ...of, minutes }, span, source);
  const { compute } = parseExpression(of.expression);
  const values = compute((id) => valuesOf(queryNamed(id, queries), queries, span, source));
  return Array.isArray(values) ? values : Array.from({ length: span.length }, () => values);
}

/** Statistics that are 0 where nothing was measured. */
const counts = new Set(["Sum", "SampleCount"]);

/**
 * The statistic of each period that begins in a span, at the minute in which it begins. CloudWatch leaves a gap where it
 * counted nothing. Here that is a 0, unless it lies before the measuring began.
 */
function measured(
  { metric, statistic, minutes }: { metric: MetricId; statistic: string; minutes: number },
  { first, length }: MinuteSpan,
  { metrics, since }: MetricSource,
): MetricValues {
  return Array.from({ length }, (_, at) => {
    const minute = first + at;
    if (minute % minutes !== 0) return null;
    const found = metrics.read(metric, minute, minutes);
    if (found) return statisticOf(found, statistic);
    return counts.has(statistic) && minute >= minuteOf(since) ? 0 : null;
  });
}

/** `elsewhere`: only AWS measures what the alarm looks at. `early`: too little time has passed to tell. */
export type AlarmState = "ok" | "alarm" | "early" | "elsewhere";

const comparisons: Record<string, (value: number, threshold: number) => boolean> = {
  GreaterThanThreshold: (value, threshold) => value > threshold,
  GreaterThanOrEqualToThreshold: (value, threshold) => value >= threshold,
  LessThanThreshold: (value, threshold) => value < threshold,
  LessThanOrEqualToThreshold: (value, threshold) => value <= threshold,
};

/** How an alarm is. `by` has what rings of an alarm on a query: the values by which the query groups. */
interface AlarmNow {
  state: AlarmState;
  by: string[];
}

/** How an alarm is at an instant, Unix milliseconds: in the last periods that end with the running minute. */
export function stateOf(alarm: Alarm, now: number, source: MetricSource): AlarmNow {
  const { queries, comparison, threshold, periods, missing } = alarm;
  const compared = queries.find(({ isShown }) => isShown);
  const isBeyond = comparisons[comparison];
  if (!compared || !isBeyond) throw new Error(`the alarm ${alarm.name} cannot be evaluated here`);
  if (!isHere(compared, queries, source)) return { state: "elsewhere", by: [] };
  const { minutes } = compared;
  const end = minuteOf(now) + 1;
  const rings = (series: Query) =>
    Array.from({ length: periods }, (_, at) => {
      const value = valueAt(series, queries, { first: end - (at + 1) * minutes, length: minutes }, source);
      return value === null ? missing === "breaching" : isBeyond(value, threshold);
    }).every(Boolean);
  const ringing = seriesOf(compared, source).filter(rings);
  if (ringing.length === 0) return { state: "ok", by: [] };
  const isEarly = minuteOf(source.since) > end - periods * minutes;
  return {
    state: isEarly && comparison.startsWith("Less") ? "early" : "alarm",
    by: ringing.flatMap(({ label }) => (label === compared.label ? [] : [label])),
  };
}

/** What an alarm compares: of a query each metric that it finds by itself, labelled with its dimension's value. */
function seriesOf(compared: Query, { metrics }: MetricSource): Query[] {
  const asked = "expression" in compared.of ? queryOf(compared.of.expression) : undefined;
  if (!asked) return [compared];
  return metrics.find(asked.namespace, asked.name, asked.dimensions).map((metric) => ({
    ...compared,
    label: Object.values(metric.dimensions).join(" "),
    of: { metric, statistic: "Sum" },
  }));
}

/** The value of one period, wherever it begins; null where nothing was measured in it. */
function valueAt(
  { of }: Query,
  queries: readonly Query[],
  span: MinuteSpan,
  source: MetricSource,
): number | null {
  if ("metric" in of) {
    const found = source.metrics.read(of.metric, span.first, span.length);
    return found ? statisticOf(found, of.statistic) : null;
  }
  const values = parseExpression(of.expression).compute((id) => [
    valueAt(queryNamed(id, queries), queries, span, source),
  ]);
  return Array.isArray(values) ? (values[0] ?? null) : values;
}
