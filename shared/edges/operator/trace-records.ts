/** The steps of a call that its task and its entries tell, which are kept for good. */

import { errorCodes, isErrorKey } from "../../base/errors.ts";
import { rfc3339 } from "../../books/billing/instant.ts";
import { noUsage } from "../../books/billing/usage.ts";
import type { Entry } from "../../books/ledger/ledger.ts";
import type { CallRoute, UsageEvent } from "../../books/ledger/usage-event.ts";
import type { LogLine } from "./trace-log.ts";
import type { TraceStep } from "./trace-step.ts";

/** A video task as far as a trace tells of it. */
export interface TracedTask {
  id: string;
  status: string;
  created_at: number;
  updated_at: number;
  resolution: string;
  duration: number | null;
  frames: number | null;
  submission: string;
  upstream: { provider: string; model: string; id: string } | null;
  settled: boolean;
  error: { code: string; message: string } | null;
  repairs: number;
}

/** What a task says of itself. Its submission has no time of its own where no log line is left of it. */
export function stepsOfTask({
  task,
  lines,
}: {
  task: TracedTask | undefined;
  lines: readonly LogLine[];
}): TraceStep[] {
  if (!task) return [];
  const { id, status, resolution, duration, frames, upstream, settled, error, repairs } = task;
  const length = duration === null ? `${frames} frames` : `${duration} s`;
  const steps: TraceStep[] = [
    {
      at: rfc3339(task.created_at),
      step: "task kept",
      detail: `${id}: ${resolution}, ${length}`,
      source: "task",
      facts: { id, resolution, duration, frames },
    },
  ];
  if (upstream && !lines.some(({ event }) => event === "task_submitted")) {
    const detail = `${upstream.provider} took it as ${upstream.id}`;
    steps.push({ at: null, step: "task submitted", detail, source: "task", facts: upstream });
  }
  const why = error ? `: ${error.code} ${error.message}` : "";
  const again = repairs > 0 ? `, its execution was started anew ${repairs} times` : "";
  steps.push({
    at: rfc3339(task.updated_at),
    step: "task status",
    detail: `${status}${why}${again}${settled ? "" : ", not settled yet"}`,
    source: "task",
    facts: { status, settled, error, repairs, submission: task.submission },
  });
  return steps;
}

/** What an entry says: how the call ended, and what was booked for it. */
export function stepsOfEntry({ id, kind, points, debit, credit, posted_at, event }: Entry): TraceStep[] {
  const corrects = kind === "adjustment";
  const booked: TraceStep = {
    at: posted_at === undefined ? null : rfc3339(posted_at),
    step: corrects ? "corrected" : "booked",
    detail: `${points} points from ${debit} to ${credit}, entry ${id}`,
    source: "ledger",
    facts: { id, kind, points, debit, credit },
  };
  return event ? [ending(event, corrects), booked] : [booked];
}

function ending(event: UsageEvent, corrects: boolean): TraceStep {
  const { outcome, error, usage, evidence, source, cost_points, list_points, calls, flags } = event;
  const { provider, attempts, route, model, requested_model } = event;
  // The store keeps no order of names; a reader is given the one of the reports.
  const used = Object.entries({ ...noUsage, ...usage }).flatMap(([name, count]) =>
    typeof count === "number" && count > 0 ? [`${count} ${name.replaceAll("_", " ")}`] : [],
  );
  const parts = [
    `${outcome}${provider === null ? "" : ` by ${provider}, attempt ${attempts}`}`,
    ...(isErrorKey(error) ? [`${errorCodes[error].code}: ${errorCodes[error].message}`] : []),
    ...(requested_model === undefined ? [] : [`${model} in place of ${requested_model}`]),
    ...(route ? [routeTold(route)] : []),
    used.length > 0 ? `${used.join(", ")} (${evidence})` : `nothing used (${evidence})`,
    calls === 0 ? "given back" : `worth ${list_points} points, charged ${cost_points}`,
    ...flags,
  ];
  return {
    at: rfc3339(event.ended_at),
    step: source === "sweeper" ? "swept" : corrects ? "really ended" : "ended",
    detail: parts.join("; "),
    source: "ledger",
    facts: {
      outcome,
      ...(error && { error }),
      usage,
      evidence,
      event_source: source,
      cost_points,
      list_points,
      calls,
      flags,
      provider,
      attempts,
      ...(route && { route }),
      ...(requested_model !== undefined && { model, requested_model }),
    },
  };
}

function routeTold({ routing, why, of, attempts }: CallRoute): string {
  const each = attempts.map(
    ({ provider, outcome, ms, model, status }) =>
      `${provider}${model === undefined ? "" : ` for ${model}`} ${outcome}${status === undefined ? "" : ` (${status})`} after ${ms} ms`,
  );
  const told = each.length > 0 ? each.join(", ") : "nobody was asked";
  return `${routing} routing among ${of} ${of === 1 ? "channel" : "channels"} (${why}): ${told}`;
}
