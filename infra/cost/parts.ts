/** What of a stage is paid for by the month, as the template of `prod` declares it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface BilledParts {
  /** Metrics that alarms look at: an alarm on several is paid for each of them. */
  alarmMetrics: number;
  /** Metrics that filters make of log lines. */
  customMetrics: number;
  dashboards: number;
  secrets: number;
  /** Queues that a function waits for. */
  queues: number;
  sweepMinutes: number;
  reconcileMinutes: number;
}

/** A test keeps the file true to the template. */
export const partsFile = join(import.meta.dirname, "parts.json");

export function readParts(): BilledParts {
  return JSON.parse(readFileSync(partsFile, "utf8")) as BilledParts;
}
