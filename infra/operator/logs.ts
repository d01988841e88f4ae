/**
 * The log lines of one call: from the file of the local gateway, or from the log groups of a stage. Both are asked for
 * the lines that have the id in them. A task and the request that made it share one, so either finds the lines of both.
 */
import { createReadStream, existsSync } from "node:fs";
import { createInterface } from "node:readline";
import type { FilterLogEventsCommandInput } from "@aws-sdk/client-cloudwatch-logs";
import { type LogLine, readLogLine } from "#shared/operations/admin/trace-log.ts";
import { bareId, isTask, timeOf } from "#shared/platform/id.ts";

/** Where the log lines of a place are. */
export interface CallLog {
  /** The lines that name a request or task, in the order they were written. Rejects where the log cannot be read. */
  linesOf(id: string): Promise<LogLine[]>;
  /** The lines of ended calls and of keys since an instant (Unix ms), of which a restore takes stock. */
  since(at: number): AsyncIterable<LogLine>;
}

/** The events that tell what a restore to an earlier instant loses. */
const lasting = ["call", "task_settled", "key_created", "key_revoked"];

/** How long after its arrival a call or a task is looked for: longer than the sweeper takes with one that died. */
const callMs = 2 * 3_600_000;
const taskMs = 2 * 86_400_000;
/** Clocks differ. */
const beforeMs = 60_000;

/** The log of a local gateway: the file it writes, and the one before that. */
export function fileLog(files: readonly string[]): CallLog {
  return {
    async linesOf(id) {
      const found: LogLine[] = [];
      for (const file of files.filter((each) => existsSync(each))) {
        for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
          const line = text.includes(bareId(id)) ? readLogLine(text) : undefined;
          if (line) found.push(line);
        }
      }
      return found;
    },
    async *since(at) {
      for (const file of files.filter((each) => existsSync(each))) {
        for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
          const line = readLogLine(text);
          if (line && lasting.includes(line.event) && Date.parse(line.at) >= at) yield line;
        }
      }
    },
  };
}

/** What is asked of CloudWatch Logs: a page of the events that match. */
export type FilterLogEvents = (input: FilterLogEventsCommandInput) => Promise<{
  events?: { message?: string | undefined }[] | undefined;
  nextToken?: string | undefined;
}>;

/**
 * The log of a stage, in these groups. They are filtered by the id and by the time in it. That is free, and a query of
 * Logs Insights is billed by the bytes that it scans.
 */
export function stageLog(groups: () => Promise<string[]>, filter: FilterLogEvents): CallLog {
  async function* linesIn(asked: FilterLogEventsCommandInput): AsyncGenerator<LogLine> {
    let nextToken: string | undefined;
    do {
      const page = await filter({ ...asked, ...(nextToken === undefined ? {} : { nextToken }) });
      for (const { message = "" } of page.events ?? []) {
        const line = readLogLine(message.trim());
        if (line) yield line;
      }
      nextToken = page.nextToken;
    } while (nextToken !== undefined);
  }
  return {
    async linesOf(id) {
      const startTime = timeOf(id) - beforeMs;
      const endTime = timeOf(id) + (isTask(id) ? taskMs : callMs);
      const asked = { startTime, endTime, filterPattern: `"${bareId(id)}"` };
      const all = (await groups()).map((logGroupName) =>
        Array.fromAsync(linesIn({ logGroupName, ...asked })),
      );
      return (await Promise.all(all)).flat().sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
    },
    async *since(at) {
      const filterPattern = `{ ${lasting.map((event) => `($.event = "${event}")`).join(" || ")} }`;
      for (const logGroupName of await groups())
        yield* linesIn({ logGroupName, startTime: at, filterPattern });
    },
  };
}
