/** The executions of one state machine, in memory alone: after a crash the sweeper starts one for every open task. */
import { setTimeout as sleep } from "node:timers/promises";
import type { StateMachine as Interpreter, StateMachineDefinition } from "aws-local-stepfunctions";
import type { StateMachineResource } from "../stack/resources.ts";
import { account, region } from "../stack/template.ts";

type ExecutionStatus = "RUNNING" | "SUCCEEDED" | "FAILED" | "TIMED_OUT" | "ABORTED";

export interface Execution {
  arn: string;
  name: string;
  /** JSON, as it was given. */
  input: string;
  status: ExecutionStatus;
  startedAt: number;
  stoppedAt?: number;
  /** JSON; of one that succeeded. */
  output?: string;
  error?: string;
  cause?: string;
}

interface MachineOptions {
  /** Runs the function that a state names. */
  invoke: (functionArn: string, event: unknown) => Promise<unknown>;
  /** How many real seconds one second of the machine's waits lasts, at most 1. Functions take the time they take. */
  scale: number;
  /** Told of every change of status. */
  onChange: (execution: Execution) => void;
}

export interface StateMachine {
  arn: string;
  /** Starts an execution, or gives the running one of that name and input. Undefined when another has the name. */
  start(name: string, input: string): Execution | undefined;
  find(executionArn: string): Execution | undefined;
  /** Newest first. */
  list(): Execution[];
  /** Stops an execution and gives it; undefined when there is none. Its function runs on, as on AWS. */
  stop(executionArn: string, reason: Pick<Execution, "error" | "cause">): Execution | undefined;
  /** Ends all executions without an event. */
  close(): void;
}

/** So many ended executions are remembered, with their names. AWS remembers them for 90 days. */
const executionsMax = 10_000;

/** Rejects on an invalid definition. This takes longer than all else here, and is done before a stack is kept. */
export async function checkDefinition({
  definition,
}: Pick<StateMachineResource, "definition">): Promise<void> {
  await interpret(definition, false);
}

/** Makes the machine. Its definition is checked elsewhere. */
export function createStateMachine(
  { name: machineName, arn, definition }: StateMachineResource,
  options: MachineOptions,
): StateMachine {
  let interpreter: Promise<Interpreter> | undefined;
  const executions = new Map<string, Execution>();
  const running = new Map<string, () => void>();

  const end = (execution: Execution, change: Partial<Execution>) => {
    if (!running.delete(execution.arn)) return;
    Object.assign(execution, change, { stoppedAt: Date.now() });
    if (executions.size > executionsMax) forgetOne(executions);
    options.onChange(execution);
  };

  return {
    arn,
    start(name, input) {
      const executionArn = `arn:aws:states:${region}:${account}:execution:${machineName}:${name}`;
      const known = executions.get(executionArn);
      if (known) return known.status === "RUNNING" && known.input === input ? known : undefined;
      const startedAt = Date.now();
      const execution: Execution = { arn: executionArn, name, input, status: "RUNNING", startedAt };
      executions.set(executionArn, execution);
      interpreter ??= interpret(compress(definition, options.scale), true);
      const { abort, result } = run(interpreter, definition, execution, options);
      running.set(executionArn, abort);
      options.onChange(execution);
      result.then(
        (output) => end(execution, { status: "SUCCEEDED", output: JSON.stringify(output) }),
        (error: Error) => end(execution, failureOf(error)),
      );
      return execution;
    },
    find: (executionArn) => executions.get(executionArn),
    list: () => [...executions.values()].reverse(),
    stop(executionArn, reason) {
      const execution = executions.get(executionArn);
      if (!execution) return undefined;
      const abort = running.get(executionArn);
      end(execution, { status: "ABORTED", ...reason });
      abort?.();
      return execution;
    },
    close() {
      const aborts = [...running.values()];
      running.clear();
      for (const abort of aborts) abort();
    },
  };
}

/** Loads the interpreter only where a definition is checked or runs: it brings an AWS SDK client. */
async function interpret(definition: StateMachineDefinition, noValidate: boolean): Promise<Interpreter> {
  const { StateMachine } = await import("aws-local-stepfunctions");
  return new StateMachine(definition, { validationOptions: { noValidate } });
}

/** Forgets the oldest that has ended; the map keeps the order of starts. */
function forgetOne(executions: Map<string, Execution>): void {
  for (const [arn, { status }] of executions) {
    if (status === "RUNNING") continue;
    executions.delete(arn);
    return;
  }
}

/** The error that ends a stopped execution at its next state; no `Retry` and no `Catch` catches it. */
class Halted extends Error {
  readonly isRetryable = false;
  readonly isCatchable = false;
}

/** The resource of a wait in a compressed definition. */
const clock = "arn:aws:states:::clock";

function run(
  interpreter: Promise<Interpreter>,
  definition: StateMachineDefinition,
  execution: Execution,
  { invoke, scale }: MachineOptions,
): { abort(): void; result: Promise<unknown> } {
  const halt = new AbortController();
  const halted = Promise.withResolvers<never>();
  halted.promise.catch(() => {});
  // When it is stopped, the interpreter ends the pause between two tries at once, and would try again.
  const played = async (resource: string, input: unknown) => {
    halt.signal.throwIfAborted();
    const tick = () => sleep(Number(input) * scale * 1000, undefined, { signal: halt.signal });
    const work = resource === clock ? tick() : invoke(resource, input);
    return (await Promise.race([work, halted.promise])) as never;
  };
  const tasks = Object.entries(definition.States).flatMap(([name, state]) => {
    if (state.Type !== "Task" && state.Type !== "Wait") return [];
    const resource = state.Type === "Task" ? state.Resource : clock;
    return [[name, (input: unknown) => played(resource, input)] as const];
  });
  let abort = () => {};
  const started = interpreter.then((machine) => {
    const begun = machine.run(JSON.parse(execution.input), {
      overrides: { taskResourceLocalHandlers: Object.fromEntries(tasks) },
      context: { Execution: { Id: execution.arn, Name: execution.name } },
    });
    abort = begun.abort;
    if (halt.signal.aborted) abort();
    return begun.result;
  });
  const stop = () => {
    const reason = new Halted("the execution has ended");
    halt.abort(reason);
    halted.reject(reason);
    abort();
  };
  return { abort: stop, result: started.finally(stop) };
}

function failureOf(error: Error): Partial<Execution> {
  switch (error.name) {
    case "ExecutionAbortedError":
      return { status: "ABORTED" };
    case "ExecutionTimeoutError":
      return { status: "TIMED_OUT", error: "States.Timeout" };
    default:
      return { status: "FAILED", error: "States.TaskFailed", cause: error.message };
  }
}

/** The longest wait that has a timer: a day. */
const waitSecondsMax = 86_400;

/** The definition with a faster clock. Waits become tasks, because the interpreter waits for whole seconds only. */
export function compress(definition: StateMachineDefinition, scale: number): StateMachineDefinition {
  if (scale === 1) return definition;
  const faster = (seconds: number | undefined) => (seconds === undefined ? undefined : seconds * scale);
  const states = Object.entries(definition.States).map(([name, state]) => {
    if (state.Type === "Wait" && state.SecondsPath !== undefined) {
      const { SecondsPath, ...rest } = state;
      const asTask = { Type: "Task", Resource: clock, InputPath: SecondsPath, ResultPath: null };
      return [name, { ...rest, ...asTask, TimeoutSeconds: waitSecondsMax }];
    }
    if (state.Type !== "Task" || !state.Retry) return [name, state];
    const Retry = state.Retry.map((retrier) => ({
      ...retrier,
      IntervalSeconds: faster(retrier.IntervalSeconds ?? 1),
      ...(retrier.MaxDelaySeconds ? { MaxDelaySeconds: faster(retrier.MaxDelaySeconds) } : {}),
    }));
    return [name, { ...state, Retry }];
  });
  const TimeoutSeconds = faster(definition.TimeoutSeconds);
  return {
    ...definition,
    States: Object.fromEntries(states) as StateMachineDefinition["States"],
    ...(TimeoutSeconds === undefined ? {} : { TimeoutSeconds }),
  };
}
