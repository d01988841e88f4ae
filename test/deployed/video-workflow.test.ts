/** The video workflow as it deploys: its definition step by step, run on the interpreter, and what surrounds it. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StateMachine, type StateMachineDefinition } from "aws-local-stepfunctions";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readResources, type StackResources } from "#infra/local/stack/resources.ts";
import { templateIn } from "#infra/local/stack/synthesis.ts";
import { readTemplate } from "#infra/local/stack/template.ts";
import { dollarsOfTasks } from "#test/bench/dollars.ts";
import { Synthesized, text, unbundled } from "#test/support/template.ts";

const scratch = mkdtempSync(join(tmpdir(), "video-workflow-"));
let prod: Synthesized;
let resources: StackResources;
let definition: StateMachineDefinition;

beforeAll(() => {
  prod = new Synthesized("prod", scratch, undefined, unbundled);
  const assembly = join(scratch, "prod");
  resources = readResources(readTemplate(templateIn(assembly)), assembly);
  const [machine] = resources.stateMachines;
  definition = machine?.definition as StateMachineDefinition;
});

afterAll(() => rmSync(scratch, { recursive: true }));

const input = { task: "VTK-1", organization: "org_1" };
const functionNamed = (name: string) => resources.functions.find((each) => each.name.startsWith(name));

/** Runs the definition without its pauses and gives the states it entered; throws what the execution fails with. */
async function statesOf(work: (state: string, event: Event) => object): Promise<string[]> {
  const handler = (state: string) => async (event: unknown) => work(state, event as Event) as never;
  const { result, eventLogs } = new StateMachine(definition).run(input, {
    overrides: {
      taskResourceLocalHandlers: { Submit: handler("Submit"), Poll: handler("Poll") },
      waitTimeOverrides: { Wait: 0 },
      retryIntervalOverrides: { Poll: 0 },
    },
  });
  const entered: string[] = [];
  for await (const event of eventLogs) {
    if (event.type === "StateEntered" || event.type === "StateRetried") entered.push(event.state.name);
  }
  await result;
  return entered;
}

interface Event {
  action: string;
  polls: number;
}

const later = (wait_seconds: number, polls: number) => ({ done: false, wait_seconds, polls });
const over = { done: true, wait_seconds: 0, polls: 1 };

describe("the definition", () => {
  test("submits, waits, polls until it is done, and tells the worker which poll it is", async () => {
    const events: Event[] = [];
    const states = await statesOf((_, event) => {
      events.push(event);
      return event.polls < 2 ? later(5, event.action === "submit" ? 0 : event.polls + 1) : over;
    });
    expect(states.join(" ")).toBe("Submit Wait Poll IsDone Wait Poll IsDone Wait Poll IsDone Done");
    expect(events).toEqual([
      { action: "submit", ...input, polls: 0 },
      ...[0, 1, 2].map((polls) => ({ action: "poll", ...input, polls })),
    ]);
  });

  test("never submits twice: a submission that breaks is looked at by the first poll", async () => {
    let submissions = 0;
    const polls: number[] = [];
    const states = await statesOf((state, event) => {
      if (state === "Poll") polls.push(event.polls);
      else submissions += 1;
      if (state === "Submit") throw new Error("the worker crashed");
      return over;
    });
    expect(states.join(" ")).toBe("Submit SubmissionUnknown Wait Poll IsDone Done");
    expect([submissions, polls]).toEqual([1, [0]]);
    expect(definition.States.Submit).not.toHaveProperty("Retry");
    expect(definition.States.SubmissionUnknown).toMatchObject({ Result: later(2, 0) });
  });

  test("polls again whatever a poll fails with, ever more slowly, until the machine's own timeout", async () => {
    let failures = 0;
    const states = await statesOf((state) => {
      if (state === "Submit") return later(2, 0);
      if (failures++ < 50) throw new Error("Lambda.ServiceException");
      return over;
    });
    expect(states.filter((state) => state === "Poll")).toHaveLength(51);
    expect(definition.States.Poll).toMatchObject({
      Retry: [
        {
          ErrorEquals: ["States.ALL"],
          IntervalSeconds: 2,
          BackoffRate: 2,
          MaxDelaySeconds: 60,
          MaxAttempts: 99_999_999,
        },
      ],
    });
    expect(definition.TimeoutSeconds).toBe(25 * 3600);
  });

  test("takes under 40 transitions for a task of three minutes, and half a history for one of a day", async () => {
    const waits = [2, 5, 10, 16, 25, 40];
    const transitionsOf = async (taskSeconds: number) => {
      let elapsed = 0;
      let polls = 0;
      const states = await statesOf(() => {
        if (elapsed >= taskSeconds) return over;
        const wait = waits[polls++] ?? 60;
        elapsed += wait;
        return later(wait, polls);
      });
      return states.length;
    };
    expect(await transitionsOf(180)).toBe(26);
    // What the bench prints is reckoned from the same count.
    expect(dollarsOfTasks(8)).toMatchObject({ transitions: 26, invocations: 9 });
    // A look is nine events: of the wait two, of the poll five, of the choice two.
    expect((await transitionsOf(25 * 3600)) * 3).toBeLessThan(25_000 * 0.6);
  });

  test("gives an invocation up only after Lambda itself has", () => {
    const worker = functionNamed("VideoTask");
    for (const state of ["Submit", "Poll"]) {
      const { Resource, TimeoutSeconds } = definition.States[state] as {
        Resource: string;
        TimeoutSeconds: number;
      };
      expect(Resource).toMatch(new RegExp(`:function:${worker?.name}:live$`));
      expect(TimeoutSeconds).toBeGreaterThan(worker?.timeoutSeconds ?? Number.POSITIVE_INFINITY);
    }
  });
});

describe("the machine", () => {
  test("is a standard one, traced, and logs no data", () => {
    const { Properties } = prod.one("AWS::StepFunctions::StateMachine", "VideoWorkflowMachine");
    expect(Properties).toMatchObject({
      StateMachineType: "STANDARD",
      TracingConfiguration: { Enabled: true },
      LoggingConfiguration: { Level: "ALL", IncludeExecutionData: false },
    });
    const [{ CloudWatchLogsLogGroup }] = Properties.LoggingConfiguration.Destinations;
    expect(text(CloudWatchLogsLogGroup.LogGroupArn)).toBe("VideoWorkflowLogs");
  });

  test("is not made before its role may do what it needs", () => {
    const machine = prod.one("AWS::StepFunctions::StateMachine", "VideoWorkflowMachine");
    const needed = (machine as { DependsOn?: string[] }).DependsOn ?? [];
    expect(needed.some((id) => id.startsWith("VideoWorkflowRoleDefaultPolicy"))).toBe(true);
  });

  test("is started by functions that it does not invoke", () => {
    const worker = prod.environment("VideoTask");
    expect(worker).not.toHaveProperty("VIDEO_WORKFLOW_ARN");
    for (const starter of ["Gateway", "Sweep"]) {
      expect(prod.environment(starter).VIDEO_WORKFLOW_ARN).toBe("VideoWorkflowMachine");
    }
  });

  test("has broken executions told to the sweeper", () => {
    const rule = prod.one("AWS::Events::Rule", "VideoWorkflowBroken").Properties;
    const { stateMachineArn, status } = rule.EventPattern.detail;
    expect(rule.EventPattern).toMatchObject({
      source: ["aws.states"],
      "detail-type": ["Step Functions Execution Status Change"],
    });
    expect(stateMachineArn.map(text)).toEqual(["VideoWorkflowMachine"]);
    expect(status).toEqual(["FAILED", "TIMED_OUT", "ABORTED"]);
    expect(rule.Targets.map(({ Arn }: { Arn: unknown }) => text(Arn))).toEqual(["SweepAliaslive"]);
    const invokers = prod
      .all("AWS::Lambda::Permission")
      .filter(
        ([, { Properties }]) => Properties.SourceArn && text(Properties.SourceArn) === "VideoWorkflowBroken",
      );
    expect(invokers.map(([, { Properties }]) => text(Properties.FunctionName))).toEqual(["SweepAliaslive"]);
  });
});
