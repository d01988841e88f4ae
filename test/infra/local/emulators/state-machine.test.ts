/** Which definitions a state machine takes. What its executions do is in `workflow.test.ts`. */
import type { StateMachineDefinition } from "aws-local-stepfunctions";
import { expect, test } from "vitest";
import { checkDefinition, createStateMachine } from "#infra/local/emulators/state-machine.ts";

const arn = "arn:aws:states:us-east-1:000000000000:stateMachine:Machine";
const worker = "arn:aws:lambda:us-east-1:000000000000:function:worker";
const definition = { StartAt: "Work", States: { Work: { Type: "Task", Resource: worker, End: true } } };

/** Starts one execution and gives how it ended. */
async function endOf(given: object): Promise<string> {
  const ended = Promise.withResolvers<string>();
  const resource = { name: "Machine", arn, definition: given as StateMachineDefinition };
  const machine = createStateMachine(resource, {
    scale: 1,
    invoke: async () => ({}),
    onChange: ({ status }) => status !== "RUNNING" && ended.resolve(status),
  });
  machine.start("one", "{}");
  return await ended.promise;
}

test("a valid one is taken, and runs", async () => {
  await checkDefinition({ definition: definition as StateMachineDefinition });
  expect(await endOf(definition)).toBe("SUCCEEDED");
});

test("an invalid one is refused", async () => {
  const invalid = { ...definition, StartAt: "Nowhere" } as StateMachineDefinition;
  await expect(checkDefinition({ definition: invalid })).rejects.toThrow("MISSING_TRANSITION_TARGET");
});
