/** A statement as one page to read and to print: no script, no address outside, and one style that is in it. */
import { createHash } from "node:crypto";
import { formatPoints } from "../billing/points.ts";
import { type LineMoney, type PlanLine, type Statement, sumOf, type WalletLine } from "./statement.ts";
import { type StatementLocale, type StatementWords, statementWords } from "./statement-words.ts";

/** What the balances are worth in a currency, as decimal strings of it. */
export interface StatementRate {
  currency: string;
  points_per_unit: string;
  opening: string;
  closing: string;
}

/**
 * What of the balances was bought in a currency, and for how much, each purchase at its own rate. Without a currency:
 * points that nobody paid for.
 */
export interface StatementBought {
  currency: string | null;
  opening_points: string;
  opening_amount: string | null;
  closing_points: string;
  closing_amount: string | null;
}

/** What the balances are worth: at today's rates, and at those of their purchases. */
interface StatementWorth {
  rates: readonly StatementRate[];
  bought: readonly StatementBought[];
}

/** The hash below is of exactly this text. */
const style = `
body{font:14px/1.5 system-ui,"PingFang SC","Microsoft YaHei",sans-serif;color:#111;background:#fff;max-width:60rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem;margin:0}h2{font-size:1.1rem;margin:1.5rem 0 .25rem}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:.25rem .5rem;border-bottom:1px solid #ccc;vertical-align:top}
.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.id{overflow-wrap:anywhere}
.sum td,.sum th{font-weight:600;border-top:2px solid #111}
.note{color:#444}
@page{size:A4;margin:15mm}
@media print{body{max-width:none;margin:0;padding:0;font-size:10pt}h2{break-after:avoid}tr{break-inside:avoid}thead{display:table-header-group}}
`;

const styleHash = `sha256-${createHash("sha256").update(style).digest("base64")}`;
const pagePolicy = `default-src 'none'; style-src '${styleHash}'; base-uri 'none'; form-action 'none'`;

/** The policy that the page is served under. */
export const statementPolicy = `${pagePolicy}; frame-ancestors 'none'`;

/** The page of a statement. Every text of other people, such as a name, is escaped. */
export function statementHtml(
  statement: Statement,
  organization: { id: string; name: string },
  { rates, bought }: StatementWorth,
  locale: StatementLocale,
): string {
  const words = statementWords[locale];
  const title = `${words.statement} ${statement.month}`;
  return `<!doctype html>
<html lang="${locale}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="content-security-policy" content="${escaped(pagePolicy)}">
<title>${escaped(`${title} – ${organization.name}`)}</title><style>${style}</style></head>
<body><h1>${escaped(title)}</h1>
<p>${escaped(organization.name)}<br>${escaped(organization.id)}</p>
<p class="note">${escaped(words.utc)}${statement.is_running ? `<br><strong>${escaped(words.running)}</strong>` : ""}</p>
${summaryOf(statement, words)}
${boughtOf(bought, words)}
${ratesOf(rates, words)}
${walletLines(words.credits, statement.credits, words)}
${usageLines(statement, words)}
${walletLines(words.corrections, statement.corrections, words)}
${walletLines(words.refunds, statement.refunds, words)}
${walletLines(words.plans, statement.plans, words)}
${planLines(words.fees, statement.fees, words)}
${planLines(words.payments, statement.payments, words)}
${statement.fees.length + statement.payments.length > 0 ? `<p class="note">${escaped(words.apart)}</p>` : ""}
</body></html>
`;
}

/** A text as it may stand in HTML, also in an attribute. */
export function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

function summaryOf(statement: Statement, words: StatementWords): string {
  const { opening, closing, credits, usage, corrections, refunds, plans } = statement;
  const rows: [string, bigint][] = [
    [words.opening, opening],
    [words.credits, sumOf(credits)],
    [words.usage, -sumOf(usage)],
    [words.corrections, sumOf(corrections)],
    [words.refunds, sumOf(refunds)],
    [words.plans, sumOf(plans)],
  ];
  const lines = rows.map(
    ([name, points]) => `<tr><th scope="row">${escaped(name)}</th>${figure(points)}</tr>`,
  );
  const last = `<tr class="sum"><th scope="row">${escaped(words.closing)}</th>${figure(closing)}</tr>`;
  return `<table>${head([words.statement], [words.points])}<tbody>${lines.join("")}${last}</tbody></table>`;
}

function ratesOf(rates: readonly StatementRate[], words: StatementWords): string {
  const rows = rates.map(({ currency, points_per_unit, opening, closing }) =>
    row([currency], [points_per_unit, opening, closing]),
  );
  return tableOf(words.worth, head([words.currency], [words.rate, words.opening, words.closing]), rows);
}

function boughtOf(lines: readonly StatementBought[], words: StatementWords): string {
  const cell = (points: string, amount: string | null) =>
    amount === null ? points : `${points} (${amount})`;
  const rows = lines.map((line) =>
    row(
      [line.currency ?? words.unpaid],
      [cell(line.opening_points, line.opening_amount), cell(line.closing_points, line.closing_amount)],
    ),
  );
  return tableOf(words.bought, head([words.currency], [words.opening, words.closing]), rows);
}

function walletLines(title: string, lines: readonly WalletLine[], words: StatementWords): string {
  const rows = lines.map(({ at, kind, reference, points, money }) =>
    row([instantText(at), words.kinds[kind], reference, ...moneyCells(money)], [formatPoints(points)]),
  );
  const top = head([words.time, words.kind, words.reference, words.order, words.money], [words.points]);
  return tableOf(title, top, rows);
}

/** The order, and what was paid for it and where. */
function moneyCells(money: LineMoney | null): string[] {
  return money ? [money.order, `${money.amount} ${money.currency}, ${money.channel}`] : ["", ""];
}

function usageLines({ usage }: Statement, words: StatementWords): string {
  const rows = usage.map(({ model, calls, points }) => row([model], [String(calls), formatPoints(points)]));
  return tableOf(words.usage, head([words.model], [words.calls, words.points]), rows);
}

function planLines(title: string, lines: readonly PlanLine[], words: StatementWords): string {
  const rows = lines.map(({ at, reference, fee, points, money }) => {
    const plan = fee ? `${fee.plan} ${fee.period}` : "";
    return row(
      [instantText(at), plan, fee ? instantText(fee.ends_at) : "", reference, ...moneyCells(money)],
      [formatPoints(points)],
    );
  });
  const names = [words.time, words.plan, words.until, words.reference, words.order, words.money];
  return tableOf(title, head(names, [words.points]), rows);
}

function tableOf(title: string, top: string, rows: readonly string[]): string {
  if (rows.length === 0) return "";
  return `<h2>${escaped(title)}</h2><table>${top}<tbody>${rows.join("")}</tbody></table>`;
}

function head(texts: readonly string[], figures: readonly string[]): string {
  const cells = [
    ...texts.map((text) => `<th scope="col">${escaped(text)}</th>`),
    ...figures.map((text) => `<th scope="col" class="n">${escaped(text)}</th>`),
  ];
  return `<thead><tr>${cells.join("")}</tr></thead>`;
}

function row(texts: readonly string[], figures: readonly string[]): string {
  const cells = [
    ...texts.map((text) => `<td${isLong(text) ? ' class="id"' : ""}>${escaped(text)}</td>`),
    ...figures.map((text) => `<td class="n">${escaped(text)}</td>`),
  ];
  return `<tr>${cells.join("")}</tr>`;
}

/** Ids and references break anywhere, so that a table is as wide as its page. No other word breaks. */
function isLong(text: string): boolean {
  return text.length > 16 && !text.includes(" ");
}

function figure(points: bigint): string {
  return `<td class="n">${formatPoints(points)}</td>`;
}

/** To the second: `2026-11-23 09:00:00`. */
function instantText(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace("T", " ");
}
