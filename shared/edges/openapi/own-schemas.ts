/** Schemas of the gateway's own answers, by name (contract §2, contract §4.8, contract §4.9, contract §4.10). */

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
  closed(Object.fromEntries(names.map((each) => [each, count])) as Record<Name, typeof count>);

const cache = {
  CacheMonth: closed({
    object: just("cache"),
    month: such(string, { pattern: "^[0-9]{4}-[0-9]{2}$", description: "Of UTC." }),
    project: orNull(such(string, "Whose sums they are; null: the organization's.")),
    hits: counts("exact", "canonical", "semantic"),
    saved_points: such(points, "What the hits would have cost."),
    semantic: closed({
      lookups: count,
      candidates: count,
      judged: counts("confirmed", "denied"),
      audited: counts("agreed", "refuted"),
      wrong_share_below: orNull(such(number, "With 95 % confidence; null: nothing was audited.")),
      switched_off: count,
    }),
  }),
  EmptiedCache: closed({
    object: just("cache"),
    emptied: just(true),
    within_seconds: such(integer, "Until then other processes may still know the old answers."),
  }),
  CacheFeedback: closed({
    request: such(string, { minLength: 1, description: "The call's id." }),
    wrong: just(true),
  }),
  TakenFeedback: closed({
    object: just("cache_feedback"),
    request: string,
    entry: string,
    removed: such(boolean, "False: the answer was gone already."),
  }),
};

/** The filters by how calls ended. */
export const endFilters = [
  { name: "outcome", schema: oneOf(outcomes) },
  { name: "code", schema: such(string, { pattern: "^[45][0-9]{4}$", description: "Of the error." }) },
];

const reports = {
  UsageReport: closed(
    {
      from: instant,
      to: instant,
      project_id: string,
      by_model: list(object({ model: string, ...sums })),
      totals: object(sums),
    },
    {
      group_by: list(oneOf(groupDimensions)),
      groups: list(object(sums, {}, "The sums, beside the value of each dimension.")),
    },
  ),
  Balance: closed({ balance_points: points }),
  ...callSchemas,
};

const task = {
  id: such(string, { pattern: "^VTK-" }),
  model: string,
  status: oneOf(taskStatuses),
  created_at: instant,
};
const made = closed({ video_url: string });

const tasks = {
  CreatedTask: closed({ ...task, status: just("queued") }),
  Task: closed(
    { ...task, updated_at: instant },
    {
      resolution: string,
      ratio: string,
      duration: integer,
      frames: integer,
      draft: boolean,
      result: made,
      content: such(made, "The same, where the vendor's clients look for it."),
      error: closed({ code: string, message: string }),
    },
  ),
  TaskList: closed({ items: list(ref("Task")), total: integer }),
  CancelledTask: closed({ id: string, status: just("cancelled") }),
};

const pages = {
  Welcome: closed({
    name: string,
    version: string,
    links: closed({ docs: string, openapi: string, models: string, health: string }),
  }),
  Health: closed(
    { status: oneOf(["ok", "draining"]), checked: list(string), not_checked: list(string) }, // What the bundle has in it. A process that cannot read that serves without saying it.
    { version: string, catalog: closed({ version: string, digest: string }) },
  ),
};

export const ownSchemas = {
  ...modelSchemas,
  ...keySchemas,
  ...cache,
  ...reports,
  ...tasks,
  ...pages,
};
