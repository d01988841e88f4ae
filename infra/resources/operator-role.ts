/** The role of whoever operates a stage: exactly what the commands use, and nothing of any other stage. */
import { type CfnElement, Stack, Validations } from "aws-cdk-lib";
import { Rule } from "aws-cdk-lib/aws-events";
import {
  AccountRootPrincipal,
  ArnPrincipal,
  CompositePrincipal,
  PolicyStatement,
  Role,
} from "aws-cdk-lib/aws-iam";
import { EventSourceMapping } from "aws-cdk-lib/aws-lambda";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { Topic } from "aws-cdk-lib/aws-sns";
import { Construct, type IConstruct } from "constructs";
import { indexName, type TableName } from "#shared/edges/store/dynamodb/table-schema.ts";
import type { Stage } from "../stage/stage.ts";
import { GatewayFunction } from "./gateway-function.ts";
import { placeIn } from "./nag-place.ts";
import { partsOf, type ResourcePlace } from "./operator-permission.ts";
import { allPermissions } from "./operator-permissions.ts";
import type { Queues } from "./queues.ts";
import type { StageSecrets } from "./secrets.ts";
import type { StageTables } from "./tables.ts";
import type { VideoWorkflow } from "./video-workflow.ts";

interface Operated {
  stage: Stage;
  tables: StageTables;
  queues: Queues;
  secrets: StageSecrets;
  workflow: VideoWorkflow;
}

export class OperatorRole extends Construct {
  readonly role: Role;

  constructor(scope: Construct, id: string, operated: Operated) {
    super(scope, id);
    const { operators } = operated.stage;
    this.role = new Role(this, "Role", {
      description: `Operates the stage ${operated.stage.name} (infra/resources/operator-role.md).`,
      // People of the account sign in with a second factor. Who is named has signed in as its own account asks.
      assumedBy: operators
        ? new CompositePrincipal(...operators.map((arn) => new ArnPrincipal(arn)))
        : new AccountRootPrincipal().withConditions({ Bool: { "aws:MultiFactorAuthPresent": "true" } }),
    });
    const places = placesOf(this, operated);
    for (const [place, actions] of actionsByPlace()) {
      this.role.addToPolicy(new PolicyStatement({ actions, resources: [...places[place]] }));
    }
    Validations.of(this.role).acknowledge({
      id: "AwsSolutions-IAM5[Resource::*]",
      reason: "AWS knows no narrower resource for these actions, which only read.",
    });
    const { partition, region, account } = placeIn(Stack.of(this));
    Validations.of(this.role).acknowledge({
      id: `AwsSolutions-IAM5[Resource::arn:${partition}:cloudformation:${region}:${account}:stack/${Stack.of(this).stackName}/*]`,
      reason: "The ARN of a stack ends with an id, which whoever asks for it by its name does not know.",
    });
    for (const { node } of logGroupsOf(this)) {
      Validations.of(this.role).acknowledge({
        id: `AwsSolutions-IAM5[Resource::<${Stack.of(this).getLogicalId(node.defaultChild as CfnElement)}.Arn>]`,
        reason: "The ARN of a log group ends with a wildcard for its streams.",
      });
    }
  }
}

/** The actions that are allowed on each place, in their order. */
function actionsByPlace(): Map<ResourcePlace, string[]> {
  const found = new Map<ResourcePlace, string[]>();
  for (const { action, place } of allPermissions().map(partsOf)) {
    found.set(place, [...(found.get(place) ?? []), action]);
  }
  return found;
}

/** A stack that is asked for by its name is this resource to IAM, and not the one with its id. */
const stackArn = (stack: Stack) =>
  stack.formatArn({ service: "cloudformation", resource: "stack", resourceName: `${stack.stackName}/*` });

/** The parts of the gateway that are of a kind, wherever they were made. The role stands in the gateway's scope. */
function partsOfKind<Part extends IConstruct>(
  role: Construct,
  isOne: (each: IConstruct) => each is Part,
): Part[] {
  return (role.node.scope ?? role).node.findAll().filter(isOne);
}

const logGroupsOf = (scope: Construct) => partsOfKind(scope, (each) => each instanceof LogGroup);

/** The ARNs of each place, all of them of this stack. So the role is made after everything that it may touch. */
function placesOf(
  scope: Construct,
  { tables, queues, secrets, workflow }: Operated,
): Record<ResourcePlace, readonly string[]> {
  const ofTables = Object.entries(tables).map(([name, { tableArn }]) => [name, [tableArn]]);
  return {
    ...(Object.fromEntries(ofTables) as Record<TableName, [string]>),
    "counters/index": [`${tables.counters.tableArn}/index/${indexName("counters", "meters")}`],
    "accounts/index": [`${tables.accounts.tableArn}/index/${indexName("accounts", "due")}`],
    usageQueue: [queues.usage.queue.queueArn],
    usageDeadLetters: [queues.usage.deadLetters.queueArn],
    lessonQueue: [queues.lessons.queue.queueArn],
    lessonDeadLetters: [queues.lessons.deadLetters.queueArn],
    pepper: [secrets.pepper.resource],
    providers: [secrets.providers.resource],
    accountsSecret: [secrets.accounts.resource],
    platforms: [secrets.platforms.resource],
    workflow: [workflow.machine.stateMachineArn],
    stack: [stackArn(Stack.of(scope))],
    functions: partsOfKind(scope, (each) => each instanceof GatewayFunction).map((each) => each.functionArn),
    mappings: partsOfKind(scope, (each) => each instanceof EventSourceMapping).map(
      (each) => each.eventSourceMappingArn,
    ),
    rules: partsOfKind(scope, (each) => each instanceof Rule).map((each) => each.ruleArn),
    topics: partsOfKind(scope, (each) => each instanceof Topic).map((each) => each.topicArn),
    logs: logGroupsOf(scope).map((each) => each.logGroupArn),
    "*": ["*"],
  };
}
