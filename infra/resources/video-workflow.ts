/** The state machine of a video task: submit, then wait and poll until it has ended. The tasks table has all else. */
import { ArnFormat, type CfnElement, Duration, Stack, Validations } from "aws-cdk-lib";
import { Rule } from "aws-cdk-lib/aws-events";
import { PolicyStatement, Role } from "aws-cdk-lib/aws-iam";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
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
import { variables } from "#shared/base/platform/env.ts";
import type { Stage } from "../stage/stage.ts";
import type { GatewayFunction } from "./gateway-function.ts";
import { fromThisAccount, type Grantee } from "./grants.ts";
import { placeIn } from "./nag-place.ts";
import { LiveFunction } from "./rule-target.ts";

/** A limit behind the worker's own 24 hours. A poll a minute uses half of the 25,000 events that a history may have. */
const executionHoursMax = 25;

/** The longest pause between two polls that fail, and the pause after a submission whose outcome is unknown. */
const retrySecondsMax = 60;
const firstWaitSeconds = 2;

/** The most that the states language allows. The machine's timeout comes first. */
const attemptsUnlimited = 99_999_999;

/** How much longer than the function's own timeout an invocation is waited for. */
const invocationGraceSeconds = 30;

export class VideoWorkflow extends Construct {
  readonly machine: StateMachine;
  readonly #role: Role;

  /** `worker` is always its live version: one that is deployed tomorrow may poll an execution of today. */
  constructor(scope: Construct, id: string, { stage, worker }: { stage: Stage; worker: GatewayFunction }) {
    super(scope, id);
    this.#role = this.#createRole(worker);
    this.machine = new StateMachine(this, "Machine", {
      stateMachineType: StateMachineType.STANDARD,
      definitionBody: DefinitionBody.fromChainable(this.#define(worker, stage)),
      timeout: Duration.hours(executionHoursMax),
      // CDK would write grants of its own beside these.
      role: this.#role.withoutPolicyUpdates(),
      tracingEnabled: true,
      logs: {
        destination: new LogGroup(this, "Logs", {
          retention: stage.logRetention,
          removalPolicy: stage.removalPolicy,
        }),
        // The names of states and errors are enough. Without the data no line can have what a customer wrote.
        level: LogLevel.ALL,
        includeExecutionData: false,
      },
    });
    this.machine.node.addDependency(this.#role);
  }

  /** Grants starting executions, and tells the function the machine's ARN. */
  letStart(starter: Grantee): void {
    starter.addEnvironment(variables.videoWorkflow, this.machine.stateMachineArn);
    starter.addToRolePolicy(
      new PolicyStatement({ actions: ["states:StartExecution"], resources: [this.machine.stateMachineArn] }),
    );
  }

  /** Grants stopping every execution of the machine. */
  letStop(stopper: Grantee): void {
    const execution = Stack.of(this).formatArn({
      service: "states",
      resource: "execution",
      resourceName: `${this.machine.stateMachineName}:*`,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    stopper.addToRolePolicy(
      new PolicyStatement({ actions: ["states:StopExecution"], resources: [execution] }),
    );
    const { partition, region, account } = placeIn(Stack.of(this));
    const machine = Stack.of(this).getLogicalId(this.machine.node.defaultChild as CfnElement);
    Validations.of(stopper.role ?? stopper).acknowledge({
      id: `AwsSolutions-IAM5[Resource::arn:${partition}:states:${region}:${account}:execution:<${machine}.Name>:*]`,
      reason: "An execution is named after its task, which is not known before; the machine is.",
    });
  }

  /** Tells the function of every execution that ends without its task having ended. */
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
      targets: [new LiveFunction(repairer)],
    });
    Validations.of(rule).acknowledge({
      id: "Serverless-EventBusDLQ",
      reason: "The next scheduled run finds and repairs the same task without the event.",
    });
  }

  #createRole(worker: GatewayFunction): Role {
    const role = new Role(this, "Role", { assumedBy: fromThisAccount("states.amazonaws.com") });
    // Executions last a day, and those of a release without the alias ask for the function itself.
    const resources = [worker.live.functionArn, worker.functionArn];
    role.addToPolicy(new PolicyStatement({ actions: ["lambda:InvokeFunction"], resources }));
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
    // A task that is submitted twice may be paid twice. The worker writes down what it knows, and the first poll
    // goes on from it.
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

  /** One action of the worker. Its answer says when to look again. */
  #invoke(
    id: string,
    worker: GatewayFunction,
    stage: Stage,
    action: "submit" | "poll",
    polls: number,
  ): LambdaInvoke {
    return new LambdaInvoke(this, id, {
      // CDK's type of an alias lets its role be undefined.
      lambdaFunction: worker.live as IFunction,
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
