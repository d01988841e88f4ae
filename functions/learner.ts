/** The learner of the semantic cache. Only messages that could not be learned go back to the queue. */
import middy from "@middy/core";
import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import catalogFile from "#catalog" with { type: "json" };
import { awsOptionsFromEnv } from "#shared/base/platform/aws.ts";
import { createClients } from "#shared/base/platform/aws-clients.ts";
import { dynamoDb } from "#shared/base/platform/clients/dynamodb.ts";
import { secretsManager } from "#shared/base/platform/clients/secrets.ts";
import { required } from "#shared/base/platform/env.ts";
import { send } from "#shared/base/platform/http-client.ts";
import { log } from "#shared/base/platform/log.ts";
import { createSecrets } from "#shared/base/platform/secrets.ts";
import { type BundledCatalog, openCatalog } from "#shared/books/catalog/models.ts";
import { createModels } from "#shared/calls/cache/semantic/models.ts";
import { type LearnDeps, learnBatch } from "#shared/edges/jobs/learn.ts";
import { createCacheEntries } from "#shared/edges/store/cache.ts";
import { createSemanticStore } from "#shared/edges/store/cache-semantic.ts";
import { cloudsOf } from "./clouds.ts";
import { tablesIn } from "./tables.ts";

const deps = learnerDeps();

export const handler = middy<SQSEvent, SQSBatchResponse>().handler(async (batch: SQSEvent) => {
  const messages = batch.Records.map(({ messageId, body, attributes }) => ({
    id: messageId,
    body,
    tries: Number(attributes.ApproximateReceiveCount),
  }));
  const failed = await learnBatch(messages, deps);
  return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
});

/** It asks its two models through the channels of the catalog. Throws when a variable is missing. */
function learnerDeps(): LearnDeps {
  const aws = createClients({ dynamodb: dynamoDb, secretsmanager: secretsManager });
  const secretIds = { pepper: required("pepperSecret"), providers: required("providersSecret") };
  const secrets = createSecrets(aws, secretIds, log);
  const tables = tablesIn(["cache"]);
  const [contexts, cache] = [createSemanticStore(aws, tables), createCacheEntries(aws, tables)];
  const catalog = openCatalog(catalogFile as unknown as BundledCatalog);
  const models = createModels({
    catalog,
    secrets,
    clouds: cloudsOf(awsOptionsFromEnv()),
    send,
    log,
    now: Date.now,
  });
  return { ...models, contexts, cache, secrets, log, now: Date.now };
}
