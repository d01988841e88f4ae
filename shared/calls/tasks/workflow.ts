/** Executions of the state machine on Step Functions (aws.md §7). */

import { type Aws, AwsError } from "../../base/platform/aws.ts";
import type { Workflow } from "./deps.ts";
import type { Task } from "./task.ts";

/** The executions of the machine with this ARN. */
export function createWorkflow(aws: Aws, machine: string): Workflow {
  return {
    async start({ id, organization }, name) {
      // Step Functions gives the running execution of this name and input, so a repetition starts nothing.
      const input = JSON.stringify({ task: id, organization });
      try {
        await aws("states", "StartExecution", { stateMachineArn: machine, name, input });
        return true;
      } catch (error) {
        if (error instanceof AwsError && error.code === "ExecutionAlreadyExists") return false;
        throw error;
      }
    },

    async stop(name) {
      const executionArn = `${machine.replace(":stateMachine:", ":execution:")}:${name}`;
      await aws("states", "StopExecution", { executionArn });
    },
  };
}

/** The name of a task's running execution. A closed one's stays taken for 90 days, so a repair has a new name. */
export function executionOf({ id, repairs }: Pick<Task, "id" | "repairs">): string {
  return repairs === 0 ? id : `${id}-r${repairs}`;
}
