/** The stack of the local gateway, synthesized or kept, with its database and its queues started meanwhile. */
import type { Catalog } from "#shared/catalog/catalog.ts";
import { type DynamoDb, startDynamoDb } from "./dynamodb.ts";
import type { Observer } from "./observer.ts";
import type { Persistence } from "./persistence.ts";
import { readResources, type StackResources } from "./resources.ts";
import type { Settings } from "./settings.ts";
import { type Sqs, startSqs } from "./sqs.ts";
import { openAssembly, synthesize } from "./synthesis.ts";
import { readTemplate } from "./template.ts";

/** The synthesized stack, and what stands in for its database and its queues. */
export interface BuiltStack {
  assembly: string;
  template: string;
  resources: StackResources;
  /** Whether an earlier start has synthesized it. */
  isKept: boolean;
  dynamoDb: Pick<DynamoDb, "endpoint">;
  sqs: Sqs;
}

/** Builds the stack. Rejects where it cannot be synthesized. */
export async function buildStack(
  settings: Settings,
  { catalog, kept }: { catalog: Catalog; kept: Persistence | undefined },
  parts: AsyncDisposableStack,
  observer: Observer,
): Promise<BuiltStack> {
  const { taskLifetimeSeconds } = settings;
  observer.begin("building the stack, and starting the database and the queues");
  const prepared = openAssembly({
    catalog: JSON.stringify(catalog),
    keptIn: settings.assembly,
    taskLifetimeSeconds,
    onTemporary: (remove) => parts.defer(remove),
  });
  const { folder: assembly, catalogFile } = prepared;
  const [dynamoDb, sqs, template] = await Promise.all([
    openDynamoDb(settings, kept, parts, observer),
    openSqs(kept, parts),
    prepared.template ??
      synthesize({ catalogFile, assembly, taskLifetimeSeconds }, (end) => parts.defer(end)),
  ]);
  const resources = readResources(readTemplate(template), assembly);
  observer.done(`stack built: ${resources.functions.length} functions, ${catalog.models.length} models`);
  return { assembly, template, resources, isKept: prepared.template !== undefined, dynamoDb, sqs };
}

async function openDynamoDb(
  { dynamoDbEndpoint }: Settings,
  kept: Persistence | undefined,
  parts: AsyncDisposableStack,
  { lost }: Observer,
): Promise<Pick<DynamoDb, "endpoint">> {
  if (dynamoDbEndpoint) return { endpoint: dynamoDbEndpoint };
  const started = await startDynamoDb(kept?.database, lost);
  parts.defer(started.stop);
  return started;
}

async function openSqs(kept: Persistence | undefined, parts: AsyncDisposableStack) {
  const started = await startSqs(kept?.queues);
  parts.defer(started.stop);
  return started;
}
