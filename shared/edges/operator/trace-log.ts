/** The steps of a call that only log lines tell: each attempt with provider and ms, and what went wrong. */

import { errorCodes, errorOfCode, statusOf } from "../../base/errors.ts";
import { timeOf } from "../../base/platform/id.ts";
import type { LogFields, LogLevel } from "../../base/platform/log.ts";
import type { TraceStep } from "./trace-step.ts";

/** A line of the log, as `base/platform/log.ts` writes it. */
export interface LogLine extends LogFields {
  level: LogLevel;
  event: string;
  /** RFC 3339. */
  at: string;
}

/** What the local log file adds to a line. On AWS a line does not say it. */
interface Filed {
  log_group?: string;
}

/** Lines that tell nothing that the stores do not tell as well. */
const toldByStores = new Set(["task_created", "task_settled"]);

/** Reads a line of text; undefined for one that is not ours. */
export function readLogLine(text: string): LogLine | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    const { level, event, at, log_group: _, ...fields } = JSON.parse(text) as Partial<LogLine> & Filed;
    const isOurs = typeof level === "string" && typeof event === "string" && typeof at === "string";
    return isOurs ? { level, event, at, ...fields } : undefined;
  } catch {
    return undefined;
  }
}

/** The steps that the lines of a request or task tell; `known` where a store knows it too. */
export function stepsOfLog(
  lines: readonly LogLine[],
  { id, known }: { id: string; known: boolean },
): TraceStep[] {
  const call = { arrived: timeOf(id), namesModels: modelsAsked(lines).length > 1 };
  return lines
    .filter(({ event }) => !known || !toldByStores.has(event))
    .flatMap((line) => {
      switch (line.event) {
        case "upstream_failed":
        case "own_key_failed":
          return [attempt(line, call, failureOf(line))];
        case "request_refused":
          return [attempt(line, call, `refused the request with ${line.upstream_status ?? "an error"}`)];
        case "task_not_taken":
          return [attempt(line, call, `did not take it: ${line.error ?? "no reason is known"}`)];
        case "task_submitted":
          return [attempt(line, call, `took it as ${line.upstream ?? "a task without an id"}`)];
        case "race_lost":
          return [attempt(line, call, "was broken off, because another one was faster,")];
        case "call":
          return answered(line, call);
        case "refused":
        case "call_failed":
          return [refused(line)];
        case "replay":
          return [replayed(line, id)];
        default:
          return [other(line)];
      }
    });
}

/** The events of attempts that did not answer the call. */
const failures = new Set(["upstream_failed", "own_key_failed", "request_refused"]);

/** The models that the lines say were asked, in the order of their first attempts. */
function modelsAsked(lines: readonly LogLine[]): string[] {
  const asked = lines.filter(({ event }) => failures.has(event) || event === "call");
  return [...new Set(asked.flatMap(({ model }) => (model === undefined ? [] : [model])))];
}

/** Who was asked for a call that nobody answered. Undefined where somebody did, or where no line tells of an attempt. */
export function failedAttempts(
  lines: readonly LogLine[],
): { attempts: number; models: string[] } | undefined {
  const failed = lines.filter(({ event }) => failures.has(event));
  if (failed.length === 0 || lines.some(({ event }) => event === "call")) return undefined;
  return { attempts: failed.length, models: modelsAsked(lines) };
}

/** What attempts need to know of their call: when it arrived, and whether more than one model was asked. */
interface TracedCall {
  arrived: number;
  namesModels: boolean;
}

function failureOf({ upstream_status, upstream_code, error }: LogLine): string {
  const code = upstream_code === undefined ? "" : ` ${upstream_code}`;
  return upstream_status === undefined ? `failed: ${error ?? ""}` : `answered ${upstream_status}${code}`;
}

/** An attempt, at the instant it was sent. */
function attempt(line: LogLine, { arrived, namesModels }: TracedCall, outcome: string): TraceStep {
  const { provider = "a provider", model, attempts, sent_ms, attempt_ms } = line;
  const asked = namesModels && model !== undefined ? `${provider} for ${model}` : provider;
  const number = attempts === undefined ? "" : `${attempts}: `;
  const took = attempt_ms === undefined ? "" : ` after ${attempt_ms} ms`;
  return {
    at: sent_ms === undefined ? line.at : new Date(arrived + sent_ms).toISOString(),
    step: "attempt",
    detail: `${number}${asked} ${outcome}${took}`,
    source: "log",
    facts: factsOf(line),
  };
}

/** The attempt that was answered, and the end of the answer. */
function answered(line: LogLine, call: TracedCall): TraceStep[] {
  const { status, route, duration_ms, attempts = 0 } = line;
  const end: TraceStep = {
    at: line.at,
    step: "answered",
    detail: `${status ?? ""} on ${route ?? "its route"}, ${duration_ms ?? "?"} ms in all`.trimStart(),
    source: "log",
    facts: factsOf(line),
  };
  return attempts === 0 ? [end] : [attempt(line, call, "began to answer"), end];
}

/** An answer that was given again: this call's, or another's to this call. */
function replayed(line: LogLine, id: string): TraceStep {
  const { request = "another call", replayed: first = "another call" } = line;
  const detail =
    first === id ? `${request} was given its answer again` : `it was given the answer of ${first}`;
  return { at: line.at, step: "repeated", detail, source: "log", facts: factsOf(line) };
}

/** The error that the client got instead of an answer, with the sentence that it has in the table of errors. */
function refused(line: LogLine): TraceStep {
  const { code, route = "its route", organization, key, model } = line;
  const known = errorOfCode(code);
  const status = known ? statusOf(known) : "an error";
  const whose = Object.entries({ organization, key, model }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name} ${value}`],
  );
  const of = whose.length > 0 ? ` (${whose.join(", ")})` : "";
  return {
    at: line.at,
    step: line.event === "refused" ? "refused" : "failed",
    detail: `${status} with ${code} on ${route}${of}: ${known ? errorCodes[known].message : "no sentence is known"}`,
    source: "log",
    facts: factsOf(line),
  };
}

/** Whatever else was logged of the call, with all that the line says. */
function other(line: LogLine): TraceStep {
  const facts = factsOf(line);
  const { request, organization, key, model, ...rest } = facts;
  const detail = Object.entries(rest).map(([name, value]) => `${name} ${String(value)}`);
  return {
    at: line.at,
    step: line.event.replaceAll("_", " "),
    detail: detail.join(", ") || "-",
    source: "log",
    facts,
  };
}

function factsOf({ at: _at, event: _event, level: _level, ...fields }: LogLine): LogFields {
  return fields;
}
