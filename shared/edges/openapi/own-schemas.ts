/** Schemas of the gateway's own answers, by name (contract §2, contract §4.8, contract §4.9, contract §4.10). */

import { tagNamePattern, tagPairPattern } from "../../books/billing/tags.ts";
import { outcomes } from "../../books/reports/listed-call.ts";
import { groupDimensions, type TagDimension } from "../../books/reports/report-groups.ts";
import { taskStatuses } from "../../calls/tasks/task.ts";
import { callSchemas, sums } from "./call-schemas.ts";
import { keySchemas } from "./key-schemas.ts";
import { modelSchemas } from "./model-schemas.ts";
import * as s from "./schema.ts";

const count = s.such(s.integer, { minimum: 0 });
const counts = <const Name extends string>(...names: Name[]) =>
  s.closed(Object.fromEntries(names.map((each) => [each, count])) as Record<Name, typeof count>);

const cache = {
  CacheMonth: s.closed({
    object: s.just("cache"),
    month: s.such(s.string, { pattern: "^[0-9]{4}-[0-9]{2}$", description: "Of UTC." }),
    project: s.orNull(s.such(s.string, "Whose sums they are; null: the organization's.")),
    hits: counts("exact", "canonical", "semantic"),
    saved_points: s.such(s.points, "What the hits would have cost."),
    semantic: s.closed({
      lookups: count,
      candidates: count,
      judged: counts("confirmed", "denied"),
      audited: counts("agreed", "refuted"),
      wrong_share_below: s.orNull(s.such(s.number, "With 95 % confidence; null: nothing was audited.")),
      switched_off: count,
    }),
  }),
  EmptiedCache: s.closed({
    object: s.just("cache"),
    emptied: s.just(true),
    within_seconds: s.such(s.integer, "Until then other processes may still know the old answers."),
  }),
  CacheFeedback: s.closed({
    request: s.such(s.string, { minLength: 1, description: "The call's id." }),
    wrong: s.just(true),
  }),
  TakenFeedback: s.closed({
    object: s.just("cache_feedback"),
    request: s.string,
    entry: s.string,
    removed: s.such(s.boolean, "False: the answer was gone already."),
  }),
};

/** The filters by how calls ended. */
export const endFilters = [
  { name: "outcome", schema: s.oneOf(outcomes) },
  { name: "code", schema: s.such(s.string, { pattern: "^[45][0-9]{4}$", description: "Of the error." }) },
];

/** The filters by what the caller said of a call. */
export const saidFilters = [
  { name: "user", schema: s.such(s.string, { minLength: 1 }) },
  {
    name: "tag",
    schema: s.such(s.string, { pattern: `^${tagPairPattern}$`, examples: ["team=search"] }),
    description: "A tag with its value.",
  },
];

/** A report's dimension by a tag. */
export const tagDimension = s.such(s.string as s.Schema<TagDimension>, {
  pattern: `^tag:${tagNamePattern}$`,
});

const reports = {
  UsageReport: s.closed(
    {
      from: s.instant,
      to: s.instant,
      project_id: s.string,
      by_model: s.list(s.object({ model: s.string, ...sums })),
      totals: s.object(sums),
    },
    {
      group_by: s.list(s.either(s.oneOf(groupDimensions), tagDimension)),
      groups: s.list(s.object(sums, {}, "The sums, beside the value of each dimension.")),
    },
  ),
  Balance: s.closed({ balance_points: s.points }),
  ...callSchemas,
};

const task = {
  id: s.such(s.string, { pattern: "^VTK-" }),
  model: s.string,
  status: s.oneOf(taskStatuses),
  created_at: s.instant,
};
const made = s.closed({ video_url: s.string });

const tasks = {
  CreatedTask: s.closed({ ...task, status: s.just("queued") }),
  Task: s.closed(
    { ...task, updated_at: s.instant },
    {
      resolution: s.string,
      ratio: s.string,
      duration: s.integer,
      frames: s.integer,
      draft: s.boolean,
      result: made,
      content: s.such(made, "The same, where the vendor's clients look for it."),
      error: s.closed({ code: s.string, message: s.string }),
    },
  ),
  TaskList: s.closed({ items: s.list(s.ref("Task")), total: s.integer }),
  CancelledTask: s.closed({ id: s.string, status: s.just("cancelled") }),
};

const pages = {
  Welcome: s.closed({
    name: s.string,
    version: s.string,
    links: s.closed({ docs: s.string, openapi: s.string, models: s.string, health: s.string }),
  }),
  Health: s.closed(
    { status: s.oneOf(["ok", "draining"]), checked: s.list(s.string), not_checked: s.list(s.string) }, // What the bundle has in it. A process that cannot read that serves without saying it.
    { version: s.string, catalog: s.closed({ version: s.string, digest: s.string }) },
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
