/**
 * A function as all here are: logged and traced in one way, with a role that may do nothing before `grants.ts` says so.
 */
import { Duration, Validations } from "aws-cdk-lib";
import {
  type Alias,
  Architecture,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  Tracing,
} from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import type { CodeSource } from "../bundles/code.ts";
import type { FunctionSize } from "../stage/function-sizes.ts";
import type { Stage } from "../stage/stage.ts";
import { createRole, fromThisAccount } from "./grants.ts";

/** The name of the alias of every function. It is part of the metrics' names. */
export const liveName = "live";

interface GatewayFunctionProps {
  /** The entry `functions/<name>.ts`; it exports `handler`. */
  name: string;
  stage: Stage;
  size: FunctionSize;
  /** Invocations at a time, reserved for this function. If undefined it shares those of the account. */
  concurrency?: number | undefined;
  code: CodeSource;
}

export class GatewayFunction extends LambdaFunction {
  /**
   * What everybody invokes: the version that serves, and for a while a new one too. A call ends on the one it began on.
   */
  readonly live: Alias;

  constructor(scope: Construct, id: string, { name, stage, size, concurrency, code }: GatewayFunctionProps) {
    const { role, logGroup } = createRole(scope, id, stage, fromThisAccount("lambda.amazonaws.com"));
    super(scope, id, {
      code: code.functionCode(name),
      handler: "index.handler",
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: size.memoryMb,
      timeout: Duration.seconds(size.timeoutSeconds),
      ...(concurrency === undefined ? {} : { reservedConcurrentExecutions: concurrency }),
      role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      tracing: Tracing.ACTIVE,
      // CloudFormation would delete a version as soon as the next one serves. Streams may still run on the old one.
      currentVersionOptions: { removalPolicy: stage.removalPolicy },
    });
    this.live = this.addAlias(liveName);
    Validations.of(role).acknowledge({
      id: "AwsSolutions-IAM5[Resource::*]",
      reason:
        "X-Ray has no resources to name: PutTraceSegments and PutTelemetryRecords are for * or for nobody.",
    });
  }
}

/** Says why a function has no queue of its own for what fails. */
export function acknowledgeNoDeadLetters(subject: GatewayFunction, reason: string): void {
  Validations.of(subject).acknowledge({ id: "Serverless-LambdaDLQ", reason });
}
