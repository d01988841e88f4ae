/** The product's stores as one process has them, over what carries its words to AWS. */

import type { Transport } from "#shared/platform/aws.ts";
import type { Secrets } from "#shared/platform/secrets.ts";
import { createAccounts } from "#shared/store/accounts.ts";
import { createBoards } from "#shared/store/board.ts";
import { createCacheEntries } from "#shared/store/cache.ts";
import type { Tables } from "#shared/store/dynamodb/item-keys.ts";
import type { Tick } from "#shared/store/joining.ts";
import { createLedger } from "#shared/store/ledger/ledger.ts";
import { createSeals } from "#shared/store/ledger/seals.ts";
import { createMeters } from "#shared/store/meters/meters.ts";
import { createRefusedCalls } from "#shared/store/refused-calls.ts";
import { createReplays } from "#shared/store/replays.ts";
import { openSemanticPorts } from "#shared/store/semantic-ports.ts";
import { createTasks } from "#shared/store/tasks.ts";
import { createUsageQueue } from "#shared/store/usage-queue.ts";
import { createWorkflow } from "#shared/tasks/workflow.ts";
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
}

/**
 * As `functions/deps.ts` has them: four tries of the tables, two quick ones of the queue, and one of board and cache. What
 * is asked until a `tick` is joined.
 */
export function createPorts(
  tables: Tables,
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
    tasks: createTasks(aws, tables, now),
    boards: createBoards(onceAws, tables),
    workflow: createWorkflow(aws, "arn:aws:states:x:0:stateMachine:video"),
  };
}
