/** Step Functions on this machine: the part of its JSON API that starts, stops and watches executions. */
import { functionNameOf, type StackResources } from "../stack/resources.ts";
import { executionEvent, publish } from "./event-bus.ts";
import { actionNamed, JsonRefusal, serveJson } from "./json-protocol.ts";
import { createStateMachine, type Execution, type StateMachine } from "./state-machine.ts";

type Input = Record<string, unknown>;

/** The names that AWS allows: no blanks, brackets, wildcards or control characters. */
const executionName = /^[\w.+=@!$,'-]{1,80}$/;

const actions: Record<string, (machines: StateMachine[], input: Input) => object> = {
  StartExecution(machines, { stateMachineArn, name = crypto.randomUUID(), input = "{}" }) {
    const machine = machineOf(machines, stateMachineArn);
    if (typeof name !== "string" || !executionName.test(name))
      throw new JsonRefusal("InvalidName", String(name));
    if (typeof input !== "string" || !isJson(input))
      throw new JsonRefusal("InvalidExecutionInput", "the input is no JSON");
    const execution = machine.start(name, input);
    if (!execution) throw new JsonRefusal("ExecutionAlreadyExists", `there is an execution ${name} already`);
    return { executionArn: execution.arn, startDate: execution.startedAt / 1000 };
  },
  StopExecution(machines, { executionArn, error, cause }) {
    const reason = {
      ...(typeof error === "string" ? { error } : {}),
      ...(typeof cause === "string" ? { cause } : {}),
    };
    const { stoppedAt = 0 } = executionOf(machines, (machine) => machine.stop(String(executionArn), reason));
    return { stopDate: stoppedAt / 1000 };
  },
  DescribeExecution(machines, { executionArn }) {
    let stateMachineArn = "";
    const execution = executionOf(machines, (machine) => {
      stateMachineArn = machine.arn;
      return machine.find(String(executionArn));
    });
    const { input, output, error, cause } = execution;
    return { ...summary(stateMachineArn, execution), input, output, error, cause };
  },
  ListExecutions(machines, { stateMachineArn, statusFilter, maxResults = 100 }) {
    const machine = machineOf(machines, stateMachineArn);
    const executions = machine.list().filter(({ status }) => !statusFilter || status === statusFilter);
    const page = executions.slice(0, Number(maxResults));
    return { executions: page.map((execution) => summary(machine.arn, execution)) };
  },
};

function machineOf(machines: StateMachine[], arn: unknown): StateMachine {
  const machine = machines.find((each) => each.arn === arn);
  if (!machine) throw new JsonRefusal("StateMachineDoesNotExist", `there is no state machine ${String(arn)}`);
  return machine;
}

function executionOf(
  machines: StateMachine[],
  look: (machine: StateMachine) => Execution | undefined,
): Execution {
  for (const machine of machines) {
    const execution = look(machine);
    if (execution) return execution;
  }
  throw new JsonRefusal("ExecutionDoesNotExist", "there is no such execution");
}

function summary(stateMachineArn: string, { arn, name, status, startedAt, stoppedAt }: Execution): object {
  return {
    executionArn: arn,
    stateMachineArn,
    name,
    status,
    startDate: startedAt / 1000,
    ...(stoppedAt === undefined ? {} : { stopDate: stoppedAt / 1000 }),
  };
}

function isJson(input: string): boolean {
  try {
    JSON.parse(input);
    return true;
  } catch {
    return false;
  }
}

export interface StepFunctions {
  url: string;
  /** Ends all executions without an event, and refuses new ones. */
  close(): void;
  stop(): Promise<void>;
}

interface Surroundings {
  /** Runs a function by its name. */
  invoke(functionName: string, event: unknown): Promise<unknown>;
  /** As in `MachineOptions`. */
  scale: number;
  /** Told of a function that failed to handle an event. */
  warn(error: unknown): void;
}

/** Serves the template's state machines on a free port. The template's rules hear of each execution's end. */
export async function startStepFunctions(
  { stateMachines, eventRules }: Pick<StackResources, "stateMachines" | "eventRules">,
  { invoke, scale, warn }: Surroundings,
): Promise<StepFunctions> {
  const send = (name: string, event: object) => void invoke(name, event).catch(warn);
  const machines = stateMachines.map((resource) =>
    createStateMachine(resource, {
      invoke: (functionArn, event) => invoke(functionNameOf(functionArn), event),
      scale,
      onChange: (execution) => publish(executionEvent(resource.arn, execution), eventRules, send),
    }),
  );
  let isClosed = false;
  const { url, stop } = await serveJson("1.0", (name, body) => {
    if (isClosed) throw new JsonRefusal("ServiceUnavailable", "the gateway is stopping", 503);
    return actionNamed(actions, name, "UnknownOperationException")(machines, readInput(body));
  });
  return {
    url,
    close() {
      isClosed = true;
      for (const machine of machines) machine.close();
    },
    stop,
  };
}

function readInput(body: string): Input {
  const input: unknown = isJson(body) ? JSON.parse(body) : undefined;
  if (typeof input === "object" && input !== null) return input as Input;
  throw new JsonRefusal("SerializationException", "the body is no JSON object");
}
