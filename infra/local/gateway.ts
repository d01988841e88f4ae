/** The whole local gateway: every resource of the synthesized stack on its stand-in, and nothing else. */
import { join } from "node:path";
import type { Catalog } from "#shared/catalog/catalog.ts";
import { type Aws, createAws } from "#shared/platform/aws.ts";
import { defaultCatalog } from "../default-catalog.ts";
import { startDemoProvider } from "./demo-provider.ts";
import { createTables, type DynamoDb, startDynamoDb } from "./dynamodb.ts";
import { type EventSourcePoller, startEventSource } from "./event-source.ts";
import { environmentOf, localCredentials } from "./function-environment.ts";
import { type LocalFunction, startFunction } from "./lambda.ts";
import { demoProviders, localCatalog, readCatalog, withDemoModels } from "./local-catalog.ts";
import { openLog } from "./log-file.ts";
import { startOnThisThread } from "./one-thread.ts";
import { openPersistence, type Persistence, secretValues } from "./persistence.ts";
import { type Demo, type Endpoints, endpointsOf, readReadyFile } from "./ready-file.ts";
import { type FunctionResource, readResources, type StackResources } from "./resources.ts";
import { startSchedule } from "./schedule.ts";
import { startSecrets } from "./secrets.ts";
import { seedDemo } from "./seed.ts";
import { isSeldom, startWhenInvoked } from "./seldom.ts";
import type { Settings } from "./settings.ts";
import { createQueues, startSqs } from "./sqs.ts";
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

/** Told of each step, and of what goes wrong later. */
export interface Observer {
  /** What is done now. */
  begin(text: string): void;
  /** What has been done since `begin`. */
  done(text: string): void;
  /** Something failed that is tried again. */
  warn(error: unknown): void;
  /** The gateway cannot go on. */
  lost(error: unknown): void;
}

/** How long calls in flight may take to end before they are cut. */
const graceMs = 1_000;

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
  const source = readCatalog(settings.catalogFile);
  // A catalog of one's own gets no model of ours.
  const isShipped = settings.catalogFile === defaultCatalog;
  const demoProvider = await startDemoProvider({
    taskScale: settings.taskWaitScale,
    streamScale: settings.streamWaitScale,
    providers: [...Object.keys(source.providers), ...(isShipped ? demoProviders : [])],
  });
  parts.defer(demoProvider.stop);
  const local = localCatalog(source, demoProvider.url, process.env);
  const { catalog, played, secrets } = isShipped ? withDemoModels(local, demoProvider.url) : local;

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
  const secretsManager = await startSecrets(values);
  parts.defer(secretsManager.stop);
  const loaded = Promise.withResolvers<Functions>();
  const machines = { scale: settings.taskWaitScale, isChecked: prepared.template !== undefined };
  const states = await openStates(resources, machines, loaded.promise, parts, observer);
  // Only what was checked is kept.
  if (settings.assembly && !prepared.template) keepAssembly(assembly, settings.assembly, taskLifetimeSeconds);
  const endpoints = endpointsOf(
    {
      dynamodb: dynamoDb.endpoint,
      sqs: sqs.endpoint,
      secrets: secretsManager.url,
      states: states.url,
      demoProvider: demoProvider.url,
      assembly,
      log: kept?.log ?? join(assembly, "log.jsonl"),
    },
    resources.outputs,
  );
  values.set(endpoints.providersSecretArn, JSON.stringify(secrets));
  const aws = openAws(endpoints);
  await createTables(aws, resources.tables);
  await createQueues(aws, resources.queues);
  observer.done(`${resources.tables.length} tables and ${resources.queues.length} queues created`);

  observer.begin("loading the functions, and making demo organizations");
  const functions = await startFunctions(resources, endpoints, settings, parts, observer);
  loaded.resolve(functions);
  // Executions end before the functions do; otherwise they would see a failure and try again.
  parts.defer(states.close);
  const demo = await seedDemo({
    aws,
    tables: endpoints.tables,
    pepper: values.get(endpoints.pepperSecretArn) ?? "",
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
  const url = await openUrl(resources, functions, settings);
  startSchedules(resources, functions, parts, observer);
  return { url, endpoints, demo, catalog, played };
}

/** Starts another gateway function, with a URL of its own, on the stand-ins of a gateway that already runs. */
export async function attachGateway(
  readyFile: string,
  settings: Pick<Settings, "isolated"> & Place,
  parts: AsyncDisposableStack,
  observer: Observer,
): Promise<Pick<Gateway, "url" | "endpoints" | "demo">> {
  const { endpoints, keys, organizations } = readReadyFile(readyFile);
  const resources = readResources(readTemplate(templateIn(endpoints.assembly)), endpoints.assembly);
  const front = { ...resources, functions: resources.functions.filter(({ hasUrl }) => hasUrl) };
  const functions = await startFunctions(front, endpoints, settings, parts, observer);
  return { url: await openUrl(front, functions, settings), endpoints, demo: { keys, organizations } };
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

type Functions = ReadonlyMap<string, LocalFunction>;

/** Threads that neither calls nor their usage events keep busy are started when they are needed. */
async function startFunctions(
  { functions, eventSources }: StackResources,
  endpoints: Endpoints,
  { isolated }: Pick<Settings, "isolated">,
  parts: AsyncDisposableStack,
  { lost }: Observer,
): Promise<Functions> {
  const onOutput = openLog(endpoints.log);
  const start = (resource: FunctionResource): LocalFunction | Promise<LocalFunction> => {
    const { hasUrl } = resource;
    const environment = environmentOf(resource.environment, endpoints);
    if (hasUrl && !isolated) return startOnThisThread(resource, endpoints.assembly, environment, onOutput);
    const begin = () => startFunction(resource, environment, lost, process.stderr, onOutput);
    return isSeldom(resource, eventSources, endpoints.usageQueueUrl) ? startWhenInvoked(begin) : begin();
  };
  const started = await Promise.all(
    functions.map(async (resource): Promise<[string, LocalFunction]> => {
      const local = await start(resource);
      parts.defer(() => local.stop(graceMs));
      return [resource.name, local];
    }),
  );
  return new Map(started);
}

function functionNamed(functions: Functions, name: string): LocalFunction {
  const found = functions.get(name);
  if (!found) throw new Error(`template: there is no function ${name}`);
  return found;
}

function startEventSources(
  { eventSources }: StackResources,
  functions: Functions,
  aws: Aws,
  { queueWaitScale }: Settings,
  parts: AsyncDisposableStack,
  { warn }: Observer,
): EventSourcePoller[] {
  return eventSources.map((source) => {
    const target = functionNamed(functions, source.functionName);
    const poller = startEventSource(source, aws, (event) => target.invoke(event), {
      scale: queueWaitScale,
      report: warn,
    });
    parts.defer(poller.stop);
    return poller;
  });
}

/**
 * Runs every schedule once, because all of them missed turns while nothing ran. No call of the dead process can still
 * be alive, so the sweeper may close holds of any age.
 */
async function catchUp({ schedules }: StackResources, functions: Functions): Promise<void> {
  for (const { functionName, input } of schedules.flatMap(({ targets }) => targets)) {
    await functionNamed(functions, functionName).invoke({ ...(input as object), older_than_seconds: 0 });
  }
}

function startSchedules(
  { schedules }: StackResources,
  functions: Functions,
  parts: AsyncDisposableStack,
  { warn }: Observer,
): void {
  for (const { expression, targets } of schedules) {
    const run = () => {
      for (const { functionName, input } of targets) {
        functionNamed(functions, functionName).invoke(input).catch(warn);
      }
    };
    parts.defer(startSchedule(expression, run));
  }
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
