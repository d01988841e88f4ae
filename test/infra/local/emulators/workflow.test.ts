/** Step Functions on this machine: executions start, wait, fail and end as on AWS, and rules hear of it. */
import type { StateMachineDefinition } from "aws-local-stepfunctions";
import { afterEach, describe, expect, test } from "vitest";
import { type BusEvent, matches } from "#infra/local/emulators/event-bus.ts";
import { compress } from "#infra/local/emulators/state-machine.ts";
import { startStepFunctions } from "#infra/local/emulators/step-functions.ts";
import { awsAt, cleanUp, cleanups, startFixture } from "#test/support/local/fixture.ts";

afterEach(cleanUp);

const stateMachineArn = "arn:aws:states:us-east-1:000000000000:stateMachine:Machine";
const functionArn = (name: string) => `arn:aws:lambda:us-east-1:000000000000:function:${name}`;
const task = (name: string, fields: object) => ({ Type: "Task", Resource: functionArn(name), ...fields });

/** The shape of the video workflow: its test runs the one that deploys. */
const loop = {
  StartAt: "Submit",
  TimeoutSeconds: 1000,
  States: {
    Submit: task("worker", {
      Parameters: { action: "submit", polls: 0 },
      ResultPath: "$.next",
      Catch: [{ ErrorEquals: ["States.ALL"], ResultPath: null, Next: "Unknown" }],
      Next: "Wait",
    }),
    Unknown: {
      Type: "Pass",
      Result: { done: false, wait_seconds: 2, polls: 0 },
      ResultPath: "$.next",
      Next: "Wait",
    },
    Wait: { Type: "Wait", SecondsPath: "$.next.wait_seconds", Next: "Poll" },
    Poll: task("worker", {
      Parameters: { action: "poll", "polls.$": "$.next.polls" },
      ResultPath: "$.next",
      Retry: [{ ErrorEquals: ["States.ALL"], IntervalSeconds: 2, MaxAttempts: 1000, MaxDelaySeconds: 60 }],
      Next: "IsDone",
    }),
    IsDone: {
      Type: "Choice",
      Choices: [{ Variable: "$.next.done", BooleanEquals: true, Next: "Done" }],
      Default: "Wait",
    },
    Done: { Type: "Succeed" },
  },
} as StateMachineDefinition;

// Time enough also where a test runs it ten thousand times as fast.
const patient = { ...loop, TimeoutSeconds: 10_000_000 };

const once = { StartAt: "Work", States: { Work: task("worker", { End: true }) } } as StateMachineDefinition;

type Work = (event: { action: string; polls: number }) => Promise<unknown>;

/** Serves one machine whose worker is `work`; broken executions are told to `told`. */
async function serve(definition: StateMachineDefinition, work: Work, scale = 1) {
  const told: BusEvent[] = [];
  const detail = { stateMachineArn: [stateMachineArn], status: ["FAILED", "TIMED_OUT", "ABORTED"] };
  const pattern = { source: ["aws.states"], detail };
  const heard = Promise.withResolvers<BusEvent>();
  const states = await startStepFunctions(
    {
      stateMachines: [{ name: "Machine", arn: stateMachineArn, definition }],
      eventRules: [{ pattern, functionNames: ["sweep"] }],
    },
    {
      scale,
      warn: heard.reject,
      async invoke(name, event) {
        if (name !== "sweep") return await work(event as Parameters<Work>[0]);
        told.push(event as BusEvent);
        heard.resolve(event as BusEvent);
        return undefined;
      },
    },
  );
  cleanups.push(states.stop, states.close);
  const aws = awsAt({ states: states.url });
  const describeExecution = (executionArn: string) => aws("states", "DescribeExecution", { executionArn });
  return {
    ...states,
    aws,
    told,
    heard: heard.promise,
    start: (fields: object) =>
      aws("states", "StartExecution", { stateMachineArn, ...fields }) as Promise<{
        executionArn: string;
        startDate: Date;
      }>,
    describe: describeExecution,
    /** Waits for the end and gives the status. */
    async end(executionArn: string) {
      const status = async () => (await describeExecution(executionArn)).status;
      await expect.poll(status, { interval: 2 }).not.toBe("RUNNING");
      return await status();
    },
  };
}

const input = '{"task":"VTK-1"}';

describe("an execution", () => {
  test("starts once by its name: again while it runs with the same input, never afterwards", async () => {
    const gate = Promise.withResolvers<unknown>();
    const machine = await serve(once, () => gate.promise);
    const first = await machine.start({ name: "VTK-1", input });
    expect(first.executionArn).toBe("arn:aws:states:us-east-1:000000000000:execution:Machine:VTK-1");
    expect(await machine.start({ name: "VTK-1", input })).toEqual(first);
    const taken = { code: "ExecutionAlreadyExists" };
    await expect(machine.start({ name: "VTK-1", input: "{}" })).rejects.toMatchObject(taken);
    expect(await machine.describe(first.executionArn)).toMatchObject({ status: "RUNNING", input });
    gate.resolve({ done: true });
    expect(await machine.end(first.executionArn)).toBe("SUCCEEDED");
    expect(await machine.describe(first.executionArn)).toMatchObject({
      ...{ name: "VTK-1", stateMachineArn, output: '{"done":true}', startDate: first.startDate },
      stopDate: expect.any(Number),
    });
    await expect(machine.start({ name: "VTK-1", input })).rejects.toMatchObject(taken);
    const again = await machine.start({ name: "VTK-1-r1", input });
    expect(await machine.end(again.executionArn)).toBe("SUCCEEDED");
    const { executions } = await machine.aws("states", "ListExecutions", {
      ...{ stateMachineArn, statusFilter: "SUCCEEDED" },
    });
    expect(executions?.map(({ name }) => name)).toEqual(["VTK-1-r1", "VTK-1"]);
    expect(machine.told).toEqual([]);
  });

  test.each([
    ["StartExecution", { stateMachineArn, name: "a b" }, "InvalidName"],
    ["StartExecution", { stateMachineArn, name: "x".repeat(81) }, "InvalidName"],
    ["StartExecution", { stateMachineArn, name: "a", input: "{" }, "InvalidExecutionInput"],
    ["StartExecution", { stateMachineArn: "arn:none", name: "a" }, "StateMachineDoesNotExist"],
    ["StopExecution", { executionArn: "arn:none" }, "ExecutionDoesNotExist"],
    ["DescribeExecution", { executionArn: "arn:none" }, "ExecutionDoesNotExist"],
    ["CreateStateMachine", {}, "UnknownOperationException"],
  ])("%s of %o is refused as %s", async (action, fields, code) => {
    const machine = await serve(once, async () => ({}));
    await expect(machine.aws("states", action as "StartExecution", fields as never)).rejects.toMatchObject({
      code,
    });
  });

  test("waits as the worker says, by the clock it is given", async () => {
    const waits = [30, 20, 0];
    const at: number[] = [];
    const machine = await serve(
      loop,
      async ({ polls }) => {
        at.push(performance.now());
        return { done: polls === 2, wait_seconds: waits[at.length - 1], polls: at.length - 1 };
      },
      0.001,
    );
    const { executionArn } = await machine.start({ name: "a" });
    expect(await machine.end(executionArn)).toBe("SUCCEEDED");
    const [submitted = 0, first = 0, second = 0] = at;
    // Timers may be a millisecond early.
    expect(first - submitted).toBeGreaterThanOrEqual(29);
    expect(second - first).toBeGreaterThanOrEqual(19);
    expect(second - submitted).toBeLessThan(5_000);
  });

  test("goes on to the poll when the worker's process is lost in the submission", async () => {
    const worker = await startFixture("worker");
    const machine = await serve(patient, (event) => worker.invoke(event), 0.001);
    const { executionArn } = await machine.start({ name: "a" });
    expect(await machine.end(executionArn)).toBe("SUCCEEDED");
    const output = String((await machine.describe(executionArn)).output);
    expect(JSON.parse(output)).toEqual({ next: { done: true, wait_seconds: 0, polls: 1 } });
  });

  test("polls again until the poll succeeds", async () => {
    let failures = 0;
    const work: Work = async ({ action, polls }) => {
      if (action === "poll" && failures++ < 5) throw new Error("unavailable");
      return { done: action === "poll", wait_seconds: 0, polls };
    };
    const machine = await serve(patient, work, 0.0001);
    const { executionArn } = await machine.start({ name: "a" });
    expect(await machine.end(executionArn)).toBe("SUCCEEDED");
    expect(failures).toBe(6);
  });
});

describe("an execution that breaks is told to the rule's function", () => {
  test("when it fails", async () => {
    const machine = await serve(once, async () => {
      throw new Error("no such table");
    });
    const { executionArn } = await machine.start({ name: "a", input });
    expect(await machine.heard).toMatchObject({
      "detail-type": "Step Functions Execution Status Change",
      source: "aws.states",
      resources: [executionArn],
      detail: {
        ...{ executionArn, stateMachineArn, name: "a", status: "FAILED", input },
        cause: expect.stringContaining("no such table"),
      },
    });
  });

  test("when the machine's time is over, and the worker is asked no more", async () => {
    let polls = 0;
    const work: Work = async () => ({ done: false, wait_seconds: 1, polls: polls++ });
    const machine = await serve({ ...loop, TimeoutSeconds: 100 }, work, 0.0005);
    const { executionArn } = await machine.start({ name: "a" });
    expect(await machine.heard).toMatchObject({ detail: { status: "TIMED_OUT" } });
    const asked = polls;
    expect(await machine.describe(executionArn)).toMatchObject({ status: "TIMED_OUT" });
    expect(polls).toBe(asked);
  });

  test("when it is stopped while it waits; a second stop changes nothing", async () => {
    const waiting = Promise.withResolvers<void>();
    const work: Work = async ({ action }) => {
      if (action === "poll") throw new Error("polled after its end");
      setImmediate(waiting.resolve);
      return { done: false, wait_seconds: 60, polls: 0 };
    };
    const machine = await serve(loop, work);
    const { executionArn } = await machine.start({ name: "a" });
    await waiting.promise;
    const stop = (cause: string) => machine.aws("states", "StopExecution", { executionArn, cause });
    const stopped = await stop("cancelled");
    expect(stopped).toEqual({ stopDate: expect.any(Number) });
    expect(await stop("again")).toEqual(stopped);
    expect(await machine.describe(executionArn)).toMatchObject({ status: "ABORTED", cause: "cancelled" });
    expect(machine.told.map(({ detail }) => detail.status)).toEqual(["ABORTED"]);
  });

  test("when it is stopped between two tries of a poll that fails, of which there is no third", async () => {
    let tries = 0;
    // The interpreter asks for this after each try that failed, with or without the worker.
    let looks = 0;
    const retrier = {
      ErrorEquals: ["States.ALL"],
      MaxAttempts: 1000,
      get IntervalSeconds() {
        looks += 1;
        return 60;
      },
    };
    const Poll = { ...loop.States.Poll, Retry: [retrier] };
    const definition = { ...loop, States: { ...loop.States, Poll } } as StateMachineDefinition;
    const tried = Promise.withResolvers<void>();
    const machine = await serve(definition, async ({ action }) => {
      if (action === "submit") return { done: false, wait_seconds: 0, polls: 0 };
      tries += 1;
      setImmediate(tried.resolve);
      throw new Error("unavailable");
    });
    looks = 0;
    const { executionArn } = await machine.start({ name: "a" });
    await tried.promise;
    expect(looks).toBe(1);
    await machine.aws("states", "StopExecution", { executionArn });
    // Woken by the stop, it tries once more, and is told that it has ended.
    await expect.poll(() => looks, { interval: 1 }).toBe(2);
    expect(await machine.describe(executionArn)).toMatchObject({ status: "ABORTED" });
    expect([tries, looks]).toEqual([1, 2]);
  });
});

test("closing ends what runs, tells nobody and takes no more", async () => {
  const started = Promise.withResolvers<void>();
  const machine = await serve(loop, async () => {
    setImmediate(started.resolve);
    return { done: false, wait_seconds: 60, polls: 0 };
  });
  await machine.start({ name: "a" });
  await started.promise;
  machine.close();
  const reply = await fetch(machine.url, { method: "POST", body: "{}" });
  expect(reply.status).toBe(503);
  expect(machine.told).toEqual([]);
});

test("a compressed definition keeps its shape, and a full-size one is left alone", () => {
  expect(compress(loop, 1)).toBe(loop);
  const fast = compress(loop, 0.01);
  expect(Object.keys(fast.States)).toEqual(Object.keys(loop.States));
  expect(fast.TimeoutSeconds).toBe(10);
  expect(fast.States.Poll).toMatchObject({ Retry: [{ IntervalSeconds: 0.02, MaxDelaySeconds: 0.6 }] });
  expect(fast.States.Wait).toMatchObject({ InputPath: "$.next.wait_seconds", Next: "Poll" });
});

test.each([
  [{ a: ["x", "y"] }, true],
  [{ a: ["y"] }, false],
  [{ b: { c: [1] } }, true],
  [{ b: { c: [2] } }, false],
  [{ b: { d: [1] } }, false],
  [{ list: ["two"] }, true],
  [{ absent: { c: [1] } }, false],
])("the pattern %j asks for the event: %s", (pattern, wanted) => {
  expect(matches(pattern, { a: "x", b: { c: 1 }, list: ["one", "two"] })).toBe(wanted);
});
