/**
 * A video task (contract §2.6, §3) and the store that keeps it. Every write names the state it leaves, so
 * that two pollers, a cancel and a sweep can come in any order and exactly one of them ends the task.
 */
import type { BillingMode } from "../accounts/account.ts";
import type { PinnedPrice } from "../billing/pricing/price.ts";
import type { UsageEvent } from "../ledger/usage-event.ts";
import type { Settlement } from "../meters/meter.ts";

export const taskStatuses = ["queued", "running", "succeed", "failed", "cancelled", "expired"] as const;
export type TaskStatus = (typeof taskStatuses)[number];

/** Where a task stands with its provider. From `submitting` on, nobody but who marked it may send it. */
export type Submission = "unsubmitted" | "submitting" | "submitted";

/** What the task holds on its meter until it is settled. */
export interface TaskHold {
  meter: string;
  shard: number;
  mode: BillingMode;
  /** Pay-as-you-go: a decimal string of points. */
  points: string;
  /** Subscriptions: the quota month one call was taken from. */
  period: string;
  /** The key, as `limitedName` has it, where it has limits of its own. */
  key?: string;
  /** Where the key has a budget: the counter it takes from, and so many points, a decimal string. */
  budget?: string;
  budget_points?: string;
}

export interface Task {
  id: string;
  organization: string;
  project: string;
  key: string;
  user: string | null;
  /** The full id of our model. */
  model: string;
  status: TaskStatus;
  /** What was asked, defaults filled in; on success, what the provider made. */
  resolution: string;
  ratio: string;
  /** Whole seconds; null where frames were asked for. */
  duration: number | null;
  frames: number | null;
  draft: boolean | null;
  /** Unix milliseconds. */
  created_at: number;
  updated_at: number;
  submission: Submission;
  /** Who is submitting: an owner's mark, so that a repeated answer is told from another's. "" before. */
  mark: string;
  /** The channel that took the task, and its id there. */
  upstream: { provider: string; model: string; id: string } | null;
  price: PinnedPrice;
  hold: TaskHold;
  /** Whether the hold is settled: in every final state but an `expired` one that awaits a verdict. */
  settled: boolean;
  video_url: string | null;
  error: { code: string; message: string } | null;
  /** Executions started beyond the first. */
  repairs: number;
}

/** Whether a status is an end. */
export function isFinal(status: TaskStatus): boolean {
  return status !== "queued" && status !== "running";
}

/** What a write changes of a task. */
export type TaskChange = Partial<
  Pick<
    Task,
    | "status"
    | "submission"
    | "mark"
    | "upstream"
    | "resolution"
    | "ratio"
    | "duration"
    | "frames"
    | "video_url"
    | "error"
    | "repairs"
    | "updated_at"
  >
>;

/** What a write came to, and the task as it is now. */
export interface Changed {
  done: boolean;
  task: Task;
}

/** The store of tasks. Reads are strongly consistent. */
export interface Tasks {
  /** Puts a new task and its request; false when its place was barred, and nothing may run for it. */
  create(task: Task, request: Buffer): Promise<boolean>;
  find(organization: string, id: string): Promise<Task | undefined>;
  /** The request as it is sent to a provider, but for the model's name. */
  request(task: Task): Promise<Buffer>;
  /** An organization's tasks created at or after `from`, Unix milliseconds: the newest, newest first, at most so many. */
  list(organization: string, from: number, most: number): Promise<Task[]>;
  /** Changes a task if it is still where it was read: status, submission, mark, and the count it counts up. */
  change(task: Task, change: TaskChange): Promise<Changed>;
  /**
   * The same in one transaction with the end of the hold, the ledger's entry and its rollups, for a task
   * whose hold is not settled yet.
   */
  settle(task: Task, change: TaskChange, event: UsageEvent, settlement: Settlement): Promise<Changed>;
  /** Gives back a hold whose task was never put, and sees to it that it never will be; false if there is one. */
  bar(hold: TaskHold, organization: string, id: string): Promise<boolean>;
  /** Gives back a hold whose task cannot come any more; false when it is gone already. */
  release(hold: TaskHold, id: string): Promise<boolean>;
}
