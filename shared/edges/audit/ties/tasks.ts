/** The table `tasks`: which invariant covers which field. */
import type { Task } from "../../../calls/tasks/task.ts";
import { passing, saidOnce, shownNowhere, type TableKinds, type Ties } from "./tie.ts";

/** The hold as `StoredTask` of edges/store/tasks.ts has it. */
interface StoredHold {
  meter: string;
  shard: number;
  mode: string;
  period: string;
  key: string;
  points: string;
  budget: string;
  budget_points: string;
  calls: number;
  day_points: string;
}

const task: Ties<Omit<Task, "hold"> & { hold: StoredHold }> = {
  call_points: ["tasks_match_ledger"],
  id: ["tasks_match_ledger"],
  organization: ["tasks_match_ledger"],
  project: ["tasks_match_ledger"],
  key: ["tasks_match_ledger"],
  user: ["tasks_match_ledger"],
  model: ["tasks_match_ledger"],
  price: { price: saidOnce, discount_rate: saidOnce, version: ["tasks_match_ledger"] },
  status: ["tasks_match_ledger"],
  resolution: ["tasks_match_ledger"],
  ratio: saidOnce,
  duration: ["tasks_match_ledger"],
  frames: saidOnce,
  draft: saidOnce,
  created_at: ["tasks_match_ledger"],
  updated_at: saidOnce,
  submission: ["tasks_match_ledger"],
  mark: shownNowhere,
  upstream: ["tasks_match_ledger"],
  hold: {
    meter: ["tasks_match_ledger"],
    shard: ["tasks_match_ledger"],
    mode: ["tasks_match_ledger"],
    period: saidOnce,
    key: saidOnce,
    points: saidOnce,
    budget: saidOnce,
    budget_points: saidOnce,
    calls: saidOnce,
    day_points: saidOnce,
  },
  settled: ["tasks_match_ledger"],
  video_url: saidOnce,
  error: ["tasks_match_ledger"],
  repairs: shownNowhere,
  trace: shownNowhere,
};

export const tasks: TableKinds = {
  task: { at: /^V#[^ ]+ VTK-/, ties: { ...task, barred: shownNowhere } },
  "part of a task's request": { at: /^W#/, ties: { part: passing, expires_at: passing } },
};
