/** Where a mutant sits: around the ports of a process, never in the product. */

import type { RefusedCalls } from "#shared/access/refused-calls.ts";
import type { Replays } from "#shared/access/replays.ts";
import type { Accounts } from "#shared/accounts/account.ts";
import type { CacheEntries } from "#shared/cache/entries.ts";
import type { SemanticPorts } from "#shared/cache/semantic/ports.ts";
import type { HttpRequest } from "#shared/http/message.ts";
import type { Meters } from "#shared/meters/meter.ts";
import type { Transport } from "#shared/platform/aws.ts";
import type { Send } from "#shared/platform/http-client.ts";
import type { Peppers } from "#shared/platform/pepper.ts";
import type { Boards } from "#shared/routing/board.ts";
import type { LedgerStore } from "#shared/store/ledger/ledger.ts";
import type { SealStore } from "#shared/store/ledger/seals.ts";
import type { UsageQueue } from "#shared/store/usage-queue.ts";
import type { Workflow } from "#shared/tasks/deps.ts";
import type { Tasks } from "#shared/tasks/task.ts";

export type Role = "gateway" | "learner" | "settle" | "sweep" | "seal" | "worker" | "operator";

/** What the processes act by. */
export interface Ports {
  accounts: Accounts;
  meters: Meters;
  ledger: LedgerStore;
  seals: SealStore;
  replays: Replays;
  refusedCalls(): Promise<RefusedCalls>;
  cache: CacheEntries;
  semantic(): Promise<SemanticPorts>;
  queue: UsageQueue;
  tasks: Tasks;
  workflow: Workflow;
  boards: Boards;
}

export interface Message {
  id: string;
  body: string;
}

/** A change of what the product does, made of wrappers. One is made for each world. */
export interface Mutation {
  /** Changes what a process says to AWS, below the retries. */
  transport?(inner: Transport, role: Role): Transport;
  /** Replaces ports of a process. */
  ports?(inner: Ports, role: Role): Partial<Ports>;
  /** Changes what a gateway sees of a client's request. */
  request?(request: HttpRequest): HttpRequest;
  /** Changes what the embedder and the judge answer. */
  models?(inner: Send): Send;
  /** Changes what a process reads of the pepper. */
  peppers?(inner: Peppers): Peppers;
  /** Is shown a batch of messages before it is settled. */
  messages?(batch: Message[]): Message[];
}

export const noMutation: Mutation = {};
