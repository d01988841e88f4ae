/** Which definitions a state machine takes. What its executions do is in `workflow.test.ts`. */
import type { StateMachineDefinition } from "aws-local-stepfunctions";
import { expect, test } from "vitest";
import { createStateMachine } from "#infra/local/emulators/state-machine.ts";

const arn = "arn:aws:states:us-east-1:000000000000:stateMachine:Machine";
const worker = "arn:aws:lambda:us-east-1:000000000000:function:worker";
const definition = { StartAt: "Work", States: { Work: { Type: "Task", Resource: worker, End: true } } };

/** Starts one execution and gives how it ended. */
async function endOf(given: object, isChecked: boolean): Promise<string> {
  const ended = Promise.withResolvers<string>();
  const resource = { name: "Machine", arn, definition: given as StateMachineDefinition };
  const machine = await createStateMachine(resource, {
    isChecked,
    scale: 1,
    invoke: async () => ({}),
    onChange: ({ status }) => status !== "RUNNING" && ended.resolve(status),
  });
  machine.start("one", "{}");
  return await ended.promise;
}

test.each([true, false])("a valid one runs, whether it was checked before or not: %s", async (isChecked) => {
  expect(await endOf(definition, isChecked)).toBe("SUCCEEDED");
});

test("an invalid one is refused before anything runs", async () => {
  await expect(endOf({ ...definition, StartAt: "Nowhere" }, false)).rejects.toThrow(
    "MISSING_TRANSITION_TARGET",
  );
});
