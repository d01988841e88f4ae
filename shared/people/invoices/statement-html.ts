/** A statement as one page to read and to print: no script, no address outside, and one style that is in it. */
import { createHash } from "node:crypto";
import { formatPoints } from "../../books/billing/points.ts";
import { type LineMoney, type PlanLine, type Statement, sumOf, type WalletLine } from "./statement.ts";
import { type StatementLocale, type StatementWords, statementWords } from "./statement-words.ts";

/** What the balances are worth in a currency, as decimal strings of it. */
export interface StatementRate {
  currency: string;
  points_per_unit: string;
  opening: string;
  closing: string;
}

/** What was bought in a currency, and for how much, each purchase at its rate. Without one: points nobody paid for. */
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
function escaped(text: string): string {
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
  const rows = rates.map(({ currency, points_per_unit, opening, closing }): Row => {
    return [[currency], [points_per_unit, opening, closing]];
  });
  return tableOf(words.worth, [words.currency], [words.rate, words.opening, words.closing], rows);
}

function boughtOf(lines: readonly StatementBought[], words: StatementWords): string {
  const cell = (points: string, amount: string | null) =>
    amount === null ? points : `${points} (${amount})`;
  const rows = lines.map((line): Row => {
    const [opening, closing] = [line.opening_points, line.closing_points];
    const figures = [cell(opening, line.opening_amount), cell(closing, line.closing_amount)];
    return [[line.currency ?? words.unpaid], figures];
  });
  return tableOf(words.bought, [words.currency], [words.opening, words.closing], rows);
}

function walletLines(title: string, lines: readonly WalletLine[], words: StatementWords): string {
  const rows = lines.map(({ at, kind, reference, points, money }): Row => {
    return [[instantText(at), words.kinds[kind], reference, ...moneyCells(money)], [formatPoints(points)]];
  });
  const names = [words.time, words.kind, words.reference, words.order, words.money];
  return tableOf(title, names, [words.points], rows);
}

/** The order, and what was paid for it and where. */
function moneyCells(money: LineMoney | null): string[] {
  return money ? [money.order, `${money.amount} ${money.currency}, ${money.channel}`] : ["", ""];
}

function usageLines({ usage }: Statement, words: StatementWords): string {
  const rows = usage.map(({ model, calls, points }): Row => [[model], [String(calls), formatPoints(points)]]);
  return tableOf(words.usage, [words.model], [words.calls, words.points], rows);
}

function planLines(title: string, lines: readonly PlanLine[], words: StatementWords): string {
  const rows = lines.map(({ at, reference, fee, points, money }): Row => {
    const plan = fee ? [`${fee.plan} ${fee.period}`, instantText(fee.ends_at)] : ["", ""];
    return [[instantText(at), ...plan, reference, ...moneyCells(money)], [formatPoints(points)]];
  });
  const names = [words.time, words.plan, words.until, words.reference, words.order, words.money];
  return tableOf(title, names, [words.points], rows);
}

type Row = [texts: readonly string[], figures: readonly string[]];

/** A table under its title, or nothing without rows. A column of texts that says nothing in any row is left out. */
function tableOf(
  title: string,
  texts: readonly string[],
  figures: readonly string[],
  rows: readonly Row[],
): string {
  if (rows.length === 0) return "";
  const told = (cells: readonly string[]) =>
    cells.filter((_, column) => rows.some(([own]) => own[column] !== ""));
  const lines = rows.map(([own, numbers]) => {
    const cells = told(own).map((text) => `<td${isLong(text) ? ' class="id"' : ""}>${escaped(text)}</td>`);
    return `<tr>${cells.join("")}${numbers.map((text) => `<td class="n">${escaped(text)}</td>`).join("")}</tr>`;
  });
  return `<h2>${escaped(title)}</h2><table>${head(told(texts), figures)}<tbody>${lines.join("")}</tbody></table>`;
}

function head(texts: readonly string[], figures: readonly string[]): string {
  const cells = [
    ...texts.map((text) => `<th scope="col">${escaped(text)}</th>`),
    ...figures.map((text) => `<th scope="col" class="n">${escaped(text)}</th>`),
  ];
  return `<thead><tr>${cells.join("")}</tr></thead>`;
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
