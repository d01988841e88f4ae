/** A video task (contract §2.6, §3) and its store. Writes name the state that they change, so one of them ends it. */

import type { OwnKey } from "../../books/accounts/own-key.ts";
import type { UsageEvent } from "../../books/ledger/usage-event.ts";
import type { CallIdentity, PlacedHold, Settlement } from "../../books/meters/hold.ts";
import type { OwnTerms } from "../upstreams/own-terms.ts";

export const taskStatuses = ["queued", "running", "succeed", "failed", "cancelled", "expired"] as const;
export type TaskStatus = (typeof taskStatuses)[number];

/** Where a task stands with its provider. From `submitting` on, only the process that marked the task may send it. */
type Submission = "unsubmitted" | "submitting" | "submitted";

/** The keys of an organization at the providers of a task's model, and the terms on which they serve. */
export interface TaskKeys extends Pick<OwnTerms, "fee" | "leads"> {
  keys: OwnKey[];
}

export interface Task
  extends Pick<
    CallIdentity,
    "id" | "organization" | "project" | "key" | "user" | "tags" | "model" | "price" | "call_points" | "spread"
  > {
  status: TaskStatus;
  /** What was asked for, with defaults filled in; on success, what the provider made. */
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
  /** The mark of the process that is submitting, which tells its own write from another's. "" before. */
  mark: string;
  /** The providers that may take it with a key of ours, where policies or an own key forbid others. Absent: all of them. */
  providers?: string[];
  /**
   * The organization's own keys that may make it, as they were at its creation. Once it is settled there are none, because
   * nobody asks about it any more. Absent: it had none for the model.
   */
  own?: TaskKeys;
  /** The channel that took the task, and its id there. `own_key`: it was called with the organization's own key. */
  upstream: { provider: string; model: string; id: string; own_key?: true } | null;
  /** What the task holds on its meter until it is settled. */
  hold: PlacedHold;
  /** Whether the hold is settled. It is in every final state, except `expired` until an operator decides. */
  settled: boolean;
  video_url: string | null;
  error: { code: string; message: string } | null;
  /** Executions started beyond the first. */
  repairs: number;
  /** The headers that tell the task's place in the trace of its creation, where that is traced. */
  trace?: Record<string, string>;
}

/** Whether a status is an end. */
export function isFinal(status: TaskStatus): boolean {
  return status !== "queued" && status !== "running";
}

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
    | "own"
  >
>;

/** Whether a write was done, and the task as it is now. */
export interface Changed {
  done: boolean;
  task: Task;
}

/** The store of tasks. Reads are strongly consistent. */
export interface Tasks {
  /** Writes a new task and its request. False where the task was barred: then nothing may run for it. */
  create(task: Task, request: Buffer): Promise<boolean>;
  find(organization: string, id: string): Promise<Task | undefined>;
  /** The request as it is sent to a provider, except for the model's name. */
  request(task: Task): Promise<Buffer>;
  /** An organization's newest tasks since `from` (Unix milliseconds): newest first, at most `most`. */
  list(organization: string, from: number, most: number): Promise<Task[]>;
  /** Changes a task if its status, submission, mark and number of repairs are still as they were read. */
  change(task: Task, change: TaskChange): Promise<Changed>;
  /** The same, in one transaction with the end of its hold, if not settled yet, and the ledger's entry and rollups. */
  settle(task: Task, change: TaskChange, event: UsageEvent, settlement: Settlement): Promise<Changed>;
  /** Gives back the hold of a task that was never written, and bars it from being written. False where there is one. */
  bar(hold: PlacedHold, organization: string, id: string): Promise<boolean>;
  /** Gives back a hold whose task can no longer be written. False where the hold is gone already. */
  release(hold: PlacedHold, id: string): Promise<boolean>;
}
