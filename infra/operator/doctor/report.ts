/** What `operator doctor` prints: a line for each check, and below it what to do. */
import type { Paint } from "../output.ts";
import { type CheckResult, counted, type Status } from "./check.ts";

const colours: Record<Status, Parameters<Paint>[0]> = {
  ok: "green",
  warn: "yellow",
  fail: "red",
  unknown: "magenta",
};

/** The lines for a person. The last one counts. */
export function reportOf(checks: readonly CheckResult[], paint: Paint): string {
  const width = Math.max(...checks.map(({ check }) => check.length));
  const statusWidth = Math.max(...Object.keys(colours).map((status) => status.length));
  const indent = " ".repeat(statusWidth + width + 4);
  const lines = checks.flatMap(({ check, status, seen, action }) => [
    `${paint(colours[status], status.padEnd(statusWidth))}  ${check.padEnd(width)}  ${seen}`,
    ...(action === undefined ? [] : [`${indent}→ ${action}`]),
  ]);
  return [...lines, "", summaryOf(checks)].join("\n");
}

function summaryOf(checks: readonly CheckResult[]): string {
  const of = (status: Status) => checks.filter((each) => each.status === status).length;
  const parts = [
    `${of("ok")} ok`,
    ...(of("warn") > 0 ? [counted(of("warn"), "warning")] : []),
    ...(of("fail") > 0 ? [`${of("fail")} failed`] : []),
    ...(of("unknown") > 0 ? [`${of("unknown")} unknown`] : []),
  ];
  return `${counted(checks.length, "check")}: ${parts.join(", ")}`;
}
