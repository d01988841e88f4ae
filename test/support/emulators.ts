/**
 * The synthesized stack without its functions: tables, queues and secrets on their stand-ins, and the bundles
 * for a test to run. What a function does to them stays there to be looked at.
 */
import { createTables, startDynamoDb } from "#infra/local/emulators/dynamodb.ts";
import { startSecrets } from "#infra/local/emulators/secrets.ts";
import { createQueues, startSqs } from "#infra/local/emulators/sqs.ts";
import type { FunctionResource } from "#infra/local/stack/resources.ts";
import { region } from "#infra/local/stack/template.ts";
import { outputs, placesOf, type StackPlaces } from "#infra/stage/outputs.ts";
import { type Aws, createAws } from "#shared/base/platform/aws.ts";
import { functionNamed, openStack } from "./kept-stack.ts";

export interface Emulators extends StackPlaces {
  aws: Aws;
  pepper: string;
  /** The bundle whose logical name begins with `name`, and the environment it finds on AWS. */
  functionNamed(name: string): Pick<FunctionResource, "directory" | "handler" | "environment">;
  stop(): Promise<void>;
}

/**
 * Opens the stack over a catalog (as JSON), and starts what it needs. `secrets` are the providers' keys by name.
 */
export async function startEmulators(catalog: unknown, secrets: Record<string, string>): Promise<Emulators> {
  const parts = new AsyncDisposableStack();
  const [dynamoDb, sqs, stack] = await Promise.all([
    startDynamoDb(),
    startSqs(),
    openStack(catalog, (remove) => parts.defer(remove)),
  ]);
  parts.defer(dynamoDb.stop);
  parts.defer(sqs.stop);
  const output = (name: keyof typeof outputs) => stack.outputs[outputs[name]] ?? "";
  const pepper = "test pepper";
  const secretsManager = await startSecrets(
    new Map([
      [output("pepperSecret"), pepper],
      [output("providersSecret"), JSON.stringify(secrets)],
    ]),
  );
  parts.defer(secretsManager.stop);
  const endpoints = { dynamodb: dynamoDb.endpoint, sqs: sqs.endpoint, secretsmanager: secretsManager.url };
  const credentials = () => ({ accessKeyId: "test", secretAccessKey: "test" });
  const aws = createAws({ region, credentials, endpoints, attemptsMax: 3, timeoutMs: 10_000 });
  await createTables(aws, stack.tables);
  await createQueues(aws, stack.queues);

  return {
    aws,
    ...placesOf(output),
    pepper,
    functionNamed(name) {
      const found = functionNamed(stack, name);
      const environment = {
        ...found.environment,
        AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
        AWS_ENDPOINT_URL_SQS: endpoints.sqs,
        AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoints.secretsmanager,
      };
      return { ...found, environment };
    },
    stop: () => parts.disposeAsync(),
  };
}
