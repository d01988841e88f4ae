/** What AWS charges a month for a load whose front is a service on Fargate (infra/cost/cost.md "Which front"). */
import { callsOfTask, cpuPercent, taskSize, tasks } from "../stage/task-size.ts";
import {
  bytesOfGb,
  type CostLine,
  callsAtATime,
  hoursOfMonth,
  line,
  type MonthlyLoad,
  restLines,
  secretReads,
} from "./load.ts";
import { streamCpuSeconds } from "./units.ts";

/** A balancer has an address in each zone. */
const balancerAddresses = 2;

/** What a capacity unit of a load balancer takes, by the page of its price. */
const unit = { newConnections: 25, connections: 3_000, gbAnHour: 1 };

/** Tasks that the load keeps busy, on average: by their CPU, or by their calls in flight. */
function tasksFor(load: MonthlyLoad): number {
  const byCpu = (load.callsPerSecond * streamCpuSeconds) / (taskSize.cpu / 1024) / (cpuPercent / 100);
  return Math.max(tasks.min, byCpu, callsAtATime(load) / callsOfTask);
}

/** The bill of the load, what stands there without a call included. Each call is taken for a connection of its own. */
export function fargateLines(load: MonthlyLoad): CostLine[] {
  const busy = tasksFor(load);
  const running = busy * hoursOfMonth;
  const units = Math.max(
    load.callsPerSecond / unit.newConnections,
    callsAtATime(load) / unit.connections,
    (load.callsPerSecond * 3_600 * load.answerBytes) / bytesOfGb / unit.gbAnHour,
  );
  const addresses = running + balancerAddresses * hoursOfMonth;
  return [
    line("Fargate", "CPU of its tasks", (running * taskSize.cpu) / 1024, "fargateCpuHour", "computed"),
    line("Fargate", "their memory", (running * taskSize.memoryLimitMiB) / 1024, "fargateGbHour", "computed"),
    line("VPC", "public addresses", addresses, "addressHour", "computed"),
    line("Load balancer", "its hours", hoursOfMonth, "balancerHour", "declared"),
    line("Load balancer", "its capacity", units * hoursOfMonth, "balancerUnitHour", "computed"),
    secretReads("tasks", busy),
    ...restLines(load, { isFunction: false }),
  ];
}

/** The calls a second from which `fargate` costs less than `url`, both a month at a rate; undefined if it never does. */
export function crossingOf(
  url: (callsPerSecond: number) => number,
  fargate: (callsPerSecond: number) => number,
): number | undefined {
  let [low, high] = [0, 10_000];
  if (fargate(high) >= url(high)) return undefined;
  while (high - low > high / 1_000) {
    const middle = (low + high) / 2;
    if (fargate(middle) < url(middle)) high = middle;
    else low = middle;
  }
  return high;
}
