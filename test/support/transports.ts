/** The port to AWS over each of its transports, for tests that hold both to the same laws. */
import { type Aws, createAws } from "#shared/platform/aws.ts";
import type { ServiceName } from "#shared/platform/aws-actions.ts";
import { createClients } from "#shared/platform/aws-clients.ts";
import { dynamoDb } from "#shared/platform/clients/dynamodb.ts";
import { secretsManager } from "#shared/platform/clients/secrets.ts";
import { sqs } from "#shared/platform/clients/sqs.ts";
import { stepFunctions } from "#shared/platform/clients/step-functions.ts";

const region = "us-east-1";
const credentials = () => ({ accessKeyId: "test", secretAccessKey: "test" });

export type TransportName = "lean" | "clients";

/** Opens the port at these endpoints. */
export const transports: Record<
  TransportName,
  (endpoints: Partial<Record<ServiceName, string>>, timeoutMs?: number) => Aws
> = {
  lean: (endpoints, timeoutMs = 10_000) =>
    createAws({ region, credentials, endpoints, attemptsMax: 4, timeoutMs }),
  clients: (endpoints, timeoutMs = 10_000) =>
    createClients(
      { dynamodb: dynamoDb, sqs, states: stepFunctions, secretsmanager: secretsManager },
      { region, credentials: credentials(), endpoints, timeoutMs },
    ),
};
