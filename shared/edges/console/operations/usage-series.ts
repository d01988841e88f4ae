/** Usage over time, as series for a chart and as CSV. Both have the same parameters and the same numbers. */

import { consoleLimits } from "../../../base/console-limits.ts";
import { GatewayError } from "../../../base/errors.ts";
import { type HttpReply, jsonReply } from "../../../base/http/message.ts";
import { invalidParameter, readQuery } from "../../../base/http/query.ts";
import { invalidField } from "../../../base/json/fields.ts";
import { limits } from "../../../base/limits.ts";
import type { Accounts, Organization } from "../../../books/accounts/account.ts";
import { keysOf } from "../../../books/accounts/organization-keys.ts";
import { rfc3339 } from "../../../books/billing/instant.ts";
import { dayMs, hourMs } from "../../../books/billing/period.ts";
import type { ModelCatalog } from "../../../books/catalog/models.ts";
import { renderSums } from "../../../books/reports/report.ts";
import {
  isOfEntries,
  type ReportDimension,
  type TagDimension,
  tagDimension,
  type UsageSource,
} from "../../../books/reports/report-groups.ts";
import { type SummedLedger, sumRange } from "../../../books/reports/report-sums.ts";
import {
  renderSeries,
  type Series,
  type SeriesLabel,
  seriesColumns,
  seriesOf,
  totalOf,
} from "../../../books/reports/series.ts";
import { seriesCsv } from "../../../books/reports/series-csv.ts";
import { readKeyId, readText } from "../../api/calls.ts";
import { csvReply } from "../../api/list-reply.ts";
import { readInstant, readProject, readWord } from "../../api/report-parameters.ts";
import { periodStart } from "../../api/reports.ts";
import { type ConsoleCall, callerOf } from "../call.ts";
import { boundedRollups } from "./usage-ledger.ts";
import { isSourceInScope, scopeOf, type UsageScope } from "./usage-scope.ts";

export interface SeriesDeps {
  accounts: Pick<Accounts, "keys" | "projects">;
  ledger: SummedLedger;
  catalog: Pick<ModelCatalog, "find">;
}

const names = ["model", "project", "key", "user"] as const satisfies readonly ReportDimension[];
const steps = ["hour", "day", "month"] as const satisfies readonly ReportDimension[];

/** What only counts where it is given. */
interface Filter {
  model: string | undefined;
  project: string | undefined;
  key: string | undefined;
}

/** The series that a request asks for. Instants are Unix milliseconds, at the start of an hour. */
interface SeriesQuery extends Filter {
  from: number;
  to: number;
  by: (typeof names)[number] | TagDimension;
  step: (typeof steps)[number];
}

/** What was found, and how each series is called. */
interface FoundSeries {
  query: SeriesQuery;
  series: Series[];
  labelOf: (name: string | null) => SeriesLabel;
}

/** `GET /api/v1/usage/series`. Throws `invalid_request`, and `invalid_period` for an unknown `period`. */
export async function showSeries(call: ConsoleCall, deps: SeriesDeps) {
  const { query, series, labelOf } = await findSeries(call, deps);
  return jsonReply({
    object: "usage_series",
    from: rfc3339(query.from),
    to: rfc3339(query.to),
    by: query.by,
    step: query.step,
    columns: seriesColumns,
    series: series.map((each) => renderSeries(each, labelOf(each.name))),
    totals: renderSums(totalOf(series)),
  });
}

/** `GET /api/v1/usage/export`: the same as CSV. Throws the same. */
export async function exportSeries(call: ConsoleCall, deps: SeriesDeps): Promise<HttpReply> {
  const { query, series, labelOf } = await findSeries(call, deps);
  const name = `usage-by-${query.by.replace(":", "-")}-${fileDay(query.from)}-${fileDay(query.to - 1)}`;
  return csvReply(name, seriesCsv(query.by, series, labelOf));
}

async function findSeries(call: ConsoleCall, deps: SeriesDeps): Promise<FoundSeries> {
  const query = readSeriesQuery(call.request.query, call.request.received_at);
  const caller = callerOf(call);
  const scope = await scopeOf(caller, deps);
  const { by, step, from, to, key } = query;
  const model = query.model && (deps.catalog.find(query.model)?.id ?? query.model);
  const isWanted = (source: UsageSource) =>
    isSourceInScope(scope, source) &&
    (model === undefined || source.model === model) &&
    (key === undefined || source.key === key) &&
    // Every other project has rollups of its own.
    (query.project !== "" || source.owner === "");
  const { organization } = caller;
  const place = { organization: organization.id, project: query.project ?? "" };
  const parameter = isOfEntries(by) ? "by" : "step";
  const { seriesPointsMax: groupsMax, seriesEntriesMax: entriesMax } = consoleLimits;
  const terms = { isWanted, groupsMax, entriesMax, parameter };
  const ledger = boundedRollups(deps.ledger, consoleLimits.seriesRollupsMax);
  const tally = await sumRange(ledger, place, from, to, [by, step], terms);
  return { query, series: seriesOf(tally.groups()), labelOf: await labels(by, scope, organization, deps) };
}

/** How each series is called that is by something with a name. */
async function labels(
  by: SeriesQuery["by"],
  scope: UsageScope,
  { id, projects }: Pick<Organization, "id" | "projects">,
  { accounts, catalog }: SeriesDeps,
): Promise<FoundSeries["labelOf"]> {
  if (by === "model") return (name) => ({ label: catalog.find(name ?? "")?.display_name ?? null });
  if (by === "project") {
    const records = projects ? await accounts.projects(id) : [];
    const names = new Map(records.map(({ project, name }) => [project, name]));
    return (name) => ({ label: names.get(name ?? "") ?? null });
  }
  if (by !== "key") return () => ({ label: null });
  const keys = scope.own && scope.projects.size === 0 ? scope.own : await keysOf(accounts, id);
  return (name) => {
    const known = keys.get(name ?? "");
    return known ? { label: known.name, last_four: known.last_four } : { label: null };
  };
}

/** Reads the query, with its range widened to whole hours: then rollups alone answer it. */
function readSeriesQuery(query: URLSearchParams, now: number): SeriesQuery {
  const wanted = query.has("period") ? readWithPeriod(query, now) : readWithRange(query);
  if (wanted.from > wanted.to) throw invalidParameter("from", "`from` is after `to`.");
  const days = daysMax(wanted);
  if (wanted.to - wanted.from > days * dayMs) {
    throw invalidParameter("to", `By ${wanted.by} and ${wanted.step}, a range is at most ${days} days.`);
  }
  return { ...wanted, from: floorHour(wanted.from), to: ceilHour(wanted.to) };
}

/** Reads what series are by: a word, or `tag:` with the name of a tag. */
function readBy(given: string | undefined, name: string): SeriesQuery["by"] {
  const found = given === undefined ? "model" : (names.find((word) => word === given) ?? tagDimension(given));
  if (found === undefined) throw invalidField(name, `one of ${names.join(", ")}, or tag:NAME`);
  return found;
}

const shared = {
  by: readBy,
  step: readWord(steps, "day"),
  model: readText,
  project: readProject,
  key: readKeyId,
};

function readWithRange(query: URLSearchParams): SeriesQuery {
  return readQuery<SeriesQuery>(query, { from: readInstant, to: readInstant, ...shared });
}

function readWithPeriod(query: URLSearchParams, now: number): SeriesQuery {
  const { period, ...wanted } = readQuery<Omit<SeriesQuery, "from" | "to"> & { period: number }>(query, {
    period: (given) => {
      const start = periodStart(given, now);
      if (start === undefined) throw new GatewayError("invalid_period", { param: "period" });
      return start;
    },
    ...shared,
  });
  return { ...wanted, from: period, to: now };
}

/** The longest range, in days. It bounds the points of a series, and the entries that are read. */
function daysMax({ by, step }: Pick<SeriesQuery, "by" | "step">): number {
  const most = [limits.reportRangeDaysMax as number];
  if (step === "hour") most.push(limits.reportHoursDaysMax);
  if (isOfEntries(by)) most.push(limits.reportEntriesDaysMax);
  return Math.min(...most);
}

function floorHour(at: number): number {
  return Math.floor(at / hourMs) * hourMs;
}

/** The end of the hour that an instant is in; a whole hour is its own. */
export function ceilHour(at: number): number {
  return Math.ceil(at / hourMs) * hourMs;
}

/** A day in the name of a file, `20261121`. */
function fileDay(at: number): string {
  return rfc3339(at).slice(0, 10).replaceAll("-", "");
}
