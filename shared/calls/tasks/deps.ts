/** Everything that the tasks touch beyond their arguments. */

import type { AccessDeps } from "../access/deps.ts";
import type { ProviderTask } from "../protocols/ark-video/answers.ts";
import type { Boards } from "../routing/board.ts";
import type { TaskTelling } from "../telemetry/trace.ts";
import type { AccountReason } from "../upstreams/account.ts";
import type { Candidate } from "../upstreams/channels.ts";
import type { TakenTask } from "./own-keys.ts";
import type { Task, Tasks } from "./task.ts";

/** What became of a task that was sent to a channel. */
export type TaskCreation =
  | { kind: "created"; id: string }
  /** The provider refuses the request itself. The error is redacted. */
  | { kind: "refused"; error: { code: string; message: string } }
  /** It is certain that nothing was created. `account`: why the provider refuses the account of the key. */
  | { kind: "nothing"; reason: string; status?: number; account?: AccountReason | undefined }
  /** The provider may have created the task, which must never be sent again. */
  | { kind: "uncertain"; reason: string };

/** The tasks at their providers. It never rejects: an answer says where something cannot be known. */
export interface Renderer {
  /** Whether a channel has an address and a credential. True also where that cannot be found out now. */
  reaches(channel: Pick<TaskChannel, "provider" | "own">): Promise<boolean>;
  create(
    channel: Pick<TaskChannel, "provider" | "model" | "own">,
    request: Buffer,
    task: Pick<Task, "organization" | "trace">,
  ): Promise<TaskCreation>;
  /** The task as its provider reports it. `unknown` also where the provider does not answer, or knows no such task. */
  read(taken: TakenTask): Promise<ProviderTask>;
  /** True only where the provider has confirmed it. */
  cancel(taken: TakenTask): Promise<boolean>;
}

/** A channel that takes tasks, at this base URL. */
export type TaskChannel = Candidate<string>;

/** The state machine that drives the tasks. Each task has one running execution at a time. */
export interface Workflow {
  /** Starts the execution of this name, or finds it running. False where it has ended. */
  start(task: Pick<Task, "id" | "organization">, name: string): Promise<boolean>;
  stop(name: string): Promise<void>;
}

/** How long a task may wait for its provider to end it (design §4 "Video task"). */
export interface TaskLifetime {
  lifetimeSeconds: number;
}

export interface WorkerDeps extends Pick<AccessDeps, "catalog" | "log" | "now"> {
  tasks: Tasks;
  provider: Renderer;
  /** Which channels an operator has taken out. */
  boards: Pick<Boards, "read">;
  /** Tells OpenTelemetry of tasks that have ended, where a collector is named. Only the worker has it. */
  telling?: Promise<TaskTelling | undefined> | undefined;
}

/** What the routes need. */
export interface TaskDeps extends WorkerDeps, Pick<AccessDeps, "meters" | "refusals" | "rushes"> {
  workflow: Workflow;
  sleep: (milliseconds: number) => Promise<void>;
}
