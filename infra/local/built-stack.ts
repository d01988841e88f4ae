/** The stack of the local gateway, synthesized or kept, with its database and its queues started meanwhile. */
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Catalog } from "#shared/catalog/catalog.ts";
import { databaseProgram } from "./database-program.ts";
import { type DynamoDb, startDynamoDb } from "./dynamodb.ts";
import { removeAtEnd } from "./leftovers.ts";
import { openDoor } from "./loopback.ts";
import type { Observer } from "./observer.ts";
import type { Persistence } from "./persistence.ts";
import { readResources, type StackResources } from "./resources.ts";
import type { Settings } from "./settings.ts";
import { type Sqs, startSqs } from "./sqs.ts";
import { forgetOlderStacks, stackFolder } from "./stack-cache.ts";
import { keepAssembly, openAssembly, synthesize } from "./synthesis.ts";
import { readTemplate } from "./template.ts";

const root = join(import.meta.dirname, "../..");

/** The synthesized stack, and what stands in for its database and its queues. */
export interface BuiltStack {
  assembly: string;
  template: string;
  resources: StackResources;
  /** Whether an earlier start has synthesized it. */
  isKept: boolean;
  /** Keeps it for the next start, once it was checked. Does nothing where it is kept. */
  keep(): void;
  /** `door` is what others than the functions are told. */
  dynamoDb: Pick<DynamoDb, "endpoint"> & { door: string };
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
  const cached = settings.assembly === undefined ? stackFolder(root, taskLifetimeSeconds) : undefined;
  const keptIn = settings.assembly ?? cached;
  observer.begin("building the stack, and starting the database and the queues");
  const prepared = openAssembly({
    catalog: JSON.stringify(catalog),
    keptIn,
    taskLifetimeSeconds,
    onTemporary: (remove) => removeAtEnd(remove, parts),
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
  const isKept = prepared.template !== undefined;
  const keep = () => {
    if (isKept) return;
    if (settings.assembly) keepAssembly(assembly, settings.assembly, taskLifetimeSeconds);
    else if (cached) keepInCache(assembly, cached, taskLifetimeSeconds);
  };
  return { assembly, template, resources, isKept, keep, dynamoDb, sqs };
}

/** A stack that cannot be kept, as on a disk that is full or read-only, is built again by the next start. */
function keepInCache(assembly: string, cached: string, taskLifetimeSeconds: string | undefined): void {
  try {
    // A file that was saved meanwhile may be in the stack, and was not in its hash.
    if (stackFolder(root, taskLifetimeSeconds) !== cached) return;
    mkdirSync(dirname(cached), { recursive: true });
    keepAssembly(assembly, cached, taskLifetimeSeconds);
    forgetOlderStacks(cached);
  } catch {
    // The next start builds it.
  }
}

async function openDynamoDb(
  { dynamoDbEndpoint }: Settings,
  kept: Persistence | undefined,
  parts: AsyncDisposableStack,
  { lost, note }: Observer,
): Promise<BuiltStack["dynamoDb"]> {
  if (dynamoDbEndpoint) return { endpoint: dynamoDbEndpoint, door: dynamoDbEndpoint };
  await databaseProgram(note);
  const { endpoint, stop } = await startDynamoDb(kept?.database, lost);
  parts.defer(stop);
  const door = await openDoor(endpoint);
  parts.defer(door.stop);
  return { endpoint, door: door.url };
}

async function openSqs(kept: Persistence | undefined, parts: AsyncDisposableStack) {
  const started = await startSqs(kept?.queues);
  parts.defer(started.stop);
  return started;
}
