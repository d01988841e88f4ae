/**
 * The schemas of what the gateway answers by itself (contract §2, contract §4.8, contract §4.9, contract §4.10), by
 * their names in the document.
 */

import { groupDimensions } from "../../books/reports/report-groups.ts";
import { taskStatuses } from "../../calls/tasks/task.ts";
import { outcomes } from "../api/calls.ts";
import { callSchemas, sums } from "./call-schemas.ts";
import { keySchemas } from "./key-schemas.ts";
import { modelSchemas } from "./model-schemas.ts";
import {
  boolean,
  closed,
  instant,
  integer,
  list,
  object,
  oneOf,
  orNull,
  points,
  ref,
  type Schema,
  string,
  such,
} from "./schema.ts";

const counts = (...names: string[]) =>
  closed({ required: Object.fromEntries(names.map((each) => [each, such(integer, { minimum: 0 })])) });

const cache: Record<string, Schema> = {
  CacheMonth: closed({
    required: {
      object: { const: "cache" },
      month: such(string, { pattern: "^[0-9]{4}-[0-9]{2}$", description: "Of UTC." }),
      project: orNull(such(string, "Whose sums they are; null: the organization's.")),
      hits: counts("exact", "canonical", "semantic"),
      saved_points: such(points, "What the hits would have cost."),
      semantic: closed({
        required: {
          lookups: such(integer, { minimum: 0 }),
          candidates: such(integer, { minimum: 0 }),
          judged: counts("confirmed", "denied"),
          audited: counts("agreed", "refuted"),
          wrong_share_below: orNull(
            such({ type: "number" }, "With 95 % confidence; null: nothing was audited."),
          ),
          switched_off: such(integer, { minimum: 0 }),
        },
      }),
    },
  }),
  EmptiedCache: closed({
    required: {
      object: { const: "cache" },
      emptied: { const: true },
      within_seconds: such(integer, "Until then other processes may still know the old answers."),
    },
  }),
  CacheFeedback: closed({
    required: {
      request: such(string, { minLength: 1, description: "The call's id." }),
      wrong: { const: true },
    },
  }),
  TakenFeedback: closed({
    required: {
      object: { const: "cache_feedback" },
      request: string,
      entry: string,
      removed: such(boolean, "False: the answer was gone already."),
    },
  }),
};

/** The filters by how calls ended. */
export const endFilters = [
  { name: "outcome", schema: oneOf(outcomes) },
  { name: "code", schema: such(string, { pattern: "^[45][0-9]{4}$", description: "Of the error." }) },
];

const reports: Record<string, Schema> = {
  UsageReport: closed({
    required: {
      from: instant,
      to: instant,
      project_id: string,
      by_model: list(object({ required: { model: string, ...sums } })),
      totals: object({ required: sums }),
    },
    optional: {
      group_by: list(oneOf(groupDimensions)),
      groups: list(object({ required: sums, description: "The sums, beside the value of each dimension." })),
    },
  }),
  Balance: closed({ required: { balance_points: points } }),
  ...callSchemas,
};

const task = {
  id: such(string, { pattern: "^VTK-" }),
  model: string,
  status: oneOf(taskStatuses),
  created_at: instant,
};
const made = closed({ required: { video_url: string } });

const tasks: Record<string, Schema> = {
  CreatedTask: closed({ required: { ...task, status: { const: "queued" } } }),
  Task: closed({
    required: { ...task, updated_at: instant },
    optional: {
      resolution: string,
      ratio: string,
      duration: integer,
      frames: integer,
      draft: boolean,
      result: made,
      content: such(made, "The same, where the vendor's clients look for it."),
      error: closed({ required: { code: string, message: string } }),
    },
  }),
  TaskList: closed({ required: { items: list(ref("Task")), total: integer } }),
  CancelledTask: closed({ required: { id: string, status: { const: "cancelled" } } }),
};

const pages: Record<string, Schema> = {
  Welcome: closed({
    required: {
      name: string,
      version: string,
      links: closed({ required: { docs: string, openapi: string, models: string, health: string } }),
    },
  }),
  Health: closed({
    required: { status: oneOf(["ok", "draining"]), checked: list(string), not_checked: list(string) },
    // What the bundle has in it. A process that cannot read that serves without saying it.
    optional: { version: string, catalog: closed({ required: { version: string, digest: string } }) },
  }),
};

export const ownSchemas: Readonly<Record<string, Schema>> = {
  ...modelSchemas,
  ...keySchemas,
  ...cache,
  ...reports,
  ...tasks,
  ...pages,
};
