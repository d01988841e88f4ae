/** The customer reports (contract §4.10): usage over any range, in groups or not, and the balance. */

import { GatewayError } from "../../base/errors.ts";
import { type HttpRequest, jsonReply } from "../../base/http/message.ts";
import { invalidParameter, readQuery } from "../../base/http/query.ts";
import { invalidField } from "../../base/json/fields.ts";
import { limits } from "../../base/limits.ts";
import type { Accounts } from "../../books/accounts/account.ts";
import { keysOf } from "../../books/accounts/organization-keys.ts";
import { rfc3339 } from "../../books/billing/instant.ts";
import { dayMs, spanOf, spanStart } from "../../books/billing/period.ts";
import { formatPoints } from "../../books/billing/points.ts";
import type { CallLedger } from "../../books/ledger/ledger.ts";
import type { Meters } from "../../books/meters/meter.ts";
import { renderReport, renderSums } from "../../books/reports/report.ts";
import {
  type GroupDimension,
  groupDimensions,
  isOfEntries,
  type Tally,
  tagDimension,
  tagNameOf,
} from "../../books/reports/report-groups.ts";
import { sumRange } from "../../books/reports/report-sums.ts";
import { projectOf, type ReportCaller, readInstant, readProject } from "./report-parameters.ts";

interface ReportDeps {
  accounts: Pick<Accounts, "keys">;
  ledger: CallLedger;
  meters: Pick<Meters, "balance">;
}

/** The report that a request asks for. Its range is in Unix milliseconds. */
interface ReportQuery {
  from: number;
  to: number;
  project_id: string | undefined;
  group_by: GroupDimension[];
}

/** `GET …/customer/usage`: the key's project, its organization, or `project_id` of it. Throws `invalid_request`. */
export async function reportUsage(request: HttpRequest, caller: ReportCaller, deps: ReportDeps) {
  const wanted = readQuery<ReportQuery>(request.query, {
    from: readInstant,
    to: readInstant,
    project_id: readProject,
    group_by: readDimensions,
  });
  if (wanted.from > wanted.to) throw invalidParameter("from", "`from` is after `to`.");
  if (wanted.to - wanted.from > limits.reportRangeDaysMax * dayMs) {
    throw invalidParameter("to", `The range is over ${limits.reportRangeDaysMax} days.`);
  }
  return await report(caller, wanted, deps);
}

/** `GET /api/v1/usage?period=today|week|month`: the current UTC day, week (from Monday) or month, until now. */
export async function reportPeriod(request: HttpRequest, caller: ReportCaller, deps: ReportDeps) {
  const to = request.received_at;
  const { period: from, ...wanted } = readQuery<Omit<ReportQuery, "from" | "to"> & { period: number }>(
    request.query,
    {
      period: (given) => {
        const start = periodStart(given, to);
        if (start === undefined) throw new GatewayError("invalid_period", { param: "period" });
        return start;
      },
      project_id: readProject,
      group_by: readDimensions,
    },
  );
  return await report(caller, { ...wanted, from, to }, deps);
}

/** The start of the period that runs at `now`, Unix milliseconds; undefined for an unknown name. */
export function periodStart(period: string | undefined, now: number): number | undefined {
  const day = spanStart(spanOf(now, "day"));
  if (period === "today") return day;
  if (period === "week") return day - ((new Date(day).getUTCDay() + 6) % 7) * dayMs;
  if (period === "month") return spanStart(spanOf(now, "month"));
  return undefined;
}

/** The longest range by a dimension, in days; undefined where no range that a report may have is too long. */
function daysMaxBy(dimension: GroupDimension): number | undefined {
  if (isOfEntries(dimension)) return limits.reportEntriesDaysMax;
  return dimension === "hour" ? limits.reportHoursDaysMax : undefined;
}

async function report(
  caller: ReportCaller,
  { from, to, project_id, group_by }: ReportQuery,
  deps: ReportDeps,
) {
  const organization = caller.organization.id;
  const project = projectOf(caller.key, project_id);
  for (const dimension of group_by) {
    const days = daysMaxBy(dimension);
    if (days !== undefined && to - from > days * dayMs) {
      throw invalidParameter("group_by", `By ${dimension}, a range is at most ${days} days.`);
    }
  }
  const tally = await sumRange(deps.ledger, { organization, project }, from, to, group_by);
  const range = { from: rfc3339(from), to: rfc3339(to) };
  const groups = group_by.length === 0 ? {} : await renderGroups(organization, tally, deps);
  return jsonReply(renderReport(range, project, tally.byModel(), groups));
}

/**
 * The dimensions of `model` or `key,day`: known names, each once, and at most one tag. Day and hour together would say
 * the day twice.
 */
function readDimensions(given: string | undefined, name: string): GroupDimension[] {
  if (given === undefined) return [];
  const dimensions = given.split(",").map(dimensionOf);
  const isDoubled = new Set(dimensions).size < dimensions.length;
  const isBoth = dimensions.includes("day") && dimensions.includes("hour");
  const tags = dimensions.filter((each) => each !== undefined && tagNameOf(each) !== undefined);
  if (isDoubled || isBoth || tags.length > 1 || dimensions.includes(undefined)) {
    const known = groupDimensions.join(", ");
    throw invalidField(
      name,
      `one or several of ${known} and one tag:NAME, each once, separated by commas; not both day and hour`,
    );
  }
  return dimensions as GroupDimension[];
}

function dimensionOf(text: string): GroupDimension | undefined {
  return groupDimensions.find((known) => known === text) ?? tagDimension(text);
}

/** The groups with their values by name. A key's id comes with the key's name and its last four characters. */
async function renderGroups(organization: string, tally: Tally, { accounts }: Pick<ReportDeps, "accounts">) {
  const { dimensions } = tally;
  const groups = tally.groups();
  // A report has at most one tag, so its member needs no name of its own.
  const names = dimensions.map((each) => (tagNameOf(each as GroupDimension) === undefined ? each : "tag"));
  const position = dimensions.indexOf("key");
  const keys = position < 0 || groups.length === 0 ? undefined : await keysOf(accounts, organization);
  return {
    group_by: dimensions,
    groups: groups.map(({ values, sums }) => {
      const named = Object.fromEntries(names.map((name, i) => [name, values[i] ?? null]));
      const key = keys?.get(values[position] ?? "");
      const described = keys && { key_name: key?.name ?? null, key_last_four: key?.last_four ?? null };
      return { ...named, ...described, ...renderSums(sums) };
    }),
  };
}

/** `GET …/customer/balance`: the points that the key's organization has not spent yet; "0" without a wallet. */
export async function reportBalance(
  request: HttpRequest,
  caller: ReportCaller,
  deps: Pick<ReportDeps, "meters">,
) {
  readQuery(request.query, {});
  const { wallet } = caller.organization;
  const balance = wallet ? await deps.meters.balance(wallet.meter) : 0n;
  return jsonReply({ balance_points: formatPoints(balance) });
}
