/** `GET /api/v1/statements` and `/{month}`: what months did to the wallet (people/invoices/README.md "A statement"). */

import { consoleLimits } from "../../../base/console-limits.ts";
import { GatewayError } from "../../../base/errors.ts";
import { jsonReply, textReply } from "../../../base/http/message.ts";
import { readQuery } from "../../../base/http/query.ts";
import { invalidField } from "../../../base/json/fields.ts";
import type { Organization } from "../../../books/accounts/account.ts";
import { rfc3339 } from "../../../books/billing/instant.ts";
import { formatMoney, moneyFor } from "../../../books/billing/money.ts";
import { isMonth } from "../../../books/billing/period.ts";
import { formatPoints } from "../../../books/billing/points.ts";
import type { ModelCatalog } from "../../../books/catalog/models.ts";
import type { Entry } from "../../../books/ledger/ledger.ts";
import { type SummedLedger, sumRange } from "../../../books/reports/report-sums.ts";
import {
  balancesOf,
  type FeeLine,
  type MonthBalance,
  type PlanLine,
  type Statement,
  statementOf,
  sumOf,
  type WalletBooks,
  type WalletLine,
  withMoney,
} from "../../../people/invoices/statement.ts";
import { statementCsv } from "../../../people/invoices/statement-csv.ts";
import {
  type StatementBought,
  type StatementRate,
  statementHtml,
  statementPolicy,
} from "../../../people/invoices/statement-html.ts";
import { type StatementLocale, statementLocales } from "../../../people/invoices/statement-words.ts";
import { csvReply } from "../../api/list-reply.ts";
import { readWord } from "../../api/report-parameters.ts";
import type { ConsoleSchema } from "../../openapi/route-types.ts";
import { type ConsoleCall, callerOf } from "../call.ts";
import { type BalanceWorth, type LineOrders, moneyBehind, worthOfBalances } from "./statement-money.ts";
import { boundedRollups } from "./usage-ledger.ts";

export interface StatementDeps {
  ledger: SummedLedger & { creditsAndFees(organization: string): Promise<Entry[]> };
  catalog: Pick<ModelCatalog, "recharge">;
  orders: LineOrders;
  now: () => number;
}

/** `GET /api/v1/statements`: the months that there are, the newest first. */
export async function listStatements(call: ConsoleCall, deps: StatementDeps) {
  readQuery(call.request.query, {});
  const { organization } = callerOf(call);
  const now = deps.now();
  const balances = balancesOf(await readBooks(organization, now, deps), organization.created_at, now);
  const data = balances.toReversed().map(showBalance);
  return jsonReply({ object: "list", data, has_more: false, last_id: data.at(-1)?.month ?? null });
}

const formats = ["json", "html", "csv"] as const;

/**
 * `GET /api/v1/statements/{month}?format=json|html|csv&locale=en|zh`, by default in the user's language. Throws
 * `invalid_request`, and `not_found` for a month before the first or after the running one.
 */
export async function showStatement(call: ConsoleCall, deps: StatementDeps) {
  const { organization, user } = callerOf(call);
  const { month = "" } = call.parameters;
  const query = readQuery<{ format: (typeof formats)[number]; locale: StatementLocale }>(call.request.query, {
    format: readWord(formats, "json"),
    locale: readWord(statementLocales, user.locale === "zh" ? "zh" : "en"),
  });
  if (!isMonth(month)) throw invalidField("month", "a month such as 2026-11");
  const now = deps.now();
  const books = await readBooks(organization, now, deps);
  const balance = balancesOf(books, organization.created_at, now).find((each) => each.month === month);
  if (!balance) throw new GatewayError("not_found", { message: `There is no statement of ${month}.` });
  const bare = statementOf(balance, books);
  const statement = withMoney(bare, await moneyBehind(bare, organization.id, deps.orders));
  const worth = await worthOfBalances(month, books, organization.id, deps.orders);
  const bought = boughtOf(worth);
  if (query.format === "json") return jsonReply(showWhole(statement, bought, organization, deps));
  const { name, id } = organization;
  if (query.format === "csv") return csvReply(`statement-${month}`, statementCsv(statement, bought));
  return pageReply(
    month,
    statementHtml(statement, { name, id }, { rates: ratesOf(statement, deps), bought }, query.locale),
  );
}

/** A page to read. It is shown, and its name is that of the file which is saved. */
function pageReply(month: string, body: string) {
  return textReply(body, {
    "content-type": "text/html; charset=utf-8",
    "content-disposition": `inline; filename="statement-${month}.html"`,
    "content-security-policy": statementPolicy,
  });
}

/** All credits and fees of an organization, and its use by month and model up to `now` (Unix ms). */
async function readBooks(
  { id: organization }: Organization,
  now: number,
  deps: Pick<StatementDeps, "ledger">,
): Promise<WalletBooks> {
  const ledger = boundedRollups(deps.ledger, consoleLimits.statementRollupsMax);
  const terms = { groupsMax: consoleLimits.statementGroupsMax, entriesMax: 0, parameter: "month" };
  const place = { organization, project: "" };
  const [credits, tally] = await Promise.all([
    deps.ledger.creditsAndFees(organization),
    sumRange(ledger, place, 0, now + 1, ["month", "model"], terms),
  ]);
  const uses = tally.groups().map(({ values: [month, model], sums: { calls, cost_points: points } }) => ({
    month: month ?? "",
    model: model ?? "",
    calls,
    points,
  }));
  return { credits, uses };
}

/** What opening and closing balance are worth at today's rates. What is below a minor unit is cut off. */
function ratesOf(
  { opening, closing }: MonthBalance,
  { catalog }: Pick<StatementDeps, "catalog">,
): StatementRate[] {
  return Object.entries(catalog.recharge()).map(([currency, { points_per_unit }]) => {
    const worth = (points: bigint) => formatMoney(moneyFor(points, currency, points_per_unit), currency);
    return { currency, points_per_unit, opening: worth(opening), closing: worth(closing) };
  });
}

function showBalance({ month, opening, closing, is_running }: MonthBalance) {
  return {
    month,
    opening_points: formatPoints(opening),
    closing_points: formatPoints(closing),
    is_running,
  };
}

/** The two balances side by side, by the currency that was paid. The last line is of points that nobody paid for. */
function boughtOf({ opening, closing }: BalanceWorth): StatementBought[] {
  const currencies = new Set([...opening.bought, ...closing.bought].map(({ currency }) => currency));
  const lines = [...currencies].sort().map((currency): StatementBought => {
    const [before, after] = [opening, closing].map(({ bought }) =>
      bought.find((each) => each.currency === currency),
    );
    return {
      currency,
      opening_points: formatPoints(before?.points ?? 0n),
      opening_amount: formatMoney(before?.amount ?? 0, currency),
      closing_points: formatPoints(after?.points ?? 0n),
      closing_amount: formatMoney(after?.amount ?? 0, currency),
    };
  });
  const other = { opening_points: formatPoints(opening.other), closing_points: formatPoints(closing.other) };
  return [...lines, { currency: null, ...other, opening_amount: null, closing_amount: null }];
}

function showWhole(
  statement: Statement,
  bought: readonly StatementBought[],
  { id, name }: Organization,
  deps: StatementDeps,
): ConsoleSchema<"Statement"> {
  const { credits, usage, corrections, refunds, plans, fees, payments } = statement;
  const used = sumOf(usage);
  return {
    object: "statement",
    ...showBalance(statement),
    organization: { id, name },
    totals: {
      credits_points: formatPoints(sumOf(credits)),
      usage_points: formatPoints(used),
      corrections_points: formatPoints(sumOf(corrections)),
      refunds_points: formatPoints(sumOf(refunds)),
      plans_points: formatPoints(sumOf(plans)),
      plan_fees_points: formatPoints(sumOf(fees)),
      plan_payments_points: formatPoints(sumOf(payments)),
    },
    credits: credits.map(showLine),
    usage: usage.map(({ model, calls, points }) => ({ model, calls, points: formatPoints(points) })),
    corrections: corrections.map(showLine),
    refunds: refunds.map(showLine),
    plans: plans.map(showLine),
    plan: { fees: fees.map(showFee), payments: payments.map(showPayment) },
    bought,
    rates: ratesOf(statement, deps).map(({ opening, closing, ...rate }) => ({
      ...rate,
      opening_amount: opening,
      closing_amount: closing,
    })),
  };
}

function showLine({ at, kind, reference, points, money }: WalletLine) {
  return { at: rfc3339(at), kind, reference, points: formatPoints(points), money };
}

function showFee({ at, reference, fee, points, money }: FeeLine) {
  const period = { plan: fee.plan, period: fee.period, ends_at: rfc3339(fee.ends_at) };
  return { at: rfc3339(at), reference, ...period, points: formatPoints(points), money };
}

function showPayment({ at, reference, points, money }: PlanLine) {
  return { at: rfc3339(at), reference, points: formatPoints(points), money };
}
