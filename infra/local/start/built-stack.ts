/** The stack of the local gateway, with its database and its queues started while it is built. */
import { basename, join } from "node:path";
import type { Catalog } from "#shared/books/catalog/catalog.ts";
import { replaceCatalog } from "../../bundles/about.ts";
import { bundledCatalogName } from "../../bundles/bundle-files.ts";
import { bundledText } from "../../catalog/bundled-text.ts";
import { writeWhole } from "../../catalog/write-whole.ts";
import { databaseProgram } from "../emulators/database-program.ts";
import { type DynamoDb, startDynamoDb } from "../emulators/dynamodb.ts";
import { endingWith } from "../emulators/listen.ts";
import { openDoor } from "../emulators/loopback.ts";
import { type Sqs, startSqs } from "../emulators/sqs.ts";
import { folderOf, oneThread } from "../stack/bundle-folders.ts";
import { readResources, type StackResources } from "../stack/resources.ts";
import { bundlesWithCatalog, keepAssembly } from "../stack/synthesis.ts";
import { readTemplate } from "../stack/template.ts";
import type { BegunStack } from "./begun-stack.ts";
import { makeBundles } from "./bundling.ts";
import type { Observer } from "./observer.ts";
import type { Persistence } from "./persistence.ts";
import type { StartSettings } from "./settings.ts";

/** The synthesized stack, and what stands in for its database and its queues. */
interface BuiltStack {
  assembly: string;
  template: string;
  resources: StackResources;
  /** Makes the bundles that are missing, checks the state machines, and keeps the stack for the next start. */
  complete(): Promise<void>;
  /** Waits for the bundle of a function, by its folder. Undefined where all are there. */
  whenBundled: ((directory: string) => Promise<void>) | undefined;
  /** `door` is what others than the functions are told. */
  dynamoDb: Pick<DynamoDb, "endpoint"> & { door: string };
  sqs: Sqs;
}

/** Builds the stack. Rejects where it cannot be synthesized, or what answers clients cannot be bundled. */
export async function buildStack(
  settings: StartSettings,
  { begun, catalog, kept }: { begun: BegunStack; catalog: Catalog; kept: Persistence | undefined },
  parts: AsyncDisposableStack,
  observer: Observer,
): Promise<BuiltStack> {
  const { assembly, isKept } = begun;
  observer.begin("building the stack, and starting the database and the queues");
  const [dynamoDb, sqs, template, front] = await Promise.all([
    openDynamoDb(settings, kept, parts, observer),
    endingWith(parts, startSqs(kept?.queues)),
    begun.template,
    begun.front,
  ]);
  const catalogFile = giveCatalog(assembly, catalog);
  tellCatalog(assembly, catalog);
  const resources = readResources(readTemplate(template), assembly);
  observer.done(`stack built: ${resources.functions.length} functions, ${catalog.models.length} models`);
  const built = { assembly, template, resources, dynamoDb, sqs };
  if (isKept) return { ...built, complete: async () => {}, whenBundled: undefined };
  const missing = bundlesOf(resources).filter((name) => folderOf(name) !== front);
  return { ...built, ...restOf({ begun, catalogFile, missing }, settings, parts, observer) };
}

/** The bundle of settle comes first, because calls wait for it to be booked. Then people visit the console. */
const urgent = ["settle", "console"];
const rank = (name: string) => (urgent.includes(name) ? urgent.indexOf(name) : urgent.length);

/** All bundles of a stack, in the order in which they are made. */
export function bundlesOf({ functions }: Pick<StackResources, "functions">): string[] {
  const names = functions.map(({ directory }) => basename(directory).slice(folderOf("").length));
  return [...names, oneThread].sort((a, b) => rank(a) - rank(b));
}

/** Tells the operator of this machine which catalog is in force. A reader finds all of it, or the one before. */
export function tellCatalog(assembly: string, catalog: Catalog): void {
  writeWhole(join(assembly, "catalog.json"), JSON.stringify(catalog));
}

/** Lays the catalog beside the bundles that are there. Gives it compiled, for the others. */
export function giveCatalog(assembly: string, catalog: Catalog): string {
  const compiled = join(assembly, bundledCatalogName);
  writeWhole(compiled, bundledText(catalog));
  replaceCatalog(bundlesWithCatalog(assembly), compiled);
  return compiled;
}

interface Rest {
  begun: Pick<BegunStack, "assembly" | "keptIn">;
  catalogFile: string;
  missing: readonly string[];
}

/**
 * The bundles that no start waits for. With `ASSEMBLY` the start does, because others wait for the folder. A bundle that
 * cannot be made ends the gateway, and so does a state machine that is not valid.
 */
function restOf(
  { begun: { assembly, keptIn }, catalogFile, missing }: Rest,
  { assembly: asked, taskLifetimeSeconds }: StartSettings,
  parts: AsyncDisposableStack,
  { lost }: Observer,
): Pick<BuiltStack, "complete" | "whenBundled"> {
  const ready = new Map(missing.map((name) => [folderOf(name), Promise.withResolvers<void>()]));
  const make = (isPatient: boolean, keep?: { keptIn: string; taskLifetimeSeconds: string | undefined }) =>
    makeBundles(
      {
        ...{ assembly, catalogFile, names: missing, isPatient, isLast: true, keep },
        onBundled: (name) => ready.get(folderOf(name))?.resolve(),
      },
      (end) => parts.defer(end),
    );
  if (asked !== undefined) {
    const complete = async () => {
      await make(false);
      keepAssembly(assembly, asked, taskLifetimeSeconds);
    };
    return { complete, whenBundled: undefined };
  }
  const complete = async () => void make(true, { keptIn, taskLifetimeSeconds }).catch(lost);
  const whenBundled = async (directory: string): Promise<void> => {
    const bundled = ready.get(basename(directory));
    await bundled?.promise;
    // It may have been bundled with the catalog of before.
    if (bundled && bundlesWithCatalog(assembly).includes(directory)) replaceCatalog([directory], catalogFile);
  };
  return { complete, whenBundled };
}

async function openDynamoDb(
  { dynamoDbEndpoint }: StartSettings,
  kept: Persistence | undefined,
  parts: AsyncDisposableStack,
  { lost, note }: Observer,
): Promise<BuiltStack["dynamoDb"]> {
  if (dynamoDbEndpoint) return { endpoint: dynamoDbEndpoint, door: dynamoDbEndpoint };
  await databaseProgram(note);
  const { endpoint } = await endingWith(parts, startDynamoDb(kept?.database, lost));
  const door = await endingWith(parts, openDoor(endpoint));
  return { endpoint, door: door.url };
}
