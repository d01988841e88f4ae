/** What AWS charges a month for a load of calls, service by service (infra/cost/cost.md). */
import { limits } from "#shared/base/limits.ts";
import { waitAfter } from "#shared/calls/tasks/waits.ts";
import { markPartitions } from "#shared/edges/store/meters/mark.ts";
import { functionSizes } from "../stage/function-sizes.ts";
import { batchAt, pollsOf } from "./metering.ts";
import type { BilledParts } from "./parts.ts";
import { type PriceName, prices } from "./prices.ts";
import { keptBytes, keyReads, logBytes, lookGbSeconds, plainCall, recording, taskUnits } from "./units.ts";

/** A load that goes on all month. */
export interface MonthlyLoad {
  callsPerSecond: number;
  /** How long a call lasts; of a video, how long it is made. */
  seconds: number;
  /** Whether each call makes a video, which a workflow waits for. */
  isVideo: boolean;
  /** How large an answer is. */
  answerBytes: number;
  /** The memory of the gateway's function, MB. */
  memoryMb: number;
}

/** A line of the bill. */
export interface CostLine {
  service: string;
  what: string;
  /** How many of the price's unit in a month. */
  quantity: number;
  /** Dollars a month. */
  usd: number;
  /** `counted` and `measured` on real calls, `declared` by the template, `computed` from the load, or `assumed`. */
  basis: "counted" | "measured" | "declared" | "computed" | "assumed";
}

/** Hours of a month as AWS counts them, and what follows. */
export const hoursOfMonth = 730;
export const secondsOfMonth = hoursOfMonth * 3_600;
export const bytesOfGb = 1024 ** 3;

/** What nobody could measure without an account. Each is printed with the line that it decides. */
export const assumed = {
  /** How long the settling function works on a batch, and on each hundred events of a larger one. */
  settleSeconds: 0.1,
  /** How long a pass of the sweep takes in a stage without customers. */
  sweepSeconds: 1,
  /** How long a run of the reconciler takes that finds no order due. */
  reconcileSeconds: 0.1,
  /** How long the call that makes a video task takes; the workflow waits for the rest. */
  createSeconds: 0.5,
  /** What Lambda itself logs of an invocation: its start, its end and its report, as JSON. */
  platformLogBytes: 700,
};

const [worker, console] = [functionSizes.settle, functionSizes.consoleSize];

/** What a pass of the sweep reads that finds no meter: its own state, and each partition of the marks. */
const lookUnits = 1 + markPartitions.length / 2;

/** A queue that nobody uses is asked too (aws.md §6): five pollers, each waiting 20 s. */
const idlePollsOfQueue = (5 * secondsOfMonth) / 20;

/** Calls that run at a time, on average. */
export function callsAtATime({ callsPerSecond, seconds, isVideo }: MonthlyLoad): number {
  return callsPerSecond * (isVideo ? assumed.createSeconds : seconds);
}

/** A line of the bill, by the price of what it counts. */
export function line(
  service: string,
  what: string,
  quantity: number,
  price: PriceName,
  basis: CostLine["basis"] = "counted",
): CostLine {
  const { usd } = prices[price];
  return { service, what, quantity, usd: quantity * usd, basis };
}

/** The time of so many runs of a worker, each of so many seconds, which only an account could tell. */
function timeOfWorker(runs: number, seconds: number, { memoryMb } = worker): CostLine {
  return line("Lambda", "their time", (runs * seconds * memoryMb) / 1024, "lambdaGbSecond", "assumed");
}

/** What a stage costs that nobody calls and that has no customer. */
export function idleLines(parts: BilledParts): CostLine[] {
  const { alarmMetrics, idleMetrics, secrets, dashboards, queues, sweepMinutes, reconcileMinutes } = parts;
  const sweeps = (hoursOfMonth * 60) / sweepMinutes + hoursOfMonth;
  return [
    line("CloudWatch", "metrics of alarms", alarmMetrics, "alarmMetric", "declared"),
    line("CloudWatch", "metrics of the lines that are written", idleMetrics, "customMetric"),
    ...(dashboards > 0 ? [line("CloudWatch", "dashboards", dashboards, "dashboard", "declared")] : []),
    line("Secrets Manager", "secrets", secrets, "secret", "declared"),
    line("SQS", `looks into ${queues} empty queues`, queues * idlePollsOfQueue, "queueRequest", "computed"),
    line("Lambda", "sweeps and seals", sweeps, "lambdaRequest", "declared"),
    timeOfWorker(sweeps, assumed.sweepSeconds),
    line("DynamoDB", "looks for marked meters", sweeps * lookUnits, "readUnit", "computed"),
    ...(reconcileMinutes === undefined ? [] : reconciling((hoursOfMonth * 60) / reconcileMinutes)),
  ];
}

function reconciling(runs: number): CostLine[] {
  return [
    line("Lambda", "runs of the reconciler", runs, "lambdaRequest", "declared"),
    timeOfWorker(runs, assumed.reconcileSeconds, console),
  ];
}

/** What the load costs on top of that. */
export function loadLines(load: MonthlyLoad): CostLine[] {
  const calls = load.callsPerSecond * secondsOfMonth;
  return [...gatewayLines(load, calls), ...restLines(load, { isFunction: true })];
}

/** What the load costs behind the front, which is a function or not. */
export function restLines(load: MonthlyLoad, { isFunction }: { isFunction: boolean }): CostLine[] {
  const calls = load.callsPerSecond * secondsOfMonth;
  return [
    ...meteringLines(load, calls),
    ...(load.isVideo ? videoLines(load.seconds, calls) : []),
    ...callLines(calls, isFunction ? assumed.platformLogBytes : 0),
    ...(isFunction ? [tracesOf(load, calls)] : []),
    line("Transfer", "answers", (calls * load.answerBytes) / bytesOfGb, "transferGb", "assumed"),
  ];
}

/** What so many processes read that run all month: each keeps two secrets, and reads them again from time to time. */
export function secretReads(whose: string, processes: number): CostLine {
  const reads = (processes * 2 * secondsOfMonth) / limits.secretRefreshSeconds;
  return line("Secrets Manager", `reads by ${whose}`, reads, "secretCall", "computed");
}

function gatewayLines(load: MonthlyLoad, calls: number): CostLine[] {
  const { isVideo, seconds, memoryMb } = load;
  const time = (calls * (isVideo ? assumed.createSeconds : seconds) * memoryMb) / 1024;
  const timeBasis = isVideo ? "assumed" : "computed";
  return [
    line("Lambda", "calls", calls, "lambdaRequest", "computed"),
    line("Lambda", "their time, waiting included", time, "lambdaGbSecond", timeBasis),
    secretReads("running sandboxes", callsAtATime(load)),
  ];
}

function meteringLines(load: MonthlyLoad, calls: number): CostLine[] {
  const batch = batchAt(load.callsPerSecond);
  const writes = plainCall.writes + recording.entry + recording.rollup / batch;
  // A sandbox serves one call at a time, and forgets a key after a while.
  const reads =
    keyReads * Math.min(1, Math.max(load.seconds, 1 / load.callsPerSecond) / limits.keyCacheSeconds);
  const settles = calls / batch;
  return [
    line("DynamoDB", "writes of meters and ledger", calls * writes, "writeUnit"),
    line("DynamoDB", "reads of keys", calls * reads, "readUnit", "computed"),
    line("DynamoDB", "entries of one month, kept", (calls * keptBytes) / bytesOfGb, "tableGb"),
    line("DynamoDB", "their backup", (calls * keptBytes) / bytesOfGb, "recoveryGb"),
    line("SQS", "usage events", calls * (plainCall.sends + pollsOf(batch)), "queueRequest"),
    line("Lambda", "batches settled", settles, "lambdaRequest", "computed"),
    timeOfWorker(settles, assumed.settleSeconds * Math.max(1, batch / 100)),
  ];
}

/** Polls of a video that takes so long (shared/calls/tasks/waits.ts). */
export function pollsWithin(seconds: number): number {
  let polls = 0;
  for (let waited = waitAfter(0); waited < seconds; waited += waitAfter(polls)) polls += 1;
  return polls + 1;
}

function videoLines(seconds: number, calls: number): CostLine[] {
  const { transitions, invocations } = taskUnits(pollsWithin(seconds));
  return [
    line("Step Functions", "state transitions", calls * transitions, "transition", "computed"),
    line("Lambda", "looks at tasks", calls * invocations, "lambdaRequest", "computed"),
    line("Lambda", "their time", calls * invocations * lookGbSeconds, "lambdaGbSecond", "assumed"),
  ];
}

/** Lambda records the first call of each second, and one of twenty others. */
const sampledShare = 0.05;

function tracesOf({ callsPerSecond }: MonthlyLoad, calls: number): CostLine {
  const traced =
    Math.min(calls, secondsOfMonth) + Math.max(0, callsPerSecond - 1) * sampledShare * secondsOfMonth;
  return line("X-Ray", "traces", traced, "trace", "computed");
}

/** The lines of calls, with so many bytes of Lambda's for each. */
function callLines(calls: number, platformBytes: number): CostLine[] {
  const gigabytes = (bytes: number) => (calls * bytes) / bytesOfGb;
  const kept = 3 * gigabytes(logBytes + platformBytes);
  return [
    line("CloudWatch", "log lines of calls", gigabytes(logBytes), "logGb", "measured"),
    ...(platformBytes > 0
      ? [line("CloudWatch", "log lines of Lambda", gigabytes(platformBytes), "logGb", "assumed")]
      : []),
    line("CloudWatch", "lines kept for 90 days", kept, "logGbMonth", "assumed"),
  ];
}
