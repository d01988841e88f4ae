/** The table `tasks`: which invariant covers which field. */
import type { Task } from "../../../calls/tasks/task.ts";
import { allPassing, rowsOf, saidOnce, shownNowhere, type TableKinds, type Tie, type Ties } from "./tie.ts";

const matched: Tie = ["tasks_match_ledger"];

/** The hold as `StoredTask` of edges/store/tasks.ts has it. */
const ofHold = rowsOf<Readonly<Record<string, unknown>>>();
const hold = {
  ...ofHold(matched, "meter shard mode"),
  ...ofHold(saidOnce, "period key points budget budgets budget_points calls day_points"),
};

const ofTask = rowsOf<Task>();
const task: Ties<Omit<Task, "hold">> = {
  ...ofTask(matched, "id organization project key user tags model status resolution duration created_at"),
  ...ofTask(matched, "submission upstream settled error call_points spread own"),
  ...ofTask(saidOnce, "ratio frames draft updated_at video_url"),
  ...ofTask(shownNowhere, "mark repairs trace providers"),
  price: { price: saidOnce, discount_rate: saidOnce, version: matched },
};

export const tasks: TableKinds = {
  task: { at: /^V#[^ ]+ VTK-/, ties: { ...task, hold, barred: shownNowhere } },
  "part of a task's request": { at: /^W#/, ...allPassing },
};
