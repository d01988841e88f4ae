/** The whole local gateway: every resource of the synthesized stack on its stand-in, and nothing else. */
import { join } from "node:path";
import type { Catalog } from "#shared/catalog/catalog.ts";
import { type Aws, createAws } from "#shared/platform/aws.ts";
import { readPeppers } from "#shared/platform/pepper.ts";
import { defaultCatalog } from "../default-catalog.ts";
import { Metrics } from "./dashboard/metrics.ts";
import { Sampler } from "./dashboard/sampler.ts";
import { openDashboard } from "./dashboard/server.ts";
import type { ViewOptions } from "./dashboard/view.ts";
import { startDemoProvider } from "./demo-provider.ts";
import { createTables, type DynamoDb, startDynamoDb } from "./dynamodb.ts";
import { localCredentials } from "./function-environment.ts";
import {
  catchUp,
  type Functions,
  functionNamed,
  startEventSources,
  startFunctions,
  startSchedules,
} from "./functions.ts";
import {
  demoProviders,
  type LocalCatalog,
  localCatalog,
  readCatalog,
  withDemoModels,
} from "./local-catalog.ts";
import type { Observer } from "./observer.ts";
import { keepSecret, openPersistence, type Persistence, secretValues } from "./persistence.ts";
import { type Demo, type Endpoints, endpointsOf, readReadyFile } from "./ready-file.ts";
import { readResources, type StackResources } from "./resources.ts";
import { startSecrets } from "./secrets.ts";
import { seedDemo } from "./seed.ts";
import type { Settings } from "./settings.ts";
import { createQueues, type Sqs, startSqs } from "./sqs.ts";
import { type StepFunctions, startStepFunctions } from "./step-functions.ts";
import { keepAssembly, openAssembly, synthesize, templateIn } from "./synthesis.ts";
import { readTemplate, region } from "./template.ts";

export interface Gateway {
  url: string;
  endpoints: Endpoints;
  demo: Demo;
  catalog: Catalog;
  /** Providers that the demo provider plays. */
  played: string[];
}

/** Where the gateway shall listen. The port is held until `release`. */
export interface Place {
  port: number;
  release(): Promise<void>;
}

/** Starts everything. The disposal of `parts` ends everything again, in reverse order. */
export async function startGateway(
  settings: Settings & Place,
  parts: AsyncDisposableStack,
  observer: Observer,
): Promise<Gateway> {
  const { taskLifetimeSeconds } = settings;
  const kept = settings.dataDir ? await openPersistence(settings.dataDir) : undefined;
  const { demoProvider, catalog, played, secrets } = await openCatalog(settings, parts);

  let url = "";
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

  observer.begin("creating tables and queues");
  const values = secretValues(resources.secrets, kept?.secrets);
  const secretsManager = await startSecrets(values, {
    onChange: (arn, value) => kept && keepSecret(kept.secrets, arn, value),
  });
  parts.defer(secretsManager.stop);
  const loaded = Promise.withResolvers<Functions>();
  const machines = { scale: settings.taskWaitScale, isChecked: prepared.template !== undefined };
  const states = await openStates(resources, machines, loaded.promise, parts, observer);
  // Only what was checked is kept.
  if (settings.assembly && !prepared.template) keepAssembly(assembly, settings.assembly, taskLifetimeSeconds);
  const log = kept?.log ?? join(assembly, "log.jsonl");
  const { sampler, dashboard } = await openCharts(
    { settings, sqs, template, log, gatewayUrl: () => url },
    parts,
  );
  const endpoints = endpointsOf(
    {
      dynamodb: dynamoDb.endpoint,
      sqs: sqs.endpoint,
      secrets: secretsManager.url,
      states: states.url,
      demoProvider,
      dashboard,
      assembly,
      log,
    },
    resources.outputs,
  );
  values.set(endpoints.providersSecretArn, JSON.stringify(secrets));
  const aws = openAws(endpoints);
  await createTables(aws, resources.tables);
  await createQueues(aws, resources.queues);
  observer.done(`${resources.tables.length} tables and ${resources.queues.length} queues created`);

  observer.begin("loading the functions, and making demo organizations");
  const functions = await startFunctions(resources, endpoints, settings, parts, observer, sampler);
  loaded.resolve(functions);
  // Executions end before the functions do; otherwise they would see a failure and try again.
  parts.defer(states.close);
  const demo = await seedDemo({
    aws,
    tables: endpoints.tables,
    peppers: readPeppers(values.get(endpoints.pepperSecretArn) ?? ""),
    plans: catalog.plans,
    ...(kept ? { file: kept.demo } : {}),
  });
  observer.done("functions loaded, demo organizations made");

  const pollers = startEventSources(resources, functions, aws, settings, parts, observer);
  if (kept?.hasState) {
    observer.begin("closing calls of the last run");
    await Promise.all(pollers.map(({ drained }) => drained));
    await catchUp(resources, functions);
    observer.done("calls of the last run closed");
  }
  url = await openUrl(resources, functions, settings);
  startSchedules(resources, functions, parts, observer);
  return { url, endpoints, demo, catalog, played };
}

/** Starts another gateway function, with a URL of its own, on the stand-ins of a gateway that already runs. */
export async function attachGateway(
  readyFile: string,
  settings: Pick<Settings, "isolated" | "telemetry"> & Place,
  parts: AsyncDisposableStack,
  observer: Observer,
): Promise<Pick<Gateway, "url" | "endpoints" | "demo">> {
  const { endpoints, keys, organizations } = readReadyFile(readyFile);
  const resources = readResources(readTemplate(templateIn(endpoints.assembly)), endpoints.assembly);
  const front = { ...resources, functions: resources.functions.filter(({ hasUrl }) => hasUrl) };
  const functions = await startFunctions(front, endpoints, settings, parts, observer);
  return { url: await openUrl(front, functions, settings), endpoints, demo: { keys, organizations } };
}

/** The catalog of this machine, and the address of the demo provider that plays the providers without a key. */
async function openCatalog(
  { catalogFile, taskWaitScale, streamWaitScale }: Settings,
  parts: AsyncDisposableStack,
): Promise<LocalCatalog & { demoProvider: string }> {
  const source = readCatalog(catalogFile);
  // A catalog of one's own gets no model of ours.
  const isShipped = catalogFile === defaultCatalog;
  const { url, stop } = await startDemoProvider({
    taskScale: taskWaitScale,
    streamScale: streamWaitScale,
    providers: [...Object.keys(source.providers), ...(isShipped ? demoProviders : [])],
  });
  parts.defer(stop);
  const local = localCatalog(source, url, process.env);
  return { ...(isShipped ? withDemoModels(local, url) : local), demoProvider: url };
}

interface ChartParts extends Pick<ViewOptions, "template" | "log" | "gatewayUrl"> {
  settings: Pick<Settings, "port" | "dashboardPort">;
  sqs: Pick<Sqs, "depths">;
}

/** Opens the dashboard, and gives what counts invocations for it. */
async function openCharts(
  { settings: { port, dashboardPort }, sqs, ...view }: ChartParts,
  parts: AsyncDisposableStack,
): Promise<{ sampler: Sampler; dashboard: string }> {
  const metrics = new Metrics();
  const sampler = new Sampler(metrics, sqs.depths);
  const wished = port === 0 || port === 65_535 ? 0 : port + 1;
  const { url, stop } = await openDashboard({
    ...view,
    ...{ metrics, sampler, port: dashboardPort ?? wished, isPortFixed: dashboardPort !== undefined },
  });
  parts.defer(stop);
  return { sampler, dashboard: url };
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

/** Functions load with the address of Step Functions in their environment, so its machines wait for the functions. */
async function openStates(
  resources: StackResources,
  machines: { scale: number; isChecked: boolean },
  loaded: Promise<Functions>,
  parts: AsyncDisposableStack,
  { warn }: Observer,
): Promise<StepFunctions> {
  const started = await startStepFunctions(resources, {
    invoke: async (name, event) => await functionNamed(await loaded, name).invoke(event),
    ...machines,
    warn,
  });
  parts.defer(started.stop);
  return started;
}

function openAws({ dynamodb, sqs, secrets }: Endpoints): Aws {
  return createAws({
    region,
    credentials: () => localCredentials,
    endpoints: { dynamodb, sqs, secretsmanager: secrets },
    attemptsMax: 3,
    timeoutMs: 10_000,
  });
}

/** The stack has one public function. */
async function openUrl(
  resources: StackResources,
  functions: Functions,
  { port, release }: Place,
): Promise<string> {
  const front = resources.functions.find(({ hasUrl }) => hasUrl);
  if (!front) throw new Error("template: there is no function URL");
  await release();
  return await functionNamed(functions, front.name).listen(port);
}
