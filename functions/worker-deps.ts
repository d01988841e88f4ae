/** What the worker of the video tasks needs, built once per cold start from the environment alone. */
import { createClients } from "#shared/platform/aws-clients.ts";
import { dynamoDb } from "#shared/platform/clients/dynamodb.ts";
import { secretsManager } from "#shared/platform/clients/secrets.ts";
import { required } from "#shared/platform/env.ts";
import { log } from "#shared/platform/log.ts";
import { createSecrets } from "#shared/platform/secrets.ts";
import type { TaskLifetime, WorkerDeps } from "#shared/tasks/deps.ts";
import { createRenderer } from "#shared/tasks/provider.ts";
import { catalog, ownProcess, taskLifetime, workerPorts } from "./deps.ts";
import { startTelemetry } from "./telemetry.ts";

/** It asks the providers of the catalog. Throws when a variable is missing. */
export function workerDeps(): WorkerDeps & TaskLifetime {
  const aws = createClients({ dynamodb: dynamoDb, secretsmanager: secretsManager });
  const secrets = createSecrets(aws, { providers: required("providersSecret") }, log);
  const provider = createRenderer({ catalog, secrets, log });
  const telling = startTelemetry(ownProcess, aws)?.then((telemetry) => telemetry?.telling);
  return { ...workerPorts(aws, provider, ownProcess), ...taskLifetime(), telling };
}
