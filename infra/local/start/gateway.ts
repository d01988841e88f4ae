/** The whole local gateway: every resource of the synthesized stack on its stand-in, and nothing else. */
import { join } from "node:path";
import { type Aws, createAws } from "#shared/base/platform/aws.ts";
import { readPeppers } from "#shared/base/platform/pepper.ts";
import type { Catalog } from "#shared/books/catalog/catalog.ts";
import { Metrics } from "../dashboard/metrics.ts";
import { Sampler } from "../dashboard/sampler.ts";
import { openDashboard } from "../dashboard/server.ts";
import type { ViewOptions } from "../dashboard/view.ts";
import { startDemoProvider } from "../demo/demo-provider.ts";
import { createTables } from "../emulators/dynamodb.ts";
import { startKms } from "../emulators/kms.ts";
import type { LocalFunction } from "../emulators/lambda.ts";
import { endingWith } from "../emulators/listen.ts";
import { startSecrets } from "../emulators/secrets.ts";
import { createQueues, type Sqs } from "../emulators/sqs.ts";
import { type StepFunctions, startStepFunctions } from "../emulators/step-functions.ts";
import { startEventBuses } from "../sandbox/events.ts";
import { openPlatforms } from "../sandbox/platforms.ts";
import { localCredentials } from "../stack/function-environment.ts";
import { type Demo, type Endpoints, endpointsOf, readReadyFile } from "../stack/ready-file.ts";
import { readResources, type StackResources } from "../stack/resources.ts";
import { templateIn } from "../stack/synthesis.ts";
import { readTemplate, region } from "../stack/template.ts";
import type { BegunStack } from "./begun-stack.ts";
import { buildStack } from "./built-stack.ts";
import { followCatalog } from "./catalog-reload.ts";
import { isShipped, readSource, sourceState } from "./catalog-source.ts";
import { consoleAddresses, openConsole, type Serving } from "./console.ts";
import { onFirstVisit } from "./first-visit.ts";
import {
  catchUp,
  type Functions,
  functionNamed,
  startEventSources,
  startFunctions,
  startSchedules,
} from "./functions.ts";
import { demoProviders, type LocalCatalog, localCatalog, withDemoModels } from "./local-catalog.ts";
import type { Observer } from "./observer.ts";
import { keepSecret, openPersistence, type Persistence, rootKey, secretValues } from "./persistence.ts";
import { seedDemo } from "./seed.ts";
import type { StartSettings } from "./settings.ts";

export interface Gateway {
  url: string;
  endpoints: Endpoints;
  demo: Demo;
  catalog: Catalog;
  /** Providers that the demo provider plays. */
  played: string[];
}

/** Where the gateway shall listen. The port is held until `release`. */
interface HeldPort {
  port: number;
  release(): Promise<void>;
}

/** Starts everything on a stack that has begun to be built. The disposal of `parts` ends everything again, in reverse order. */
export async function startGateway(
  settings: StartSettings & HeldPort,
  begun: BegunStack,
  parts: AsyncDisposableStack,
  observer: Observer,
): Promise<Gateway> {
  const kept = settings.dataDir ? await openPersistence(settings.dataDir) : undefined;
  const opened = await openCatalog(settings, begun, parts);
  const { demoProvider, catalog, played, secrets, source, localize } = opened;
  let url = "";
  let consoleUrl = "";
  const opening = openPlatforms(
    {
      consoleUrl: () => consoleUrl,
      onCode: ({ phone, email, code }) => observer.note(`The code for ${phone ?? email} is ${code}`),
    },
    parts,
  );
  const built = await buildStack(settings, { begun, catalog, kept }, parts, observer);
  const { assembly, resources, template } = built;

  observer.begin("creating tables and queues");
  let onSecret = (_arn: string): void => {};
  const secretsOpened = await openSecrets(resources, kept, (arn) => onSecret(arn), parts);
  const { values, late, url: secretsManager, kms } = secretsOpened;
  const loaded = Promise.withResolvers<Functions>();
  const states = await endingWith(parts, openStates(resources, settings, loaded.promise, observer));
  await built.complete();
  const log = kept?.log ?? join(assembly, "log.jsonl");
  const serving = Promise.withResolvers<Serving>();
  const { sampler, ...pages } = await openPages(
    { settings, sqs: built.sqs, template, log, gatewayUrl: () => url, resources, serving: serving.promise },
    parts,
    observer,
  );
  consoleUrl = pages.console;
  const { secret: platforms, ...standIns } = await opening;
  const places = { demoProvider, ...pages, ...standIns, assembly, log, catalog: settings.catalogFile };
  const stores = { dynamodb: built.dynamoDb.endpoint, sqs: built.sqs.endpoint };
  const services = { ...stores, secrets: secretsManager, kms, states: states.url };
  const endpoints = endpointsOf({ ...services, ...places }, resources.outputs);
  values.set(endpoints.providersSecretArn, JSON.stringify(secrets));
  late.set(endpoints.platformsSecretArn, platforms);
  const aws = openAws(endpoints);
  await createTables(aws, resources.tables);
  await createQueues(aws, resources.queues);
  observer.done(`${resources.tables.length} tables and ${resources.queues.length} queues created`);

  observer.begin("loading the functions, and making demo organizations");
  const { whenBundled } = built;
  const addresses = () => consoleAddresses(url, consoleUrl, standIns);
  const told = { ...settings, addresses, whenBundled };
  const functions = await startFunctions(resources, endpoints, told, parts, observer, sampler);
  loaded.resolve(functions);
  // Executions end before the functions do; otherwise they would see a failure and try again.
  parts.defer(states.close);
  const demo = await openDemo(endpoints, values, { aws, plans: catalog.plans, kept });
  observer.done("functions loaded, demo organizations made");

  const pollers = startEventSources(resources, functions, aws, settings, parts, observer);
  if (kept?.hasState) await closeLastRun(pollers, resources, functions, observer);
  url = await openUrl(resources, functions, settings);
  const keys = { arn: endpoints.providersSecretArn, values };
  const follower = followCatalog(
    { source, assembly, localize, keys, functions: withFront(resources, functions) },
    parts,
    observer,
  );
  onSecret = follower.secretChanged;
  const visit = { aws, endpoints, secrets: values, catalog, played, gatewayUrl: () => url };
  serving.resolve({ functions, onRequest: onFirstVisit(visit, parts, observer) });
  startSchedules(resources, functions, parts, observer);
  return { url, endpoints: { ...endpoints, dynamodb: built.dynamoDb.door }, demo, catalog, played };
}

/** Starts another gateway function, with a URL of its own, on the stand-ins of a gateway that already runs. */
export async function attachGateway(
  readyFile: string,
  settings: Pick<StartSettings, "isolated" | "telemetry" | "verbose"> & HeldPort,
  parts: AsyncDisposableStack,
  observer: Observer,
): Promise<Pick<Gateway, "url" | "endpoints" | "demo">> {
  const { endpoints, keys, organizations, operator_token } = readReadyFile(readyFile);
  const resources = readResources(readTemplate(templateIn(endpoints.assembly)), endpoints.assembly);
  const front = { ...resources, functions: resources.functions.filter(({ hasUrl }) => hasUrl) };
  const told = { ...settings, addresses: () => ({}), whenBundled: undefined };
  const functions = await startFunctions(front, endpoints, told, parts, observer);
  const demo = { keys, organizations, operator_token };
  return { url: await openUrl(front, functions, settings), endpoints, demo };
}

/** The catalog of this machine, and the address of the demo provider that plays the providers without a key. */
async function openCatalog(
  { catalogFile, taskWaitScale, streamWaitScale, strict }: StartSettings,
  { assembly }: Pick<BegunStack, "assembly">,
  parts: AsyncDisposableStack,
) {
  const { catalog, bases } = await readSource(catalogFile, assembly);
  const source = { path: catalogFile, bases, state: sourceState(catalogFile, bases) };
  // A catalog of one's own gets no model of ours.
  const hasDemo = isShipped(catalogFile);
  // A provider that is added later can have weather too.
  const providers = [...Object.keys(catalog.providers), ...(hasDemo ? demoProviders : [])];
  const scales = { taskScale: taskWaitScale, streamScale: streamWaitScale };
  const { url } = await endingWith(parts, startDemoProvider({ ...scales, strict, providers }));
  const localize = (read: Catalog, keys: Record<string, string>): LocalCatalog => {
    for (const name of Object.keys(read.providers)) if (!providers.includes(name)) providers.push(name);
    const local = localCatalog(read, url, { ...process.env, ...keys });
    return hasDemo ? withDemoModels(local, url) : local;
  };
  return { ...localize(catalog, {}), source, localize, demoProvider: url };
}

interface PageParts extends Pick<ViewOptions, "template" | "log" | "gatewayUrl"> {
  settings: Pick<StartSettings, "port" | "dashboardPort" | "consolePort">;
  sqs: Pick<Sqs, "depths">;
  resources: StackResources;
  /** Once the gateway answers. */
  serving: Promise<Serving>;
}

/** Opens the dashboard, the console and the page of events, and gives what counts invocations for the first. */
async function openPages(
  { settings, sqs, resources, serving, ...view }: PageParts,
  parts: AsyncDisposableStack,
  { warn }: Observer,
): Promise<{ sampler: Sampler; dashboard: string; console: string; events: string }> {
  const { port, dashboardPort } = settings;
  const metrics = new Metrics();
  const sampler = new Sampler(metrics, sqs.depths);
  const wished = port === 0 || port === 65_535 ? 0 : port + 1;
  const place = { port: dashboardPort ?? wished, isPortFixed: dashboardPort !== undefined };
  const { url } = await endingWith(parts, openDashboard({ ...view, ...place, metrics, sampler }));
  const opened = await endingWith(parts, openConsole({ ...settings, resources, serving, warn }));
  const { url: events } = await endingWith(parts, startEventBuses(resources.eventBuses));
  return { sampler, dashboard: url, console: opened.url, events };
}

interface OpenedSecrets {
  /** The secrets' values by their ARNs, and what makes those that are made late. */
  values: Map<string, string>;
  late: Map<string, () => Promise<string>>;
  /** The addresses of Secrets Manager and of KMS. */
  url: string;
  kms: string;
}

/** The secrets' values, and the addresses of what gives them out and of what seals others. */
async function openSecrets(
  { secrets }: StackResources,
  kept: Persistence | undefined,
  onChange: (arn: string) => void,
  parts: AsyncDisposableStack,
): Promise<OpenedSecrets> {
  const values = secretValues(secrets, kept?.secrets);
  const late = new Map<string, () => Promise<string>>();
  const changed = (arn: string, value: string) => {
    if (kept) keepSecret(kept.secrets, arn, value);
    onChange(arn);
  };
  const { url } = await endingWith(parts, startSecrets(values, { late, onChange: changed }));
  const { url: kms } = await endingWith(parts, startKms(rootKey(kept?.kms)));
  return { values, late, url, kms };
}

/** Functions load with the address of Step Functions in their environment, so its machines wait for the functions. */
function openStates(
  resources: StackResources,
  { taskWaitScale: scale }: StartSettings,
  loaded: Promise<Functions>,
  { warn }: Observer,
): Promise<StepFunctions> {
  const invoke = async (name: string, event: unknown) =>
    await functionNamed(await loaded, name).invoke(event);
  return startStepFunctions(resources, { invoke, scale, warn });
}

/** The demo organizations, made or as the last run left them. */
async function openDemo(
  { tables, pepperSecretArn }: Endpoints,
  secrets: ReadonlyMap<string, string>,
  { aws, plans, kept }: { aws: Aws; plans: Catalog["plans"]; kept: Persistence | undefined },
): Promise<Demo> {
  const peppers = readPeppers(secrets.get(pepperSecretArn) ?? "");
  return await seedDemo({ aws, tables, peppers, plans, ...(kept ? { file: kept.demo } : {}) });
}

/** Settles and sweeps what the last run left open. */
async function closeLastRun(
  pollers: ReturnType<typeof startEventSources>,
  resources: StackResources,
  functions: Functions,
  observer: Observer,
): Promise<void> {
  observer.begin("closing calls of the last run");
  await Promise.all(pollers.map(({ drained }) => drained));
  await catchUp(resources, functions);
  observer.done("calls of the last run closed");
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

/** The stack has one public function that streams. */
async function openUrl(
  resources: StackResources,
  functions: Functions,
  { port, release }: HeldPort,
): Promise<string> {
  const { front } = withFront(resources, functions);
  await release();
  return await front.listen(port);
}

/** The function that answers clients, and all others. */
function withFront(
  { functions: all }: Pick<StackResources, "functions">,
  functions: Functions,
): { front: LocalFunction; others: LocalFunction[] } {
  const found = all.find(({ hasUrl }) => hasUrl);
  if (!found) throw new Error("template: there is no function URL");
  const front = functionNamed(functions, found.name);
  return { front, others: [...functions.values()].filter((each) => each !== front) };
}
