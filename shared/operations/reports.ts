/** The customer reports (contract §4.10): usage over any range, and the balance. */
import type { Principal } from "../billing/account.ts";
import { type RangeParts, splitRange } from "../billing/cover.ts";
import type { Ledger, Place, Sums } from "../billing/ledger.ts";
import type { Meters } from "../billing/meter.ts";
import { dayMs, spanOf, spanStart } from "../billing/period.ts";
import { formatPoints } from "../billing/points.ts";
import { addTo, isEmpty, negateSums, renderReport, sumEntries } from "../billing/report.ts";
import { GatewayError } from "../errors.ts";
import { invalidField } from "../http/fields.ts";
import { type HttpReply, type HttpRequest, jsonReply } from "../http/message.ts";
import { limits } from "../limits.ts";
import { instant } from "./instant.ts";

export interface ReportDeps {
  ledger: Ledger;
  meters: Meters;
}

/** `GET …/customer/usage?from=&to=`: the key's project, or the organization for a key without one. */
export async function reportUsage(
  deps: ReportDeps,
  request: HttpRequest,
  caller: Principal,
): Promise<HttpReply> {
  const from = readInstant(request.query, "from");
  const to = readInstant(request.query, "to");
  if (from > to)
    throw new GatewayError("invalid_request", { message: "`from` is after `to`.", param: "from" });
  if (to - from > limits.reportRangeDaysMax * dayMs) {
    const message = `The range is over ${limits.reportRangeDaysMax} days.`;
    throw new GatewayError("invalid_request", { message, param: "to" });
  }
  return await report(deps, caller, from, to);
}

/** `GET /api/v1/usage?period=today|week|month`: the running UTC day, week (from Monday) or month, until now. */
export async function reportPeriod(
  deps: ReportDeps,
  request: HttpRequest,
  caller: Principal,
): Promise<HttpReply> {
  const start = periodStart(request.query.get("period"), request.received_at);
  if (start === undefined) throw new GatewayError("invalid_period", { param: "period" });
  return await report(deps, caller, start, request.received_at);
}

/** Where a period that runs at `now` began, Unix milliseconds; undefined for a name that is none. */
function periodStart(period: string | null, now: number): number | undefined {
  const day = spanStart(spanOf(now, "day"));
  if (period === "today") return day;
  if (period === "week") return day - ((new Date(day).getUTCDay() + 6) % 7) * dayMs;
  if (period === "month") return spanStart(spanOf(now, "month"));
  return undefined;
}

async function report(
  deps: ReportDeps,
  { organization, key }: Principal,
  from: number,
  to: number,
): Promise<HttpReply> {
  const byModel = await sumRange(deps.ledger, organization.id, key.project, from, to);
  const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
  return jsonReply(renderReport(range, key.project, byModel));
}

/**
 * Sums by model of a range, Unix milliseconds: its rollups and at most two partial hours of entries, read in
 * parallel. A model with nothing in its sums is left out.
 */
export async function sumRange(
  ledger: Ledger,
  organization: string,
  project: string,
  from: number,
  to: number,
): Promise<Map<string, Sums>> {
  const place = { organization, project };
  const seal = await ledger.seal(organization, project);
  const parts = splitRange(from, to, seal);
  const byModel = await sumParts(ledger, place, parts);
  if (parts.spans.every(({ sign }) => sign > 0)) return byModel;
  // What was posted late between two of the reads may be in the hours taken away and not yet in their day.
  const { late } = await ledger.seal(organization, project);
  if (late === seal.late) return byModel;
  return await sumParts(ledger, place, splitRange(from, to, seal, { subtract: false }));
}

async function sumParts(
  ledger: Ledger,
  { organization, project }: Place,
  { edges, spans }: RangeParts,
): Promise<Map<string, Sums>> {
  const [rollups, entries] = await Promise.all([
    Promise.all(spans.map((span) => ledger.rollups(organization, project, span.from, span.to))),
    Promise.all(edges.map((edge) => ledger.entries(organization, edge.from, edge.to))),
  ]);
  const byModel = new Map<string, Sums>();
  for (const [i, { sign }] of spans.entries()) {
    for (const { model, sums } of rollups[i] ?? []) addTo(byModel, model, sign > 0 ? sums : negateSums(sums));
  }
  for (const edge of entries) {
    for (const [model, sums] of sumEntries(edge, project)) addTo(byModel, model, sums);
  }
  return new Map([...byModel].filter(([, sums]) => !isEmpty(sums)));
}

/** `GET …/customer/balance`: what the key's organization has not spent yet; "0" without a wallet. */
export async function reportBalance(deps: ReportDeps, caller: Principal): Promise<HttpReply> {
  const { wallet } = caller.organization;
  const balance = wallet ? await deps.meters.balance(wallet.meter) : 0n;
  return jsonReply({ balance_points: formatPoints(balance) });
}

/** A required RFC 3339 query parameter. A `+` that was not percent-encoded arrives as a space; it is read as meant. */
function readInstant(query: URLSearchParams, name: string): number {
  const at = instant(query.get(name)?.replace(/ (?=\d\d:\d\d$)/, "+") ?? "");
  if (at === undefined) throw invalidField(name, "an instant in RFC 3339");
  return at;
}
