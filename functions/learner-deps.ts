/** What the learner needs, built once per cold start from the environment alone. */
import catalogFile from "#catalog" with { type: "json" };
import { createModels } from "#shared/cache/semantic/models.ts";
import type { Catalog } from "#shared/catalog/catalog.ts";
import { createCatalog } from "#shared/catalog/models.ts";
import type { LearnDeps } from "#shared/operations/jobs/learn.ts";
import { createClients } from "#shared/platform/aws-clients.ts";
import { dynamoDb } from "#shared/platform/clients/dynamodb.ts";
import { secretsManager } from "#shared/platform/clients/secrets.ts";
import { required } from "#shared/platform/env.ts";
import { send } from "#shared/platform/http-client.ts";
import { log } from "#shared/platform/log.ts";
import { createSecrets } from "#shared/platform/secrets.ts";
import { createCacheEntries } from "#shared/store/cache.ts";
import { createSemanticStore } from "#shared/store/cache-semantic.ts";

/** It asks its two models through the channels of the catalog. Throws when a variable is missing. */
export function learnerDeps(): LearnDeps {
  const aws = createClients({ dynamodb: dynamoDb, secretsmanager: secretsManager });
  const secretIds = { pepper: required("pepperSecret"), providers: required("providersSecret") };
  const secrets = createSecrets(aws, secretIds, log);
  const tables = { cache: required("cacheTable") };
  const [contexts, cache] = [createSemanticStore(aws, tables), createCacheEntries(aws, tables)];
  const catalog = createCatalog(catalogFile as unknown as Catalog);
  const models = createModels({ catalog, secrets, send, log, now: Date.now });
  return { ...models, contexts, cache, secrets, log, now: Date.now };
}
