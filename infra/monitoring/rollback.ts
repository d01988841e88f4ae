/** Which alarms take a new version of a function back, and why those (canaries.md "Which alarm takes what back"). */

/** By the function that is deployed. CodeDeploy takes ten alarms for one function at most. */
export const rollbackAlarms = {
  // What it writes is read by settle: a version whose events settle cannot take must go back, as one that fails itself.
  gateway: [
    "GatewayCanary",
    "ServiceErrors",
    "GatewayInternal",
    "SettleErrors",
    "UsageUnreadable",
    "UsageRefused",
    "DeadLettersGrow",
    "SettleGap",
  ],
  settle: ["SettleCanary", "UsageUnreadable", "UsageRefused", "DeadLettersGrow"],
  sweep: ["SweepCanary", "SweepFailed"],
  videoTask: ["VideoTaskCanary"],
  learner: ["LearnerCanary"],
  console: ["ConsoleCanary", "ConsoleInternal"],
} as const;

export type RollbackAlarms = typeof rollbackAlarms;

/** Whether the alarm must ring within a minute, because its version is tried for five. The sweep's is tried for ten. */
export function isUrgent(alarm: string): boolean {
  const { sweep: _, ...tried } = rollbackAlarms;
  return Object.values(tried).some((alarms) => (alarms as readonly string[]).includes(alarm));
}
