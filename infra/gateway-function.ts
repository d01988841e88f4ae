/**
 * The house Lambda: one way to bundle, log and trace, a role of its own that starts with nothing, and
 * methods that grant a resource and tell the function its name in one call.
 */
import { join } from "node:path";
import { Duration, Validations } from "aws-cdk-lib";
import type { TableV2 } from "aws-cdk-lib/aws-dynamodb";
import { PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Architecture, LoggingFormat, Runtime, Tracing } from "aws-cdk-lib/aws-lambda";
import { type BundlingOptions, LogLevel, NodejsFunction, OutputFormat } from "aws-cdk-lib/aws-lambda-nodejs";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import type { Secret } from "aws-cdk-lib/aws-secretsmanager";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { type VariableName, variables } from "#shared/platform/env.ts";
import type { FunctionSize, Stage } from "./stage.ts";
import type { TableGrant } from "./tables.ts";

export interface GatewayFunctionProps {
  /** The entry `functions/<name>.ts`; it exports `handler`. */
  name: string;
  stage: Stage;
  size: FunctionSize;
  /** Invocations at a time, kept for this function; it shares the account's if undefined. */
  concurrency?: number | undefined;
  /** Absolute path of the JSON that the entry imports as `#catalog`. */
  catalogFile: string;
}

const root = join(import.meta.dirname, "..");

function bundling(catalogFile: string): BundlingOptions {
  return {
    target: "node24",
    format: OutputFormat.ESM,
    mainFields: ["module", "main"],
    minify: true,
    // Nothing is left to the runtime: what was tested is what runs.
    externalModules: [],
    logLevel: LogLevel.WARNING,
    esbuildArgs: { "--alias": `#catalog=${catalogFile}` },
    // The catalog is a file beside the code: it grows with every model, and the code's size stays what it is.
    loader: { ".catalog.json": "copy" },
  };
}

export class GatewayFunction extends NodejsFunction {
  constructor(
    scope: Construct,
    id: string,
    { name, stage, size, concurrency, catalogFile }: GatewayFunctionProps,
  ) {
    const role = new Role(scope, `${id}Role`, { assumedBy: new ServicePrincipal("lambda.amazonaws.com") });
    const logGroup = new LogGroup(scope, `${id}Logs`, {
      retention: stage.logRetention,
      removalPolicy: stage.removalPolicy,
    });
    // Instead of AWS's basic execution policy, which may write to every log group of the account.
    logGroup.grantWrite(role);
    super(scope, id, {
      entry: join(root, "functions", `${name}.ts`),
      projectRoot: root,
      depsLockFilePath: join(root, "package-lock.json"),
      handler: "handler",
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: size.memoryMb,
      timeout: Duration.seconds(size.timeoutSeconds),
      ...(concurrency === undefined ? {} : { reservedConcurrentExecutions: concurrency }),
      role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      tracing: Tracing.ACTIVE,
      bundling: bundling(catalogFile),
      // CloudFormation would delete a version as soon as the next has its calls, and streams may still run on it.
      currentVersionOptions: { removalPolicy: stage.removalPolicy },
    });
    Validations.of(role).acknowledge({
      id: "AwsSolutions-IAM5[Resource::*]",
      reason:
        "X-Ray has no resources to name: PutTraceSegments and PutTelemetryRecords are for * or for nobody.",
    });
  }

  /** Grants exactly these actions on the table and sets its name. */
  useTable(variable: VariableName, table: TableV2, grants: TableGrant[]): void {
    this.addEnvironment(variables[variable], table.tableName);
    for (const { actions, partitions, index } of grants) {
      this.addToRolePolicy(
        new PolicyStatement({
          actions,
          resources: [index ? `${table.tableArn}/index/${index}` : table.tableArn],
          ...(partitions ? { conditions: onlyPartitions(partitions) } : {}),
        }),
      );
    }
  }

  /** Grants exactly these actions on the queue and sets its address. */
  useQueue(variable: VariableName, queue: Queue, actions: `sqs:${string}`[]): void {
    this.addEnvironment(variables[variable], queue.queueUrl);
    this.addToRolePolicy(new PolicyStatement({ actions, resources: [queue.queueArn] }));
  }

  /** Grants reading the secret and sets its ARN; the value itself is never in the environment. */
  useSecret(variable: VariableName, secret: Secret): void {
    this.addEnvironment(variables[variable], secret.secretArn);
    this.addToRolePolicy(
      new PolicyStatement({ actions: ["secretsmanager:GetSecretValue"], resources: [secret.secretArn] }),
    );
  }
}

/** `ForAllValues` holds for a request that names no key at all, so that one is refused besides. */
function onlyPartitions(patterns: string[]) {
  return {
    "ForAllValues:StringLike": { "dynamodb:LeadingKeys": patterns },
    Null: { "dynamodb:LeadingKeys": "false" },
  };
}
