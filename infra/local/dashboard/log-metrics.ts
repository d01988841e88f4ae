/** Log lines become metrics, by the metric filters of the template. */
import type { LogFilter } from "./definition.ts";
import { fieldOf, type LogObject } from "./filter-pattern.ts";
import { type Metrics, minuteOf } from "./metrics.ts";

/** A value of a metric that a line has in it. */
interface Extracted {
  namespace: string;
  name: string;
  dimensions: Record<string, string>;
  value: number;
}

/** What filters make of a line of their log group: nothing of one without a number or a dimension that they need. */
export function extract(line: LogObject, filters: readonly LogFilter[]): Extracted[] {
  return filters.flatMap(({ matches, namespace, name, value, dimensions }) => {
    if (!matches(line)) return [];
    const number = value.startsWith("$") ? fieldOf(line, value) : Number(value);
    const named = dimensions.map(([key, path]): [string, unknown] => [key, fieldOf(line, path)]);
    const isWhole = named.every(
      ([, each]) => (typeof each === "string" && each !== "") || typeof each === "number",
    );
    if (typeof number !== "number" || !isWhole) return [];
    return [
      {
        ...{ namespace, name, value: number },
        dimensions: Object.fromEntries(named.map(([key, each]) => [key, String(each)])),
      },
    ];
  });
}

/** The field that a line of the local log file has beside its own: where CloudWatch would keep it (log-file.ts). */
interface FiledLine extends LogObject {
  log_group: string;
  at: string;
}

/** The lines that are older than this are of no chart. */
const minutesShown = 60;

/** Gives what counts one line of the local log file into the metrics. A line that is none of ours counts nothing. */
export function createCounter(
  filters: readonly LogFilter[],
  metrics: Metrics,
  now: () => number,
): (text: string) => void {
  const ofGroup = Map.groupBy(filters, ({ logGroup }) => logGroup);
  return (text) => {
    const line = readLine(text);
    if (!line) return;
    const { log_group, ...own } = line;
    const at = Date.parse(line.at);
    if (!(minuteOf(at) > minuteOf(now()) - minutesShown)) return;
    const bytes = Buffer.byteLength(text) - JSON.stringify({ log_group }).length + 1;
    const group = { namespace: "AWS/Logs", name: "IncomingBytes", dimensions: { LogGroupName: log_group } };
    metrics.add(group, bytes, at);
    for (const { value, ...id } of extract(own, ofGroup.get(log_group) ?? [])) metrics.add(id, value, at);
  };
}

function readLine(text: string): FiledLine | undefined {
  if (!text.startsWith('{"log_group"')) return undefined;
  try {
    const line = JSON.parse(text) as Partial<FiledLine>;
    return typeof line.log_group === "string" && typeof line.at === "string"
      ? (line as FiledLine)
      : undefined;
  } catch {
    return undefined;
  }
}
