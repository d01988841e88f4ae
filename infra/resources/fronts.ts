/** What answers clients: the function behind its URL, the Lambda Web Function, or a service, with the same grants. */
import { Fn } from "aws-cdk-lib";
import { FunctionUrlAuthType, InvokeMode, type WebFunction } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import type { CodeSource } from "../bundles/code.ts";
import type { CalledCatalog } from "../catalog/bedrock-models.ts";
import { SettingError } from "../stage/setting-error.ts";
import type { Stage } from "../stage/stage.ts";
import { useAzure } from "./azure-grants.ts";
import { useBedrock } from "./bedrock-grants.ts";
import { type OpenService, ServiceGateway } from "./fargate-gateway.ts";
import { acknowledgeNoDeadLetters, GatewayFunction } from "./gateway-function.ts";
import { type Grantee, useQueue, useSecret, useTable } from "./grants.ts";
import { letOpen, type SealingKey } from "./own-keys.ts";
import type { Queues } from "./queues.ts";
import type { StageSecrets } from "./secrets.ts";
import {
  auditing,
  caching,
  cachingTogether,
  consulting,
  identifying,
  intending,
  intendingTogether,
  keeping,
  pacing,
  posting,
  refusing,
  registering,
  replaying,
  type StageTables,
} from "./tables.ts";
import type { Telemetry } from "./telemetry.ts";
import type { VideoWorkflow } from "./video-workflow.ts";
import { WebGateway } from "./web-gateway.ts";

interface Parts {
  stage: Stage;
  tables: StageTables;
  secrets: StageSecrets;
  sealing: SealingKey | undefined;
  queues: Queues;
  workflow: VideoWorkflow;
  telemetry: Telemetry | undefined;
  code: CodeSource;
  catalog: CalledCatalog;
  /** The folder of the assembly. */
  outdir: string;
}

/** The function behind its URL. */
export interface UrlFront {
  gateway: GatewayFunction;
  address: string;
}

export interface WebFront {
  gateway: WebGateway;
  web: WebFunction;
  address: string;
}

export interface ServiceFront extends OpenService {
  gateway: ServiceGateway;
  address: string;
}

/** At least one of them is there. */
export interface Fronts {
  url: UrlFront | undefined;
  web: WebFront | undefined;
  service: ServiceFront | undefined;
}

/** The front whose address is the stage's own. It is the function's URL, if there is one. */
export function mainFront({ url, web, service }: Fronts): UrlFront | WebFront | ServiceFront | undefined {
  return url ?? web ?? service;
}

/** Creates the fronts of the stage. Throws `SettingError` for a service without its settings, or the other way round. */
export function createFronts(scope: Construct, parts: Parts): Fronts {
  const { front } = parts.stage;
  return {
    url: front === "url" || front === "both" ? createUrlFront(scope, parts) : undefined,
    web: front === "web" || front === "both" ? createWebFront(scope, parts) : undefined,
    service: createServiceFront(scope, parts),
  };
}

/** The host that a domain stands in front of. */
export function hostOf(fronts: Fronts): string {
  // An address is `https://HOST/`, and known when it is deployed.
  return Fn.select(2, Fn.split("/", mainFront(fronts)?.address ?? ""));
}

function createUrlFront(scope: Construct, parts: Parts): UrlFront {
  const { stage, code } = parts;
  const gateway = new GatewayFunction(scope, "Gateway", {
    name: "gateway",
    stage,
    size: stage.gateway,
    concurrency: stage.gatewayConcurrency,
    code,
  });
  letServe(gateway, parts);
  acknowledgeNoDeadLetters(gateway, "It is invoked synchronously by its URL; the caller sees the failure.");
  // The URL belongs to the alias, so it outlives every deployment.
  const { url: address } = gateway.live.addFunctionUrl({
    // Clients have API keys, and the gateway checks those itself.
    authType: FunctionUrlAuthType.NONE,
    invokeMode: InvokeMode.RESPONSE_STREAM,
    // No `cors`: the function answers browsers itself (shared/base/http/cors.ts).
  });
  return { gateway, address };
}

function createWebFront(scope: Construct, parts: Parts): WebFront {
  const { stage, code, outdir } = parts;
  const gateway = new WebGateway(scope, "WebGateway", { stage, code });
  letServe(gateway, parts);
  const web = gateway.open(outdir);
  return { gateway, web, address: `https://${web.endpoint.domainName}/` };
}

function createServiceFront(scope: Construct, parts: Parts): ServiceFront | undefined {
  const { stage, code, outdir } = parts;
  const { front, service: settings } = stage;
  if (front !== "service" || !settings) {
    if (front !== "service" && !settings) return undefined;
    throw new SettingError(
      'The front "service" and the setting "service" belong together: the second has the name and the certificate of the first (infra/resources/fronts.md).',
    );
  }
  const gateway = new ServiceGateway(scope, "ServiceGateway", { stage, settings, code });
  letServe(gateway, parts);
  return { gateway, ...gateway.open(outdir), address: `https://${settings.name}/` };
}

/** The gateway answers clients, and writes to the ledger itself when the queue does not take an event. */
function letServe(
  gateway: Grantee,
  { tables, queues, secrets, sealing, catalog, workflow, telemetry }: Parts,
): void {
  useTable(gateway, "keysTable", tables.keys, registering);
  useTable(gateway, "countersTable", tables.counters, [
    { actions: ["dynamodb:GetItem", "dynamodb:UpdateItem"] },
    intending,
    intendingTogether,
    replaying,
  ]);
  useTable(gateway, "ledgerTable", tables.ledger, [...posting, { actions: ["dynamodb:Query"] }]);
  useTable(gateway, "tasksTable", tables.tasks, [...keeping, { actions: ["dynamodb:Query"] }]);
  useTable(gateway, "accountsTable", tables.accounts, [identifying, auditing, pacing]);
  useTable(gateway, "boardTable", tables.board, [consulting]);
  useTable(gateway, "cacheTable", tables.cache, [caching, cachingTogether, refusing]);
  useQueue(gateway, "usageQueue", queues.usage.queue, ["sqs:SendMessage"]);
  useQueue(gateway, "lessonQueue", queues.lessons.queue, ["sqs:SendMessage"]);
  useSecret(gateway, "pepperSecret", secrets.pepper);
  useSecret(gateway, "providersSecret", secrets.providers);
  // Sessions are accepted beside keys. What signs them is not what platforms are paid with, which stays away from here.
  useSecret(gateway, "accountsSecret", secrets.accounts);
  if (sealing) letOpen(gateway, sealing);
  useBedrock(gateway, catalog);
  useAzure(gateway, catalog);
  workflow.letStart(gateway);
  workflow.letStop(gateway);
  telemetry?.letTell(gateway);
}
