/** EventBridge on this machine: events of AWS services to the functions whose rules ask for them. */
import type { EventPattern, EventRuleResource } from "../stack/resources.ts";
import { account, region } from "../stack/template.ts";
import type { Execution } from "./state-machine.ts";

export interface BusEvent {
  version: "0";
  id: string;
  "detail-type": string;
  source: string;
  account: string;
  time: string;
  region: string;
  resources: string[];
  detail: Record<string, unknown>;
}

/** Hands the event to each function that a matching rule names. */
export function publish(
  event: BusEvent,
  rules: EventRuleResource[],
  invoke: (functionName: string, event: BusEvent) => void,
): void {
  for (const { pattern, functionNames } of rules) {
    if (!matches(pattern, event)) continue;
    for (const name of functionNames) invoke(name, event);
  }
}

/** Whether each field of the pattern has one of the listed values. EventBridge's operators are not known here. */
export function matches(pattern: EventPattern, event: object): boolean {
  return Object.entries(pattern).every(([field, wanted]) => {
    const value = (event as Record<string, unknown>)[field];
    if (Array.isArray(wanted)) return [value].flat().some((each) => wanted.includes(each));
    return typeof value === "object" && value !== null && matches(wanted, value);
  });
}

/** What Step Functions tells of an execution whose status has changed. */
export function executionEvent(stateMachineArn: string, execution: Execution): BusEvent {
  const { arn, name, status, input, startedAt, stoppedAt, output, error, cause } = execution;
  return {
    version: "0",
    id: crypto.randomUUID(),
    "detail-type": "Step Functions Execution Status Change",
    source: "aws.states",
    account,
    time: new Date(stoppedAt ?? startedAt).toISOString(),
    region,
    resources: [arn],
    detail: {
      executionArn: arn,
      stateMachineArn,
      name,
      status,
      startDate: startedAt,
      stopDate: stoppedAt ?? null,
      input,
      output: output ?? null,
      error: error ?? null,
      cause: cause ?? null,
    },
  };
}
