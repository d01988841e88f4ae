/**
 * A Lambda function as every function here is: bundled, logged and traced in one way, with its own role that may do
 * nothing at first. `grants.ts` grants one resource after the other.
 */
import { join } from "node:path";
import { Duration, Validations } from "aws-cdk-lib";
import { Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Architecture, LoggingFormat, Runtime, Tracing } from "aws-cdk-lib/aws-lambda";
import { type BundlingOptions, LogLevel, NodejsFunction, OutputFormat } from "aws-cdk-lib/aws-lambda-nodejs";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import type { FunctionSize, Stage } from "./stage.ts";

interface GatewayFunctionProps {
  /** The entry `functions/<name>.ts`; it exports `handler`. */
  name: string;
  stage: Stage;
  size: FunctionSize;
  /** Invocations at a time, reserved for this function. If undefined it shares those of the account. */
  concurrency?: number | undefined;
  /** Absolute path of the JSON that the entry imports as `#catalog`. */
  catalogFile: string;
  /** Calls providers, or AWS by the lean transport. */
  callsOut?: true;
}

const root = join(import.meta.dirname, "..");

/** What is taken of the package undici. */
export const undiciAgent = `exports.Agent = require("undici/lib/dispatcher/agent.js");`;

/**
 * Puts the package undici beside a bundle, where `import("undici")` finds it. It is read only where Node carries no
 * undici that can be used, so that the bundle need not carry it either.
 */
function bundleUndici(outputDir: string): string {
  const file = join(outputDir, "node_modules/undici/index.js");
  return `echo '${undiciAgent}' | npx esbuild --bundle --platform=node --target=node24 --minify --log-level=warning --outfile='${file}'`;
}

function bundling({ catalogFile, callsOut }: GatewayFunctionProps): BundlingOptions {
  return {
    target: "node24",
    format: OutputFormat.ESM,
    mainFields: ["module", "main"],
    minify: true,
    // Everything is in the asset, so that what was tested is what runs. All but undici is in the bundle.
    externalModules: ["undici"],
    commandHooks: {
      beforeBundling: () => [],
      beforeInstall: () => [],
      afterBundling: (_, outputDir) => (callsOut ? [bundleUndici(outputDir)] : []),
    },
    logLevel: LogLevel.WARNING,
    esbuildArgs: { "--alias": `#catalog=${catalogFile}` },
    // The catalog is a file beside the code, so that the code does not grow with every model.
    loader: { ".catalog.json": "copy" },
  };
}

export class GatewayFunction extends NodejsFunction {
  constructor(scope: Construct, id: string, props: GatewayFunctionProps) {
    const { name, stage, size, concurrency } = props;
    const role = new Role(scope, `${id}Role`, { assumedBy: new ServicePrincipal("lambda.amazonaws.com") });
    const logGroup = new LogGroup(scope, `${id}Logs`, {
      retention: stage.logRetention,
      removalPolicy: stage.removalPolicy,
    });
    // AWS's basic execution policy would allow writing to every log group of the account.
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
      bundling: bundling(props),
      // CloudFormation would delete a version as soon as the next one serves. Streams may still run on the old one.
      currentVersionOptions: { removalPolicy: stage.removalPolicy },
    });
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
