/**
 * What each function needs, built once per cold start from the environment alone. The learner's is in learner.ts, and
 * that of the schedules in sweep-deps.ts.
 */

import { join } from "node:path";
import catalogFile from "#catalog" with { type: "json" };
import {
  type Aws,
  type AwsOptions,
  awsOptionsFromEnv,
  createAws,
  type Transport,
} from "#shared/base/platform/aws.ts";
import { createClients } from "#shared/base/platform/aws-clients.ts";
import { dynamoDb } from "#shared/base/platform/clients/dynamodb.ts";
import { secretsManager } from "#shared/base/platform/clients/secrets.ts";
import { required, variables } from "#shared/base/platform/env.ts";
import { send } from "#shared/base/platform/http-client.ts";
import { describeError, type Log, log } from "#shared/base/platform/log.ts";
import { pause } from "#shared/base/platform/pause.ts";
import { createSecrets, keptSecret, type Secrets } from "#shared/base/platform/secrets.ts";
import { ownKeyContext } from "#shared/books/accounts/own-key.ts";
import {
  type BundledCatalog,
  type ModelCatalog,
  openCatalog,
  wholePrices,
} from "#shared/books/catalog/models.ts";
import { PrincipalCache } from "#shared/calls/access/authenticate.ts";
import { Refusals } from "#shared/calls/access/refusals.ts";
import { Rushes } from "#shared/calls/access/rushes.ts";
import type { SessionPorts } from "#shared/calls/access/sessions.ts";
import type { Deps } from "#shared/calls/gateway/deps.ts";
import type { TaskDeps, TaskLifetime, WorkerDeps } from "#shared/calls/tasks/deps.ts";
import { createRenderer } from "#shared/calls/tasks/provider.ts";
import { createWorkflow } from "#shared/calls/tasks/workflow.ts";
import type { openTelemetry } from "#shared/calls/telemetry/open-telemetry.ts";
import { createOwnKeys, type OwnKeys } from "#shared/calls/upstreams/opened-keys.ts";
import type { SettleDeps } from "#shared/edges/jobs/settle.ts";
import { createCallAccounts } from "#shared/edges/store/accounts.ts";
import { createBoardReader, createBoards } from "#shared/edges/store/board.ts";
import { createCacheEntries } from "#shared/edges/store/cache.ts";
import type { TableNames } from "#shared/edges/store/dynamodb/item-keys.ts";
import { createCallLedger, createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createCallMeters } from "#shared/edges/store/meters/call-meters.ts";
import type { VideoNews } from "#shared/edges/store/news/video-news.ts";
import { createReplays } from "#shared/edges/store/replays.ts";
import { createTasks } from "#shared/edges/store/tasks.ts";
import { createUsageQueue } from "#shared/edges/store/usage-queue.ts";
import { cloudsOf } from "./clouds.ts";
import { tablesIn } from "./tables.ts";

/** The pages lie beside the bundle, in which this is its folder. */
const pages = join(import.meta.dirname, "pages");

/** The catalog beside the bundle. */
export const bundled = openCatalog(catalogFile as unknown as BundledCatalog);

/** What the process of a function gives it. */
export interface Host {
  env: NodeJS.ProcessEnv;
  log: Log;
  /** Where its credentials come from, if not from `env`. */
  credentials?: AwsOptions["credentials"] | undefined;
  /** Whether it serves many calls and lives on after each of them. */
  isServer?: boolean;
  /** The catalog that it serves; the bundled one if undefined. */
  catalog?: BundledCatalog | undefined;
  /** What takes its requests to AWS, if not the network. */
  transport?: Transport;
}

/** A process that is one function and nothing else. */
const ownProcess: Host = { env: process.env, log };

/** Counts are added once or not at all, and neither a call nor a batch waits for a board or a cache that is slow. */
const once = { attemptsMax: 1, timeoutMs: 1_000 };

/** Throws when a variable is missing, so that a wrong deploy fails at once. `tracing` is what the process has opened. */
export function gatewayDeps(host: Host = ownProcess, tracing?: Deps["tracing"]): Deps & TaskDeps {
  const { env, credentials, transport } = host;
  const catalog = host.catalog ? openCatalog(host.catalog) : bundled;
  const options = { ...awsOptionsFromEnv(env), ...(credentials && { credentials }) };
  const aws = createAws(options, transport);
  // The client waits for this acknowledgement before its last chunk, so there are two quick tries, and then the ledger.
  const queueAws = createAws({ ...options, attemptsMax: 2, timeoutMs: 1_000 }, transport);
  const onceAws = createAws({ ...options, ...once }, transport);
  const secretIds = { pepper: required("pepperSecret", env), providers: required("providersSecret", env) };
  const secrets = createSecrets(aws, secretIds, host.log);
  const tables = tablesIn(["keys", "counters", "ledger", "tasks", "board", "cache"], env);
  const lessonQueue = required("lessonQueue", env);
  const keys = new PrincipalCache();
  const ownKeys = openedKeys(queueAws);
  const boards = createBoards(onceAws, tables);
  return {
    keys,
    ...workerPorts(aws, tables, { secrets, ownKeys, boards }, host.log, catalog),
    workflow: createWorkflow(aws, required("videoWorkflow", env)),
    sleep: pause,
    accounts: createCallAccounts(aws, tables),
    meters: createCallMeters(aws, tables),
    ledger: createCallLedger(aws, tables, Date.now, wholePrices(catalog)),
    queue: createUsageQueue(queueAws, required("usageQueue", env)),
    replays: createReplays(aws, tables),
    boards,
    refusals: new Refusals(),
    rushes: new Rushes({
      keys,
      async grow(wallet, throttled) {
        const { growRushedWallet } = await import("./wallet-growth.ts");
        await growRushedWallet(aws, tables, wallet, throttled);
      },
      log: host.log,
      now: Date.now,
    }),
    refusedCalls: async () => {
      const { createRefusedCalls } = await import("#shared/edges/store/refused-calls.ts");
      return createRefusedCalls(onceAws, tables);
    },
    cache: createCacheEntries(onceAws, tables),
    semantic: async () => {
      const { openSemanticPorts } = await import("#shared/edges/store/semantic-ports.ts");
      return openSemanticPorts(onceAws, tables, lessonQueue, secrets);
    },
    sessions: sessionsPort(aws, host),
    send,
    secrets,
    clouds: cloudsOf(options, env),
    ownKeys,
    pages,
    tracing: tracing ?? startTelemetry(host, aws)?.then((telemetry) => telemetry?.tracing),
  };
}

/**
 * Telemetry of a process; undefined where no collector is named (shared/calls/telemetry/README.md). With wrong settings
 * the promise gives undefined, and a log line says what is wrong: calls are served then.
 */
function startTelemetry(
  { env, log, isServer = false }: Host,
  aws: Aws,
): Promise<ReturnType<typeof openTelemetry> | undefined> | undefined {
  if (!env.OTEL_EXPORTER_OTLP_ENDPOINT) return undefined;
  const id = env[variables.telemetrySecret];
  const open = async () => {
    const { openTelemetry: opened } = await import("#shared/calls/telemetry/open-telemetry.ts");
    const readHeaders = id ? keptSecret(aws, id, log) : undefined;
    return opened({ env, isServer, readHeaders }, { fetch, log, now: Date.now });
  };
  return open().catch((error: unknown) => {
    log("error", "telemetry_off", { error: describeError(error) });
    return undefined;
  });
}

/** How the gateway opens sessions. Without the table of accounts or its secret it takes none. */
function sessionsPort(aws: Aws, { env, log: hostLog }: Host): Deps["sessions"] {
  const [accounts, secret] = [env[variables.accountsTable], env[variables.accountsSecret]];
  if (!accounts || !secret) return undefined;
  let opened: SessionPorts | undefined;
  return async () => {
    const { openSessions } = await import("./sessions.ts");
    opened ??= openSessions(aws, { accounts, ...tablesIn(["keys", "counters"], env) }, secret, hostLog);
    return opened;
  };
}

/** What the worker of the video tasks needs. */
export function workerDeps(): WorkerDeps & TaskLifetime {
  const aws = createClients({ dynamodb: dynamoDb, secretsmanager: secretsManager });
  const secrets = createSecrets(aws, { providers: required("providersSecret") }, log);
  const telling = startTelemetry(ownProcess, aws)?.then((telemetry) => telemetry?.telling);
  const tables = tablesIn(["tasks", "counters", "ledger", "accounts", "board"]);
  const ownKeys = openedKeys(createAws(awsOptionsFromEnv()));
  const boards = createBoardReader(aws, tables);
  const ports = workerPorts(aws, tables, { secrets, ownKeys, boards }, log, bundled);
  const tasks = createTasks(aws, tables, Date.now, wholePrices(bundled), videoNews(aws, tables));
  return { ...ports, tasks, ...taskLifetime(), telling };
}

/** Organizations' own keys, opened by KMS with the first call that needs each. */
function openedKeys(aws: Aws): OwnKeys {
  return createOwnKeys(async (organization, { provider, sealed }) => {
    const { unseal } = await import("#shared/base/platform/envelope.ts");
    return await unseal(aws, sealed, ownKeyContext(organization, provider));
  }, Date.now);
}

/** What tells webhooks how videos end. It is loaded with the first end, because a start need not wait for it. */
export function videoNews(aws: Aws, tables: Pick<TableNames, "accounts">): VideoNews {
  return {
    async linesOf(...ended) {
      const { createVideoNews } = await import("#shared/edges/store/news/video-news.ts");
      return await createVideoNews(aws, tables, Date.now).linesOf(...ended);
    },
  };
}

/** How long tasks may wait, as the stage says. */
export function taskLifetime(): TaskLifetime {
  return { lifetimeSeconds: Number(required("taskLifetime")) };
}

function workerPorts(
  aws: Aws,
  tables: Parameters<typeof createTasks>[1],
  {
    secrets,
    ownKeys,
    boards,
  }: { secrets: Pick<Secrets, "provider">; ownKeys: OwnKeys; boards: WorkerDeps["boards"] },
  log: Log,
  catalog: ModelCatalog,
): WorkerDeps {
  const tasks = createTasks(aws, tables, Date.now, wholePrices(catalog));
  const provider = createRenderer({ catalog, secrets, ownKeys, log });
  return { tasks, provider, boards, catalog, log, now: Date.now };
}

/** What the settling function needs. */
export function settleDeps(): SettleDeps {
  const options = awsOptionsFromEnv();
  const aws = createAws(options);
  const onceAws = createAws({ ...options, ...once });
  const tables = tablesIn(["ledger", "counters", "board", "cache"]);
  const statistics: SettleDeps["statistics"] = {
    async add(addition) {
      const { createCacheStatistics } = await import("#shared/edges/store/cache-statistics.ts");
      await createCacheStatistics(onceAws, tables).add(addition);
    },
  };
  const metering = startTelemetry(ownProcess, aws)?.then((telemetry) => telemetry?.metering);
  const ledger = createLedger(aws, tables, Date.now, wholePrices(bundled));
  return { ledger, boards: createBoards(onceAws, tables), statistics, metering, log, now: Date.now };
}
