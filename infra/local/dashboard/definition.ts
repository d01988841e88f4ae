/** What the template says of the dashboard: its charts, the metric filters that feed them, and the alarms. */
import type { ResolvedResource, TemplateReader } from "../stack/template.ts";
import { type Matches, parsePattern } from "./filter-pattern.ts";
import type { MetricId } from "./metrics.ts";

/** One line of a chart, or one part of an alarm's condition. */
export interface Query {
  /** The name by which an expression refers to it. */
  id: string | undefined;
  label: string;
  /** Whether it is drawn, or compared. Others are only named by expressions. */
  isShown: boolean;
  minutes: number;
  of: { metric: MetricId; statistic: string } | { expression: string };
}

export interface Chart {
  title: string;
  /** What a reader learns from it. */
  says: string;
  unit: string;
  isStacked: boolean;
  queries: Query[];
}

interface ChartSection {
  title: string;
  charts: Chart[];
}

/** How lines of one log group become values of a metric. */
export interface LogFilter {
  logGroup: string;
  matches: Matches;
  namespace: string;
  name: string;
  /** A number, or the path of the field that has it. */
  value: string;
  /** The paths of the fields whose values are the dimensions, by the dimensions' names. */
  dimensions: [name: string, path: string][];
}

export interface Alarm {
  name: string;
  description: string;
  queries: Query[];
  threshold: number;
  comparison: string;
  periods: number;
  missing: string;
}

export interface Definition {
  title: string;
  sections: ChartSection[];
  filters: LogFilter[];
  alarms: Alarm[];
}

/** Reads all of it. Throws on a part of the template that cannot be evaluated here. */
export function readDefinition(template: TemplateReader): Definition {
  const [dashboard] = template.resources("AWS::CloudWatch::Dashboard");
  if (!dashboard) throw new Error("template: there is no dashboard");
  const { widgets } = JSON.parse(String(dashboard.property("DashboardBody"))) as { widgets: BodyWidget[] };
  return {
    title: String(dashboard.property("DashboardName")),
    sections: sectionsOf(widgets),
    filters: template.resources("AWS::Logs::MetricFilter").flatMap(readFilter),
    alarms: template.resources("AWS::CloudWatch::Alarm").map(readAlarm),
  };
}

/** A line of a chart in a dashboard's body: the metric's names, and at its end how it is drawn. */
type BodyMetric = (string | BodyOptions)[];

interface BodyOptions {
  expression?: string;
  label?: string;
  id?: string;
  visible?: boolean;
  stat?: string;
  period?: number;
}

type BodyWidget =
  | { type: "text"; properties: { markdown: string } }
  | { type: "alarm"; properties: object }
  | {
      type: "metric";
      properties: {
        title: string;
        stacked?: boolean;
        metrics: BodyMetric[];
        yAxis?: { left?: { label?: string } };
      };
    };

/** Each text begins a section. It has a heading, and a line of text for each chart. */
function sectionsOf(widgets: readonly BodyWidget[]): ChartSection[] {
  const sections: ChartSection[] = [];
  let says = new Map<string, string>();
  for (const widget of widgets) {
    if (widget.type === "text") {
      const { markdown } = widget.properties;
      const told = markdown.matchAll(/^- \*\*(.+?)\*\*: (.+)$/gm);
      says = new Map(Array.from(told, ([, title = "", text = ""]) => [title, text]));
      sections.push({ title: /^## (.+)$/m.exec(markdown)?.[1] ?? "", charts: [] });
    }
    if (widget.type !== "metric") continue;
    const { title, stacked = false, metrics, yAxis } = widget.properties;
    sections.at(-1)?.charts.push({
      title,
      says: says.get(title) ?? "",
      unit: yAxis?.left?.label ?? "",
      isStacked: stacked,
      queries: metrics.map(queryOf),
    });
  }
  return sections;
}

/** Where a dashboard leaves them out, CloudWatch takes the average of five minutes. */
function queryOf(metric: BodyMetric): Query {
  const options = metric.find((part) => typeof part === "object") ?? {};
  const [namespace = "", name = "", ...rest] = metric.filter((part) => typeof part === "string");
  const {
    expression,
    id,
    label = expression ?? name,
    visible = true,
    stat = "Average",
    period = 300,
  } = options;
  const dimensions: Record<string, string> = {};
  for (let at = 0; at < rest.length; at += 2) dimensions[rest[at] ?? ""] = rest[at + 1] ?? "";
  return {
    ...{ id, label, isShown: visible, minutes: period / 60 },
    of:
      expression === undefined
        ? { metric: { namespace, name, dimensions }, statistic: stat }
        : { expression },
  };
}

interface Transformation {
  MetricNamespace: string;
  MetricName: string;
  MetricValue: string;
  Dimensions?: { Key: string; Value: string }[];
}

function readFilter({ property }: ResolvedResource): LogFilter[] {
  const matches = parsePattern(String(property("FilterPattern")));
  return (property("MetricTransformations") as Transformation[]).map(
    ({ MetricNamespace, MetricName, MetricValue, Dimensions = [] }) => ({
      logGroup: String(property("LogGroupName")),
      matches,
      namespace: MetricNamespace,
      name: MetricName,
      value: MetricValue,
      dimensions: Dimensions.map(({ Key, Value }) => [Key, Value]),
    }),
  );
}

interface AlarmMetric {
  Namespace: string;
  MetricName: string;
  Dimensions?: { Name: string; Value: string }[];
}

interface AlarmQuery {
  Id: string;
  Expression?: string;
  Period?: number;
  ReturnData?: boolean;
  MetricStat?: { Metric: AlarmMetric; Period: number; Stat: string };
}

function readAlarm({ id, property }: ResolvedResource): Alarm {
  const queries = property("Metrics") as AlarmQuery[] | undefined;
  return {
    // CDK names a resource after its place, and adds eight characters.
    name: id.replace(/^Alarms/, "").replace(/[0-9A-F]{8}$/, ""),
    description: String(property("AlarmDescription") ?? ""),
    queries: queries?.map(alarmQuery) ?? [plainAlarm(property)],
    threshold: Number(property("Threshold")),
    comparison: String(property("ComparisonOperator")),
    periods: Number(property("EvaluationPeriods")),
    missing: String(property("TreatMissingData") ?? "missing"),
  };
}

function plainAlarm(property: ResolvedResource["property"]): Query {
  const metric = {
    Namespace: String(property("Namespace")),
    MetricName: String(property("MetricName")),
    Dimensions: (property("Dimensions") ?? []) as NonNullable<AlarmMetric["Dimensions"]>,
  };
  return {
    ...{ id: undefined, label: metric.MetricName, isShown: true, minutes: Number(property("Period")) / 60 },
    of: {
      metric: metricOf(metric),
      statistic: String(property("ExtendedStatistic") ?? property("Statistic")),
    },
  };
}

function alarmQuery({ Id, Expression, Period, ReturnData = true, MetricStat }: AlarmQuery): Query {
  const common = { id: Id, label: Id, isShown: ReturnData };
  if (!MetricStat) return { ...common, minutes: (Period ?? 60) / 60, of: { expression: Expression ?? "" } };
  const { Metric, Stat } = MetricStat;
  return { ...common, minutes: MetricStat.Period / 60, of: { metric: metricOf(Metric), statistic: Stat } };
}

function metricOf({ Namespace, MetricName, Dimensions = [] }: AlarmMetric): MetricId {
  const dimensions = Object.fromEntries(Dimensions.map(({ Name, Value }) => [Name, Value]));
  return { namespace: Namespace, name: MetricName, dimensions };
}
