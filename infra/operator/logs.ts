/**
 * Log lines of a call or of an event, from the local file or a stage's log groups. A call's are those that have its id
 * in them. A task and its request share one, so either finds the lines of both.
 */
import { createReadStream, existsSync } from "node:fs";
import { createInterface } from "node:readline";
import type { FilterLogEventsCommandInput } from "@aws-sdk/client-cloudwatch-logs";
import { bareId, isTask, timeOf } from "#shared/base/platform/id.ts";
import { type LogLine, readLogLine } from "#shared/edges/operator/trace-log.ts";

/** Where the log lines of a place are. */
export interface OperatorLog {
  /** The lines that name a request or task, in the order they were written. Rejects where the log cannot be read. */
  linesOf(id: string): Promise<LogLine[]>;
  /** The lines of ended calls and of keys since an instant (Unix ms), of which a restore takes stock. */
  since(at: number): AsyncIterable<LogLine>;
  /** The lines of an event, or with it as a flag, since `from` in Unix milliseconds, in the order they were written. */
  linesNamed(event: string, from: number): Promise<LogLine[]>;
}

/** The events that tell what a restore to an earlier instant loses. */
const lasting = ["call", "task_settled", "key_created", "key_revoked"];

/** How long after its arrival a call or a task is looked for: longer than the sweeper takes with one that died. */
const callMs = 2 * 3_600_000;
const taskMs = 2 * 86_400_000;
/** Clocks differ. */
const beforeMs = 60_000;

/** The log of a local gateway: the file it writes, and the one before that. */
export function fileLog(files: readonly string[]): OperatorLog {
  async function* linesWith(word: string): AsyncGenerator<LogLine> {
    for (const file of files.filter((each) => existsSync(each))) {
      for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
        const line = text.includes(word) ? readLogLine(text) : undefined;
        if (line) yield line;
      }
    }
  }
  return {
    linesOf: (id) => Array.fromAsync(linesWith(bareId(id))),
    async linesNamed(name, from) {
      const isNamed = ({ event, flags = "", at }: LogLine) =>
        Date.parse(at) >= from && (event === name || flags.split(" ").includes(name));
      return (await Array.fromAsync(linesWith(name))).filter(isNamed);
    },
    async *since(at) {
      for await (const line of linesWith("")) {
        if (lasting.includes(line.event) && Date.parse(line.at) >= at) yield line;
      }
    },
  };
}

/** What is asked of CloudWatch Logs: a page of the events that match. */
export type FilterLogEvents = (input: FilterLogEventsCommandInput) => Promise<{
  events?: { message?: string | undefined }[] | undefined;
  nextToken?: string | undefined;
}>;

/** Which events of a group are wanted. */
type LogQuery = Pick<FilterLogEventsCommandInput, "startTime" | "endTime" | "filterPattern">;

/** The log of a stage, in these groups, filtered by pattern and time. That is free: Logs Insights bills by the byte. */
export function stageLog(groups: () => Promise<string[]>, filter: FilterLogEvents): OperatorLog {
  async function* linesIn(logGroupName: string, wanted: LogQuery): AsyncGenerator<LogLine> {
    let nextToken: string | undefined;
    do {
      const page = await filter({
        ...{ logGroupName, ...wanted },
        ...(nextToken === undefined ? {} : { nextToken }),
      });
      for (const { message = "" } of page.events ?? []) {
        const line = readLogLine(message.trim());
        if (line) yield line;
      }
      nextToken = page.nextToken;
    } while (nextToken !== undefined);
  }
  const linesOfAll = async (wanted: LogQuery) => {
    const all = (await groups()).map((group) => Array.fromAsync(linesIn(group, wanted)));
    return (await Promise.all(all)).flat().sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  };
  return {
    linesOf: (id) =>
      linesOfAll({
        startTime: timeOf(id) - beforeMs,
        endTime: timeOf(id) + (isTask(id) ? taskMs : callMs),
        filterPattern: `"${bareId(id)}"`,
      }),
    linesNamed: (name, from) =>
      linesOfAll({
        startTime: from,
        filterPattern: `{ ($.event = "${name}") || ($.flags = "*${name}*") }`,
      }),
    async *since(at) {
      const filterPattern = `{ ${lasting.map((event) => `($.event = "${event}")`).join(" || ")} }`;
      for (const group of await groups()) yield* linesIn(group, { startTime: at, filterPattern });
    },
  };
}
