/** What of a stage is paid for by the month, as the template of `prod` declares it, with its console and without. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface BilledParts {
  /** Metrics that alarms look at: an alarm on several is paid for each of them, and one on a query counts as one. */
  alarmMetrics: number;
  /** Metrics that filters make of the lines that are written while nobody calls. */
  idleMetrics: number;
  dashboards: number;
  secrets: number;
  /** Queues that a function waits for. */
  queues: number;
  sweepMinutes: number;
  /** Absent without a console. */
  reconcileMinutes?: number;
}

export interface PartsOfStage {
  withConsole: BilledParts;
  withoutConsole: BilledParts;
}

/** A test keeps the file true to the template. */
export const partsFile = join(import.meta.dirname, "parts.json");

export function readParts(): PartsOfStage {
  return JSON.parse(readFileSync(partsFile, "utf8")) as PartsOfStage;
}
