/** The product's stores as one process has them, over what carries its words to AWS. */

import type { Transport } from "#shared/base/platform/aws.ts";
import type { Log } from "#shared/base/platform/log.ts";
import type { Secrets } from "#shared/base/platform/secrets.ts";
import { PrincipalCache } from "#shared/calls/access/authenticate.ts";
import { type RushDeps, Rushes } from "#shared/calls/access/rushes.ts";
import type { Deps } from "#shared/calls/gateway/deps.ts";
import { createWorkflow } from "#shared/calls/tasks/workflow.ts";
import { growWallet } from "#shared/edges/jobs/shards.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { createBoards } from "#shared/edges/store/board.ts";
import { createCacheEntries } from "#shared/edges/store/cache.ts";
import type { TableNames } from "#shared/edges/store/dynamodb/item-keys.ts";
import type { Tick } from "#shared/edges/store/joining.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createSeals } from "#shared/edges/store/ledger/seals.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { createVideoNews } from "#shared/edges/store/news/video-news.ts";
import { createWebhooks } from "#shared/edges/store/news/webhooks.ts";
import { createRefusedCalls } from "#shared/edges/store/refused-calls.ts";
import { createReplays } from "#shared/edges/store/replays.ts";
import { openSemanticPorts } from "#shared/edges/store/semantic-ports.ts";
import { createTasks } from "#shared/edges/store/tasks.ts";
import { createThresholds } from "#shared/edges/store/thresholds.ts";
import { createUsageQueue } from "#shared/edges/store/usage-queue.ts";
import { noWebhooks, type Webhook } from "#shared/people/news/webhook.ts";
import { awsOver } from "#test/support/aws-over.ts";
import type { Ports } from "./mutation.ts";

/** The queue of lessons. */
export const lessonQueue = "lessons";

/** What all keys are hashed with at first. */
export const pepper = "pepper";

/** The ways of a process to AWS. */
interface Ways {
  tables: Transport;
  queue: Transport;
  board: Transport;
  /** Whether it tells webhooks how videos end, as the worker and the sweep do. */
  tells: boolean;
}

/**
 * As `functions/deps.ts` has them: four tries of the tables, two quick ones of the queue, and one of board and cache. What
 * is asked until a `tick` is joined.
 */
export function createPorts(
  tables: TableNames,
  ways: Ways,
  secrets: Pick<Secrets, "peppers">,
  now: () => number,
  tick: Tick,
): Ports {
  const aws = awsOver(ways.tables, 4);
  const queueAws = awsOver(ways.queue, 2);
  const onceAws = awsOver(ways.board, 1);
  return {
    accounts: createAccounts(aws, tables),
    meters: createMeters(aws, tables, tick),
    ledger: createLedger(aws, tables, now),
    seals: createSeals(aws, tables),
    replays: createReplays(aws, tables),
    refusedCalls: async () => createRefusedCalls(onceAws, tables),
    // A tick here may last longer than a call waits for its look-up, and the product's ends with a turn of its loop.
    cache: createCacheEntries(onceAws, tables, (act) => act()),
    semantic: async () => openSemanticPorts(onceAws, tables, lessonQueue, secrets),
    queue: createUsageQueue(queueAws, "queue", tick),
    tasks: createTasks(
      aws,
      tables,
      now,
      undefined,
      ways.tells ? createVideoNews(aws, tables, now) : undefined,
    ),
    thresholds: createThresholds(aws, tables),
    boards: createBoards(onceAws, tables),
    workflow: createWorkflow(aws, "arn:aws:states:x:0:stateMachine:video"),
  };
}

/** Gives an organization a webhook that is told how its videos end. */
export async function giveVideoWebhook(
  tables: TableNames,
  way: Transport,
  organization: string,
  at: number,
): Promise<void> {
  const webhook: Webhook = {
    ...{ id: "whk_1", url: "https://hooks.example", kinds: ["video_ended"], disabled: null },
    ...{ since: at, created_at: at, secrets: [], failing_since: null },
  };
  await createWebhooks(awsOver(way, 1), tables).change(noWebhooks(organization), [webhook], undefined, at);
}

/** What a gateway process knows of keys, and does where calls rush at a wallet. */
export function createRushes(ports: Ports, log: Log, now: () => number): Pick<Deps, "keys" | "rushes"> {
  const keys = new PrincipalCache();
  const grow: RushDeps["grow"] = ({ organization, shards }, throttled) =>
    growWallet(organization, { shards, throttled }, ports);
  return { keys, rushes: new Rushes({ keys, grow, log, now }) };
}
