/**
 * The gateway as a Lambda Web Function: one process serves many calls (aws.md §2). Environment and grants are collected
 * before the function is made, because its revision takes nothing afterwards.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { type CfnElement, DefaultStackSynthesizer, Duration, Stack, Validations } from "aws-cdk-lib";
import { type PolicyStatement, type Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import {
  WebFunction,
  WebFunctionAuthType,
  WebFunctionCode,
  WebFunctionRuntime,
} from "aws-cdk-lib/aws-lambda";
import type { LogGroup } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import type { CodeSource } from "../bundles/code.ts";
import type { Stage } from "../stage/stage.ts";
import { createRole, type Grantee } from "./grants.ts";
import { placeIn } from "./nag-place.ts";

interface WebGatewayProps {
  stage: Stage;
  code: CodeSource;
}

/** The most that Lambda allows. It lowers the number by itself where an environment has no room for more. */
const callsPerEnvironment = 128;
/** Fewer cannot be asked for. */
const environmentsMin = 2;

/** Part of its metrics' names. The address belongs to it, and would change with the name. */
export const endpointName = "prod";

export class WebGateway extends Construct implements Grantee {
  readonly role: Role;
  readonly logGroup: LogGroup;
  readonly #props: WebGatewayProps;
  readonly #environment: Record<string, string> = {};

  constructor(scope: Construct, id: string, props: WebGatewayProps) {
    super(scope, id);
    this.#props = props;
    // Whether Lambda names the account here is not documented (aws.md §10). A role cannot be used outside its account.
    const { role, logGroup } = createRole(
      this,
      "",
      props.stage,
      new ServicePrincipal("lambda.amazonaws.com"),
    );
    this.role = role;
    this.logGroup = logGroup;
  }

  addEnvironment(name: string, value: string): void {
    this.#environment[name] = value;
  }

  addToRolePolicy(statement: PolicyStatement): void {
    this.role.addToPolicy(statement);
  }

  /** Makes the function, once everything is granted. `outdir` is the folder of the assembly. */
  open(outdir: string): WebFunction {
    const { stage, code } = this.#props;
    const { gatewayConcurrency: calls } = stage;
    const folder = join(outdir, "server");
    // The folder of an assembly is used again, and a file that is left in it would change the hash of the code.
    rmSync(folder, { recursive: true, force: true });
    const web = new WebFunction(this, "Function", {
      code: WebFunctionCode.fromAssetToManagedBucket(code.writeServer(folder)),
      runtime: WebFunctionRuntime.NODEJS_24_X,
      role: this.role,
      logGroup: this.logGroup,
      environment: this.#environment,
      timeout: Duration.seconds(stage.gateway.timeoutSeconds),
      maxConcurrencyPerEnvironment: callsPerEnvironment,
      // Clients have API keys, and the gateway checks those itself.
      defaultEndpointAuth: WebFunctionAuthType.APPLICATION_MANAGED,
      defaultEndpoint: {
        endpointName,
        ...(calls !== undefined && {
          maxEnvironments: Math.max(environmentsMin, Math.ceil(calls / callsPerEnvironment)),
        }),
      },
    });
    Validations.of(web).acknowledge({
      id: "Annotation::@aws-cdk/aws-lambda:webFunctionPublicEndpoint",
      reason: "Clients have API keys, and the gateway checks those itself.",
    });
    acknowledgeStaging(Stack.of(this));
    return web;
  }
}

/** CDK stages the code by itself: a function copies it into a bucket, from which Lambda reads it. */
function acknowledgeStaging(stack: Stack): void {
  const found = (prefix: string) => stack.node.children.filter(({ node }) => node.id.startsWith(prefix));
  const buckets = found("AWSCDKWebFunctionAssetBucket");
  for (const bucket of buckets) {
    Validations.of(bucket).acknowledge({
      id: "AwsSolutions-S1",
      reason: "It holds the code that is deployed, which Lambda alone reads; CloudTrail tells who wrote it.",
    });
  }
  const reason =
    "CDK makes this function, its role and its grants; it runs while a deployment copies the code, and at no other time.";
  const qualifier = stack.synthesizer.bootstrapQualifier ?? DefaultStackSynthesizer.DEFAULT_QUALIFIER;
  const { partition, account, region } = placeIn(stack);
  const staged = `arn:${partition}:s3:::cdk-${qualifier}-assets-${account}-${region}/*`;
  const kept = buckets.map(
    ({ node }) => `<${stack.getLogicalId(node.defaultChild as CfnElement)}.Arn>/web-function/*`,
  );
  const rules = [
    "AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole]",
    ...["s3:Abort*", "s3:DeleteObject*"].map((action) => `AwsSolutions-IAM5[Action::${action}]`),
    ...[staged, ...kept].map((resource) => `AwsSolutions-IAM5[Resource::${resource}]`),
    ...["Serverless-LambdaDefaultMemorySize", "Serverless-LambdaDLQ", "Serverless-LambdaTracing"],
  ];
  for (const copier of found("Custom::S3ObjectCopy")) {
    for (const id of rules) Validations.of(copier).acknowledge({ id, reason });
  }
}
