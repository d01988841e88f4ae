/**
 * The state machine that carries a video task to its end: submit once, then wait and poll. What a task is and
 * what becomes of it stands in the tasks table alone; an execution knows its task's name and when to look again.
 */
import { ArnFormat, type CfnElement, Duration, Stack, Validations } from "aws-cdk-lib";
import { Rule } from "aws-cdk-lib/aws-events";
import { LambdaFunction } from "aws-cdk-lib/aws-events-targets";
import { PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import {
  Choice,
  Condition,
  DefinitionBody,
  type IChainable,
  JitterType,
  JsonPath,
  LogLevel,
  Pass,
  Result,
  StateMachine,
  StateMachineType,
  Succeed,
  TaskInput,
  Timeout,
  Wait,
  WaitTime,
} from "aws-cdk-lib/aws-stepfunctions";
import { LambdaInvoke } from "aws-cdk-lib/aws-stepfunctions-tasks";
import { Construct } from "constructs";
import { variables } from "#shared/platform/env.ts";
import type { GatewayFunction } from "./gateway-function.ts";
import type { Stage } from "./stage.ts";

/** A backstop behind the worker's own 24 hours; at a poll a minute it is half of the 25,000 events of a history. */
const executionHoursMax = 25;

/** The longest pause between two polls that fail, and the pause after a submission whose end nobody knows. */
const retrySecondsMax = 60;
const firstWaitSeconds = 2;

/** The most that the language allows; the machine's timeout comes first. */
const attemptsUnlimited = 99_999_999;

/** What Lambda itself does not end is given up this much later. */
const invocationGraceSeconds = 30;

export class VideoWorkflow extends Construct {
  readonly machine: StateMachine;
  readonly #role: Role;

  /** `worker` is invoked as it is last deployed: an execution of today may be polled by the version of tomorrow. */
  constructor(scope: Construct, id: string, { stage, worker }: { stage: Stage; worker: GatewayFunction }) {
    super(scope, id);
    this.#role = this.#createRole(worker);
    this.machine = new StateMachine(this, "Machine", {
      stateMachineType: StateMachineType.STANDARD,
      definitionBody: DefinitionBody.fromChainable(this.#define(worker, stage)),
      timeout: Duration.hours(executionHoursMax),
      // CDK would let it invoke every version of the worker besides.
      role: this.#role.withoutPolicyUpdates(),
      tracingEnabled: true,
      logs: {
        destination: new LogGroup(this, "Logs", {
          retention: stage.logRetention,
          removalPolicy: stage.removalPolicy,
        }),
        // The names of states and errors tell enough, and no line can carry what a customer wrote.
        level: LogLevel.ALL,
        includeExecutionData: false,
      },
    });
    this.machine.node.addDependency(this.#role);
  }

  /** Grants starting executions and sets the machine's ARN. */
  letStart(starter: GatewayFunction): void {
    starter.addEnvironment(variables.videoWorkflow, this.machine.stateMachineArn);
    starter.addToRolePolicy(
      new PolicyStatement({ actions: ["states:StartExecution"], resources: [this.machine.stateMachineArn] }),
    );
  }

  /** Grants stopping the machine's executions, whatever their names. */
  letStop(stopper: GatewayFunction): void {
    const execution = Stack.of(this).formatArn({
      service: "states",
      resource: "execution",
      resourceName: `${this.machine.stateMachineName}:*`,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    stopper.addToRolePolicy(
      new PolicyStatement({ actions: ["states:StopExecution"], resources: [execution] }),
    );
    Validations.of(stopper.role ?? stopper).acknowledge({
      id: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:states:<AWS::Region>:<AWS::AccountId>:execution:<${Stack.of(this).getLogicalId(this.machine.node.defaultChild as CfnElement)}.Name>:*]`,
      reason: "An execution is named after its task, which is not known before; the machine is.",
    });
  }

  /** Has the function told of every execution that ends otherwise than by its task's end. */
  repairWith(repairer: GatewayFunction): void {
    const rule = new Rule(this, "Broken", {
      eventPattern: {
        source: ["aws.states"],
        detailType: ["Step Functions Execution Status Change"],
        detail: {
          stateMachineArn: [this.machine.stateMachineArn],
          status: ["FAILED", "TIMED_OUT", "ABORTED"],
        },
      },
      targets: [new LambdaFunction(repairer)],
    });
    Validations.of(rule).acknowledge({
      id: "Serverless-EventBusDLQ",
      reason: "The next scheduled run finds and repairs the same task without the event.",
    });
  }

  #createRole(worker: GatewayFunction): Role {
    const role = new Role(this, "Role", { assumedBy: new ServicePrincipal("states.amazonaws.com") });
    role.addToPolicy(
      new PolicyStatement({ actions: ["lambda:InvokeFunction"], resources: [worker.functionArn] }),
    );
    role.addToPolicy(
      new PolicyStatement({
        actions: [
          ...["CreateLogDelivery", "GetLogDelivery", "UpdateLogDelivery", "DeleteLogDelivery"],
          ...["ListLogDeliveries", "PutResourcePolicy", "DescribeResourcePolicies", "DescribeLogGroups"],
        ].map((action) => `logs:${action}`),
        resources: ["*"],
      }),
    );
    role.addToPolicy(
      new PolicyStatement({
        actions: ["PutTraceSegments", "PutTelemetryRecords", "GetSamplingRules", "GetSamplingTargets"].map(
          (action) => `xray:${action}`,
        ),
        resources: ["*"],
      }),
    );
    Validations.of(role).acknowledge({
      id: "AwsSolutions-IAM5[Resource::*]",
      reason:
        "Neither the delivery of logs nor X-Ray has resources to name: these actions are for * or for nobody.",
    });
    return role;
  }

  #define(worker: GatewayFunction, stage: Stage): IChainable {
    const wait = new Wait(this, "Wait", { time: WaitTime.secondsPath("$.next.wait_seconds") });
    const submit = this.#invoke("Submit", worker, stage, "submit", 0);
    const poll = this.#invoke("Poll", worker, stage, "poll", JsonPath.numberAt("$.next.polls"));
    // Whoever submits twice may pay twice. The worker notes what it knows; the first poll goes on from there.
    const unknown = new Pass(this, "SubmissionUnknown", {
      result: Result.fromObject({ done: false, wait_seconds: firstWaitSeconds, polls: 0 }),
      resultPath: "$.next",
    });
    submit.addCatch(unknown, { errors: ["States.ALL"], resultPath: JsonPath.DISCARD });
    unknown.next(wait);
    poll.addRetry({
      errors: ["States.ALL"],
      interval: Duration.seconds(firstWaitSeconds),
      backoffRate: 2,
      maxDelay: Duration.seconds(retrySecondsMax),
      jitterStrategy: JitterType.FULL,
      maxAttempts: attemptsUnlimited,
    });
    const isDone = new Choice(this, "IsDone")
      .when(Condition.booleanEquals("$.next.done", true), new Succeed(this, "Done"))
      .otherwise(wait);
    return submit.next(wait).next(poll).next(isDone);
  }

  /** One action of the worker, whose answer says when to look again. */
  #invoke(
    id: string,
    worker: GatewayFunction,
    stage: Stage,
    action: "submit" | "poll",
    polls: number,
  ): LambdaInvoke {
    return new LambdaInvoke(this, id, {
      lambdaFunction: worker,
      payload: TaskInput.fromObject({
        action,
        task: JsonPath.stringAt("$.task"),
        organization: JsonPath.stringAt("$.organization"),
        polls,
      }),
      payloadResponseOnly: true,
      retryOnServiceExceptions: false,
      resultPath: "$.next",
      taskTimeout: Timeout.duration(
        Duration.seconds(stage.videoTask.timeoutSeconds + invocationGraceSeconds),
      ),
    });
  }
}
