/** What the console's document says of usage, calls, limits and models (edges/console/routes/usage.ts). */

import { consoleLimits } from "../../base/console-limits.ts";
import { limits } from "../../base/limits.ts";
import { seriesColumns } from "../../books/reports/series.ts";
import type { usageRoutes } from "../console/routes/usage.ts";
import { sums } from "./call-schemas.ts";
import { consoleModelSchemas } from "./console-model-schemas.ts";
import type { ConsoleDescribed } from "./console-operation.ts";
import { plan, use } from "./console-schemas.ts";
import { billingModes, budget } from "./key-schemas.ts";
import { endFilters, ownSchemas, saidFilters, tagDimension } from "./own-schemas.ts";
import { listForm, type Parameter, range } from "./parameters.ts";
import * as s from "./schema.ts";

const totals = s.closed(sums);
const count = s.such(s.integer, { minimum: 0 });
const bounded = s.closed({ limit_points: s.points, ...budget });
const by = s.either(s.oneOf(["model", "project", "key", "user"]), tagDimension);
const step = s.oneOf(["hour", "day", "month"]);

/** A point of a series: a list in the order of `columns`. */
const point: s.Schema<(string | number)[]> = {
  type: "array",
  prefixItems: seriesColumns.map((name) =>
    name === "at" ? s.instant : name.endsWith("_points") ? s.points : s.integer,
  ),
  items: false,
  minItems: seriesColumns.length,
};

const noLimits = "Null: no paid period runs, so no call is let in.";

const planLimits = s.closed({
  ...plan,
  ...{ rpm: s.orNull(use), tpm: s.orNull(use), tpd: s.orNull(use), quota: s.orNull(s.such(use, noLimits)) },
  day_points: s.orNull(
    s.such(bounded, "Null: the plan does not bound what the calls of a day come to at list price."),
  ),
  ...{ in_flight: count, open_tasks: count },
});

const keyLimits = s.closed(
  {
    ...{ id: s.string, name: s.string, last_four: s.string, billing_mode: s.oneOf(billingModes) },
    budget: s.orNull(bounded),
  },
  {
    ...{ rpm: use, tpm: use, tpd: use },
    in_flight: s.closed({ used: count, limit: s.integer }),
  },
);

const alert = s.either(
  s.closed({ kind: s.just("low_balance"), days_left: count }),
  s.closed({ kind: s.oneOf(["plan_ends", "plan_ended"]), at: s.instant }),
);

const series = s.closed(
  {
    name: s.orNull(s.such(s.string, "Null: usage without it.")),
    label: s.orNull(s.such(s.string, "What people call it.")),
    totals,
    points: s.list(point),
  },
  { last_four: s.such(s.string, "Of a key.") },
);

const summary = {
  object: s.just("usage_summary"),
  at: s.instant,
  wallet: s.orNull(s.closed({ balance_points: s.points, held_points: s.points })),
  subscription: s.orNull(s.closed({ ...plan, quota: s.orNull(s.such(use, noLimits)) })),
  in_flight: s.such(count, "Calls that run."),
  counted_at: s.such(s.instant, "Up to when the sums count. It may be up to a minute ago."),
  today: totals,
  compared: s.closed({
    until: s.such(s.instant, "Both days up to this time of day."),
    today: totals,
    yesterday: totals,
  }),
  pace: s.orNull(
    s.such(
      s.closed({ points_per_day: s.points }),
      `Of the last ${consoleLimits.paceDays} days; null for those who see only their own keys.`,
    ),
  ),
  days_left: s.orNull(s.such(count, "Whole days that the balance lasts at this pace.")),
  alerts: s.list(alert),
};

const exampleSums = {
  ...{ calls: 2, input_tokens: 24, output_tokens: 60, cache_read_tokens: 0, cache_write_tokens: 0 },
  ...{ generated_images: 0, video_seconds: 0, cost_points: "0.002", list_points: "0.002" },
};

export const usageSchemas = {
  UsageSeries: s.such(
    s.closed({
      object: s.just("usage_series"),
      from: s.such(s.instant, "The range, widened to whole hours."),
      to: s.instant,
      by,
      step,
      columns: s.list(s.oneOf(seriesColumns)),
      series: s.such(s.list(series), "The dearest first."),
      totals,
    }),
    {
      examples: [
        {
          ...{ object: "usage_series", from: "2026-11-20T00:00:00Z", to: "2026-11-21T00:00:00Z" },
          ...{ by: "model", step: "day", columns: seriesColumns },
          series: [
            {
              ...{ name: "openai/gpt-5.4-mini", label: "GPT-5.4 mini", totals: exampleSums },
              points: [["2026-11-20T00:00:00.000Z", "0.002", 2, 24, 60, 0, 0, 0, 0, "0.002"]],
            },
          ],
          totals: exampleSums,
        },
      ],
    },
  ),
  UsageSummary: s.such(s.closed(summary), {
    examples: [
      {
        ...{ object: "usage_summary", at: "2026-11-23T12:00:00.000Z" },
        ...{ wallet: { balance_points: "5", held_points: "0" }, subscription: null, in_flight: 0 },
        ...{ counted_at: "2026-11-23T12:00:00.000Z", today: exampleSums },
        compared: { until: "2026-11-23T12:00:00.000Z", today: exampleSums, yesterday: exampleSums },
        ...{ pace: { points_per_day: "2" }, days_left: 2, alerts: [{ kind: "low_balance", days_left: 2 }] },
      },
    ],
  }),
  Call: ownSchemas.Call,
  CallList: ownSchemas.CallList,
  Receipt: ownSchemas.Receipt,
  Limits: s.closed({
    object: s.just("limits"),
    at: s.instant,
    in_flight: s.such(count, "Calls that run, on the plan and on the wallet."),
    subscription: s.orNull(planLimits),
    wallet: s.orNull(
      s.closed({
        ...{ balance_points: s.points, held_points: s.points },
        free_points: s.such(s.points, "What calls may still hold."),
        ...{ in_flight: count, open_tasks: count },
      }),
    ),
    keys: s.such(s.list(keyLimits), "Keys with limits of their own."),
  }),
  ...consoleModelSchemas,
};

const project = s.such(s.string, { maxLength: 128, pattern: s.plainName });
const filters: Parameter[] = [
  { name: "model", schema: s.such(s.string, { minLength: 1 }) },
  {
    name: "project",
    schema: project,
    description: "One project; empty: the keys that belong to none.",
  },
  { name: "key", schema: s.such(s.string, { pattern: "^key_[0-7][0-9A-HJKMNP-TV-Z]{25}$" }) },
];

const seriesQuery: Parameter[] = [
  {
    name: "period",
    schema: s.oneOf(["today", "week", "month"]),
    description: "In place of `from` and `to`, which are both needed without it.",
  },
  ...range(false),
  { name: "by", schema: s.such(by, { default: "model" }) },
  { name: "step", schema: s.such(step, { default: "day" }) },
  ...filters,
];

const own = "Who may not see all usage sees that of the keys which they made.";
const seriesErrors = ["invalid_request", "invalid_period"] as const;

export const usageOperations = {
  show_usage_series: {
    tag: "Usage",
    summary: "Usage over time, as series for a chart",
    description: own,
    query: seriesQuery,
    reply: s.ref("UsageSeries"),
    errors: seriesErrors,
  },
  export_usage_series: {
    tag: "Usage",
    summary: "The same as CSV",
    description: own,
    query: seriesQuery,
    content: { "text/csv": s.string },
    errors: seriesErrors,
  },
  show_usage_summary: {
    tag: "Usage",
    summary: "What is left, what today has used, and what needs attention",
    description: own,
    reply: s.ref("UsageSummary"),
    errors: ["invalid_request"],
  },
  list_calls: {
    tag: "Usage",
    summary: "The calls, the newest first",
    description: `A page reads a bounded number of calls, so it may be short. ${own}`,
    query: [
      ...range(false),
      ...listForm({ json: consoleLimits.callPageMax, csv: limits.callCsvMax }),
      ...filters,
      ...saidFilters,
      ...endFilters,
    ],
    content: { "application/json": s.ref("CallList"), "text/csv": s.string },
    errors: ["invalid_request"],
  },
  retrieve_receipt: {
    tag: "Usage",
    summary: "The receipt of a call or a task: why it cost what it cost",
    parameter: { description: "The `x-request-id` of a call, or the id of a task." },
    reply: s.ref("Receipt"),
    errors: ["not_found"],
  },
  show_limits: {
    tag: "Usage",
    summary: "What is used of the limits of the plan, the wallet and single keys",
    reply: s.ref("Limits"),
    errors: ["invalid_request"],
  },
  list_models: {
    tag: "Usage",
    summary: "All models with their prices, and the plans whose keys may use them",
    description: "`etag` and `if-none-match` spare the bytes.",
    reply: s.ref("ModelList"),
    errors: ["invalid_request"],
  },
  list_routes: {
    tag: "Usage",
    summary: "How the providers of a model do, by what all calls have seen of them in 15 minutes",
    parameter: { description: "The id or another name of the model, its `/` as `%2F`." },
    reply: s.ref("ModelProviders"),
    errors: ["invalid_request", "not_found"],
  },
} satisfies Readonly<Record<(typeof usageRoutes)[number]["operation"], ConsoleDescribed>>;
