/** The tasks of a service on Fargate, and when there are more of them (infra/resources/fronts.md "A service"). */
import { limits } from "#shared/base/limits.ts";

/** Half a CPU runs one process: its collector works beside it. Fargate gives it no less memory. */
export const taskSize = { cpu: 512, memoryLimitMiB: 1024 };

/** Two, because a zone may fail. The most is for a stage that sets no `gatewayConcurrency`. */
export const tasks = { min: 2, max: 20 };

/** Tasks are added above half of what a process takes, or above this share of its CPU. */
export const callsOfTask = limits.callsInFlightMax / 2;
export const cpuPercent = 60;
