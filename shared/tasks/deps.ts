/** What the lifecycle of a task touches beyond its arguments. */

import type { Channel } from "../catalog/catalog.ts";
import type { Deps } from "../gateway/deps.ts";
import type { Rendering } from "../protocols/ark-video/answers.ts";
import type { Task, Tasks } from "./task.ts";

/** What sending a task to a channel came to. */
export type Creation =
  | { kind: "created"; id: string }
  /** The provider's verdict on the request itself, redacted. */
  | { kind: "refused"; error: { code: string; message: string } }
  /** It is certain that nothing was created. */
  | { kind: "nothing"; reason: string }
  /** The provider may have created it: it must never be sent again. */
  | { kind: "uncertain"; reason: string };

/** The providers' side of tasks. It never rejects: what cannot be known is said so. */
export interface Renderer {
  /** Whether a provider has an address and a credential; true also where that cannot be found out now. */
  reaches(provider: string): Promise<boolean>;
  create(channel: Channel, request: Buffer): Promise<Creation>;
  /** The task as its provider tells it; `unknown` too where it does not answer, or knows no such task. */
  read(upstream: NonNullable<Task["upstream"]>): Promise<Rendering>;
  /** True once the provider has said yes. */
  cancel(upstream: NonNullable<Task["upstream"]>): Promise<boolean>;
}

/** The state machine that drives tasks, one execution at a time for each. */
export interface Workflow {
  /** Starts the execution of this name, or finds it running; false when it has ended. */
  start(task: Pick<Task, "id" | "organization">, name: string): Promise<boolean>;
  stop(name: string): Promise<void>;
}

/** How long a task may wait for its provider's verdict (design §4 "Video task"). */
export interface TaskLifetime {
  lifetimeSeconds: number;
}

/** What a worker needs. */
export interface WorkerDeps extends Pick<Deps, "catalog" | "log" | "now"> {
  tasks: Tasks;
  provider: Renderer;
}

/** What the routes need. */
export interface TaskDeps extends WorkerDeps, Pick<Deps, "meters" | "refusals"> {
  workflow: Workflow;
  sleep: (milliseconds: number) => Promise<void>;
}
