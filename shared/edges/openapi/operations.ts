/** What the document says of each operation of the gateway's own, beside what the table of routes says. */
import type { ErrorKey } from "../../base/errors.ts";
import type { ErrorStyle, LocalOperation } from "../../base/http/routes.ts";
import { limits } from "../../base/limits.ts";
import { tagNamePattern } from "../../books/billing/tags.ts";
import { groupDimensions } from "../../books/reports/report-groups.ts";
import { taskStatuses } from "../../calls/tasks/task.ts";
import { keysProject } from "./key-schemas.ts";
import { endFilters, saidFilters } from "./own-schemas.ts";
import { after, limit, listForm, type Parameter, range } from "./parameters.ts";
import * as s from "./schema.ts";
import { videoExample, videoTask } from "./video-request.ts";

export interface Described {
  tag: string;
  summary: string;
  /** The schema of its answer; undefined where the form of the answer follows from the style. */
  reply?: s.Schema;
  /** It answers with CSV too, if the query asks for it. */
  csv?: true;
  query?: readonly Parameter[];
  /** What the path's parameter is. */
  parameter?: string;
  request?: { schema: s.Schema; example: s.Schema; optional?: true };
  /** The errors beside those that every call with a key can get. */
  errors: readonly ErrorKey[];
}

const bodyErrors = ["invalid_request", "too_large", "unsupported_encoding"] as const;

/** The errors that a call with a key can get on every route. */
export const keyErrors: readonly ErrorKey[] = [
  "not_authenticated",
  "invalid_key",
  "account_frozen",
  "global_rate_limited",
  "internal",
];

/** Those of a count of tokens beside them. */
export const countErrors: readonly ErrorKey[] = [
  ...bodyErrors,
  "subscription_lapsed",
  "permission_denied",
  "not_found",
  "rate_limited",
  "quota_exhausted",
];

/** Those of a call that a provider answers beside them. */
export const inferErrors: readonly ErrorKey[] = [
  ...countErrors,
  "insufficient_balance",
  "idempotency_conflict",
  ...(["upstream_error", "own_key_refused", "no_channel"] as const),
];

const project: Parameter = {
  name: "project_id",
  schema: keysProject.schema,
  description: "One project of the organization. A project's key sees its own alone.",
};
const dimension = [...groupDimensions, `tag:${tagNamePattern}`].join("|");
const groupBy: Parameter = {
  name: "group_by",
  schema: s.such(s.string, {
    pattern: `^(?:${dimension})(?:,(?:${dimension}))*$`,
    examples: ["model", "key,day", "tag:team"],
  }),
  description: `One or several of ${groupDimensions.join(", ")} and one tag:NAME, separated by commas; not both day and hour.`,
};
const pageSize = { type: "integer", minimum: 1, maximum: limits.taskListPageMax };

/** The pages of the list of models, which the vendors' clients ask for. */
const anthropicPage: Parameter[] = [
  { name: "limit", schema: { type: "integer", minimum: 1, maximum: 1000 } },
  { name: "after_id", schema: s.string },
  { name: "before_id", schema: s.string },
];
const geminiPage: Parameter[] = [
  { name: "pageSize", schema: { type: "integer", minimum: 0 }, description: "At most 1,000 are given." },
  { name: "pageToken", schema: s.string },
];

/** The query of a list of models in a style. */
export function listQuery(style: ErrorStyle): readonly Parameter[] {
  if (style === "gemini") return geminiPage;
  return style.startsWith("anthropic") ? anthropicPage : [];
}

const modelName =
  "An id, an alias, or a name that differs in letter case or punctuation. It may hold slashes.";
const taskId = "The id of a task, `VTK-…`.";

export const operations = {
  list_models: { tag: "Models", summary: "The models that the key may use", errors: [] },
  retrieve_model: {
    tag: "Models",
    summary: "A model that the key may use",
    parameter: modelName,
    errors: ["not_found", "permission_denied"],
  },
  list_public_models: { tag: "Models", summary: "All models with their prices", errors: [] },
  retrieve_public_model: {
    tag: "Models",
    summary: "A model with its price",
    parameter: modelName,
    errors: ["not_found"],
  },
  list_routes: {
    tag: "Models",
    summary: "How each provider of a model does",
    parameter: modelName,
    reply: s.ref("ModelRoutes"),
    errors: ["not_found", "permission_denied"],
  },
  create_key: {
    tag: "Keys",
    summary: "Create a key",
    reply: s.ref("CreatedKey"),
    request: { schema: s.ref("NewKey"), example: { billing_mode: "payg", name: "reports" } },
    errors: [...bodyErrors, "permission_denied"],
  },
  list_keys: {
    tag: "Keys",
    summary: "List keys, without their secrets",
    reply: s.ref("KeyList"),
    query: [limit(limits.keyListMax), after, keysProject],
    errors: ["invalid_request", "permission_denied"],
  },
  change_key: {
    tag: "Keys",
    summary: "Change a key",
    parameter: "The id of a key, `key_…`.",
    reply: s.ref("ApiKey"),
    request: { schema: s.ref("KeyChange"), example: { name: "reports", limits: { max_concurrency: 5 } } },
    errors: [...bodyErrors, "permission_denied", "key_not_found"],
  },
  rotate_key: {
    tag: "Keys",
    summary: "Give a key another secret",
    parameter: "The id of a key, `key_…`.",
    reply: s.ref("CreatedKey"),
    request: { schema: s.ref("KeyRotation"), example: { overlap_seconds: 3600 }, optional: true },
    errors: [...bodyErrors, "permission_denied", "key_not_found"],
  },
  disable_key: {
    tag: "Keys",
    summary: "Disable a key",
    parameter: "The id of a key, `key_…`.",
    reply: s.ref("ApiKey"),
    errors: ["permission_denied", "key_not_found"],
  },
  enable_key: {
    tag: "Keys",
    summary: "Enable a key again",
    parameter: "The id of a key, `key_…`.",
    reply: s.ref("ApiKey"),
    errors: ["permission_denied", "key_not_found"],
  },
  revoke_key: {
    tag: "Keys",
    summary: "Revoke a key",
    parameter: "The id of a key, `key_…`.",
    reply: s.ref("RevokedKey"),
    errors: ["permission_denied", "key_not_found"],
  },
  show_cache: {
    tag: "Cache",
    summary: "What the cache of answers has saved this month",
    reply: s.ref("CacheMonth"),
    errors: [],
  },
  empty_cache: {
    tag: "Cache",
    summary: "Empty the organization's cache of answers",
    reply: s.ref("EmptiedCache"),
    errors: ["permission_denied"],
  },
  take_feedback: {
    tag: "Cache",
    summary: "Remove the cached answer that a call was given",
    reply: s.ref("TakenFeedback"),
    request: {
      schema: s.ref("CacheFeedback"),
      example: { request: "req_01KAJ2X5P00000000000000000", wrong: true },
    },
    errors: [...bodyErrors, "not_found"],
  },
  report_usage: {
    tag: "Reports",
    summary: "Usage of any range",
    reply: s.ref("UsageReport"),
    query: [...range(true), project, groupBy],
    errors: ["invalid_request", "permission_denied"],
  },
  report_period: {
    tag: "Reports",
    summary: "Usage of today, this week or this month",
    reply: s.ref("UsageReport"),
    query: [
      { name: "period", schema: s.oneOf(["today", "week", "month"]), required: true },
      project,
      groupBy,
    ],
    errors: ["invalid_request", "invalid_period", "permission_denied"],
  },
  report_balance: {
    tag: "Reports",
    summary: "The balance of the organization",
    reply: s.ref("Balance"),
    errors: ["invalid_request"],
  },
  retrieve_receipt: {
    tag: "Reports",
    summary: "The receipt of a call or a task: why it cost what it cost",
    parameter: "The `x-request-id` of a call, or the id of a task.",
    reply: s.ref("Receipt"),
    errors: ["not_found"],
  },
  list_calls: {
    tag: "Reports",
    summary: "The calls behind a report, the newest first",
    reply: s.ref("CallList"),
    csv: true,
    query: [
      ...range(false),
      ...listForm({ json: limits.callListMax, csv: limits.callCsvMax }),
      project,
      { name: "key_id", schema: s.such(s.string, { pattern: "^key_[0-7][0-9A-HJKMNP-TV-Z]{25}$" }) },
      { name: "model", schema: s.such(s.string, { minLength: 1 }) },
      ...saidFilters,
      ...endFilters,
    ],
    errors: ["invalid_request", "permission_denied"],
  },
  create_task: {
    tag: "Video",
    summary: "Create a video task",
    reply: s.ref("CreatedTask"),
    request: { schema: videoTask, example: videoExample },
    errors: inferErrors,
  },
  list_tasks: {
    tag: "Video",
    summary: `The tasks of the last ${limits.taskListDays} days`,
    reply: s.ref("TaskList"),
    query: [
      { name: "page_num", schema: { ...pageSize, default: 1 } },
      { name: "page_size", schema: { ...pageSize, default: 10 } },
      { name: "filter.status", schema: s.oneOf([...taskStatuses, "succeeded"]) },
      { name: "filter.model", schema: s.string },
      { name: "filter.task_ids", schema: s.list(s.string), description: "Given once for each id." },
    ],
    errors: ["invalid_request"],
  },
  show_task: {
    tag: "Video",
    summary: "A task, and its video once it has succeeded",
    parameter: taskId,
    reply: s.ref("Task"),
    errors: ["not_found"],
  },
  cancel_task: {
    tag: "Video",
    summary: "Cancel a task that is queued",
    parameter: taskId,
    reply: s.ref("CancelledTask"),
    errors: ["not_found", "invalid_state", "upstream_cancel_failed"],
  },
} satisfies Readonly<Record<LocalOperation, Described>>;

/** The answers of pages (shared/base/http/pages.ts), by path. */
export const pageOperations: Readonly<
  Record<string, { summary: string; description?: string; content: object }>
> = {
  "/": {
    summary: "What this is",
    description: "HTML where `accept` names `text/html`, and JSON else.",
    content: { "application/json": { schema: s.ref("Welcome") }, "text/html": { schema: s.string } },
  },
  "/health": {
    summary: "Whether this process serves",
    description:
      "For load balancers: the process answers, and will go on to. It asks no table, queue, secret or provider, so 200 does not prove that a call would succeed. A process that ends soon answers 503. Behind a function URL there is no such process, and the answer is always 200.",
    content: { "application/json": { schema: s.ref("Health") } },
  },
  "/openapi.json": {
    summary: "This document",
    content: { "application/json": { schema: { type: "object" } } },
  },
  "/docs": { summary: "This document as a page", content: { "text/html": { schema: s.string } } },
  "/docs/{file}": {
    summary: "A file of that page",
    content: Object.fromEntries(
      ["text/css", "text/javascript", "text/plain"].map((type) => [type, { schema: s.string }]),
    ),
  },
};
