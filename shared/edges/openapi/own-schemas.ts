/**
 * The schemas of what the gateway answers by itself (contract §2, contract §4.8, contract §4.9, contract §4.10), by
 * their names in the document.
 */

import { outcomes } from "../../books/reports/listed-call.ts";
import { groupDimensions } from "../../books/reports/report-groups.ts";
import { taskStatuses } from "../../calls/tasks/task.ts";
import { callSchemas, sums } from "./call-schemas.ts";
import { keySchemas } from "./key-schemas.ts";
import { modelSchemas } from "./model-schemas.ts";
import {
  boolean,
  closed,
  instant,
  integer,
  just,
  list,
  number,
  object,
  oneOf,
  orNull,
  points,
  ref,
  string,
  such,
} from "./schema.ts";

const count = such(integer, { minimum: 0 });
const counts = <const Name extends string>(...names: Name[]) =>
  closed({ required: Object.fromEntries(names.map((each) => [each, count])) as Record<Name, typeof count> });

const cache = {
  CacheMonth: closed({
    required: {
      object: just("cache"),
      month: such(string, { pattern: "^[0-9]{4}-[0-9]{2}$", description: "Of UTC." }),
      project: orNull(such(string, "Whose sums they are; null: the organization's.")),
      hits: counts("exact", "canonical", "semantic"),
      saved_points: such(points, "What the hits would have cost."),
      semantic: closed({
        required: {
          lookups: count,
          candidates: count,
          judged: counts("confirmed", "denied"),
          audited: counts("agreed", "refuted"),
          wrong_share_below: orNull(such(number, "With 95 % confidence; null: nothing was audited.")),
          switched_off: count,
        },
      }),
    },
  }),
  EmptiedCache: closed({
    required: {
      object: just("cache"),
      emptied: just(true),
      within_seconds: such(integer, "Until then other processes may still know the old answers."),
    },
  }),
  CacheFeedback: closed({
    required: {
      request: such(string, { minLength: 1, description: "The call's id." }),
      wrong: just(true),
    },
  }),
  TakenFeedback: closed({
    required: {
      object: just("cache_feedback"),
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

const reports = {
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

const tasks = {
  CreatedTask: closed({ required: { ...task, status: just("queued") } }),
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
  CancelledTask: closed({ required: { id: string, status: just("cancelled") } }),
};

const pages = {
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

export const ownSchemas = {
  ...modelSchemas,
  ...keySchemas,
  ...cache,
  ...reports,
  ...tasks,
  ...pages,
};
