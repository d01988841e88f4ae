/** The table `tasks`: which invariant covers which field. */
import type { Task } from "../../../tasks/task.ts";
import { passing, saidOnce, shownNowhere, type TableKinds, type Ties } from "./tie.ts";

/** The hold as `StoredTask` of store/tasks.ts has it. */
interface StoredHold {
  meter: string;
  shard: number;
  mode: string;
  period: string;
  key: string;
  points: string;
  budget: string;
  budget_points: string;
}

const task: Ties<Omit<Task, "hold"> & { hold: StoredHold }> = {
  id: ["tasks_end"],
  organization: saidOnce,
  project: saidOnce,
  key: saidOnce,
  user: saidOnce,
  model: saidOnce,
  price: { price: saidOnce, discount_rate: saidOnce, version: saidOnce },
  status: ["tasks_end"],
  resolution: saidOnce,
  ratio: saidOnce,
  duration: saidOnce,
  frames: saidOnce,
  draft: saidOnce,
  created_at: saidOnce,
  updated_at: saidOnce,
  submission: saidOnce,
  mark: shownNowhere,
  upstream: saidOnce,
  hold: {
    meter: saidOnce,
    shard: ["tasks_end"],
    mode: saidOnce,
    period: saidOnce,
    key: saidOnce,
    points: saidOnce,
    budget: saidOnce,
    budget_points: saidOnce,
  },
  settled: ["tasks_end"],
  video_url: saidOnce,
  error: saidOnce,
  repairs: shownNowhere,
  trace: shownNowhere,
};

export const tasks: TableKinds = {
  task: { at: /^V#[^ ]+ VTK-/, ties: { ...task, barred: saidOnce } },
  "part of a task's request": { at: /^W#/, ties: { part: passing, expires_at: passing } },
};
