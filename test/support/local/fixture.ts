/** Starts the fixture functions and clients for the tests of the local runtime. */
import { type LocalFunction, startFunction } from "#infra/local/emulators/lambda.ts";
import { type Aws, type AwsOptions, awsOptionsFromEnv, createAws } from "#shared/base/platform/aws.ts";

/** Things to end after a test, the last one first. */
export const cleanups: (() => unknown)[] = [];

export async function cleanUp(): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
}

export function awsAt(endpoints: AwsOptions["endpoints"]): Aws {
  const credentials = () => ({ accessKeyId: "test", secretAccessKey: "test" });
  return createAws({ ...awsOptionsFromEnv({}), credentials, endpoints });
}

/** What the functions of `functions.mjs` said of their failures. They fail on purpose, so nobody is shown it. */
export const saidErrors: string[] = [];

function keep(chunk: Buffer | string): boolean {
  return saidErrors.push(String(chunk)) > 0;
}

/** Starts one of the exports of `functions.mjs`. */
export async function startFixture(name: string, timeoutSeconds = 60): Promise<LocalFunction> {
  const resource = {
    name,
    directory: import.meta.dirname,
    handler: `functions.${name}`,
    environment: {},
    timeoutSeconds,
    memoryMb: 128,
    logGroup: "FunctionLogs",
    hasUrl: true,
    hasBufferedUrl: false,
  };
  const throwLost = (error: unknown) => {
    throw error;
  };
  const local = await startFunction(resource, { AWS_REGION: "us-east-1" }, throwLost, { write: keep });
  cleanups.push(() => local.stop(0));
  return local;
}
