/** The port to AWS over each of its transports, for tests that hold both to the same laws. */
import { type Aws, createAws } from "#shared/base/platform/aws.ts";
import type { ServiceName } from "#shared/base/platform/aws-actions.ts";
import { createClients } from "#shared/base/platform/aws-clients.ts";
import { dynamoDb } from "#shared/base/platform/clients/dynamodb.ts";
import { secretsManager } from "#shared/base/platform/clients/secrets.ts";
import { sqs } from "#shared/base/platform/clients/sqs.ts";
import { stepFunctions } from "#shared/base/platform/clients/step-functions.ts";

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
