/** Where a mutant sits: around the ports of a process, never in the product. */

import type { HttpRequest } from "#shared/base/http/message.ts";
import type { Transport } from "#shared/base/platform/aws.ts";
import type { Send } from "#shared/base/platform/http-client.ts";
import type { Peppers } from "#shared/base/platform/pepper.ts";
import type { Accounts } from "#shared/books/accounts/account.ts";
import type { Meters } from "#shared/books/meters/meter.ts";
import type { RefusedCalls } from "#shared/calls/access/refused-calls.ts";
import type { Replays } from "#shared/calls/access/replays.ts";
import type { CacheEntries } from "#shared/calls/cache/entries.ts";
import type { SemanticPorts } from "#shared/calls/cache/semantic/ports.ts";
import type { Boards } from "#shared/calls/routing/board.ts";
import type { Workflow } from "#shared/calls/tasks/deps.ts";
import type { Tasks } from "#shared/calls/tasks/task.ts";
import type { LedgerStore } from "#shared/edges/store/ledger/ledger.ts";
import type { SealStore } from "#shared/edges/store/ledger/seals.ts";
import type { UsageQueue } from "#shared/edges/store/usage-queue.ts";
import type { ThresholdStore } from "#shared/people/thresholds/state.ts";

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
  thresholds: ThresholdStore;
}

interface Message {
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
