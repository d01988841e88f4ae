/** What a QR code of the sandbox opens: the order, and what its customer can do. Forms alone, and no script. */
import { escapeHtml } from "../../dashboard/chart.ts";
import type { SandboxCardPage } from "./saved-cards.ts";
import { cardKinds, type Trade, ways } from "./trade.ts";
import { refundedOf } from "./trades.ts";

/** Nothing is loaded but our own style, and forms go to this server only. */
export const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy":
    "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  "cache-control": "no-store",
  // With `no-referrer` a browser would not say of its own form where it comes from (loopback.ts).
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
};

const names = { alipay: "Alipay", wechat: "WeChat Pay", stripe: "Stripe" } as const;

/** The page of one order. */
export function payPage(trade: Trade): string {
  const { channel, order, state, subject, reference, return_url } = trade;
  const forms = Object.entries(ways).map(
    ([way, [label, meaning]]) =>
      `<li><button name="way" value="${way}">${label}</button><span>${meaning}</span></li>`,
  );
  const isOpen = state === "open" && !trade.card;
  return page(
    `${names[channel]} sandbox`,
    `<p class="amount">${amountText(trade.amount, trade.currency)}</p>
<p>${escapeHtml(subject)}</p>
<p><code>${escapeHtml(order)}</code></p>
<p role="status">${stateText(trade)}</p>
${isOpen ? `<form method="post" action="/pay/${encodeURIComponent(reference)}"><ul>${forms.join("")}</ul></form>` : ""}
${return_url === undefined ? "" : `<p><a href="${escapeHtml(return_url)}">Back to the shop</a></p>`}
${noticesList(trade)}
<p><a href="/">All orders</a></p>`,
  );
}

/** The page where a card is saved. No number is asked for: the kind of card says what becomes of its charges. */
export function cardPage({ reference, method, return_url }: SandboxCardPage): string {
  const forms = Object.entries(cardKinds).map(
    ([kind, [label, meaning]]) =>
      `<li><button name="kind" value="${kind}">${label}</button><span>${meaning}</span></li>`,
  );
  const form = `<form method="post" action="/card/${encodeURIComponent(reference)}"><ul>${forms.join("")}</ul></form>`;
  return page(
    "Stripe sandbox",
    `<p role="status">${method === undefined ? "No card is saved yet. Nothing is charged here." : "The card is saved."}</p>
${method === undefined ? form : ""}
<p><a href="${escapeHtml(return_url)}">Back to the shop</a></p>`,
  );
}

/** The page of all orders, newest first. */
export function tradesPage(trades: readonly Trade[]): string {
  const rows = trades.toReversed().map(
    (
      trade,
    ) => `<tr><td><a href="/pay/${encodeURIComponent(trade.reference)}">${escapeHtml(trade.order)}</a></td>
<td>${names[trade.channel]}</td><td>${amountText(trade.amount, trade.currency)}</td><td>${stateText(trade)}</td></tr>`,
  );
  const table = `<table><thead><tr><th>Order</th><th>Platform</th><th>Amount</th><th>State</th></tr></thead>
<tbody>${rows.join("")}</tbody></table>`;
  const empty = "<p>No order yet. Recharge in the console, and it appears here.</p>";
  return page("Payment sandbox", rows.length === 0 ? empty : table);
}

export const pageStyle = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{max-width:44rem;margin:2rem auto;padding:0 1rem}
.amount{font-size:2rem;font-weight:600;margin:.5rem 0}
ul{list-style:none;padding:0;display:grid;gap:.75rem}
li{display:grid;gap:.25rem}
button{font:inherit;padding:.5rem 1rem;max-width:20rem;cursor:pointer}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:.4rem .6rem;border-bottom:1px solid light-dark(#ccc,#555)}
code{overflow-wrap:anywhere}
`;

function noticesList({ notices }: Trade): string {
  if (notices.length === 0) return "";
  const items = notices.map(({ at, status }) => `<li>${new Date(at).toISOString()}: ${status}</li>`);
  return `<h2>Calls to the gateway</h2><ul>${items.join("")}</ul>`;
}

function stateText(trade: Trade): string {
  if (trade.declined !== undefined) return `Its card was declined: ${trade.declined}.`;
  if (trade.state === "open") return "Not paid yet.";
  if (trade.state === "closed") return "Closed. It can no longer be paid.";
  const refunded = refundedOf(trade);
  const paid = `Paid ${amountText(trade.paid ?? 0, trade.currency)}.`;
  return refunded === 0 ? paid : `${paid} ${amountText(refunded, trade.currency)} went back.`;
}

function amountText(minor: number, currency: string): string {
  const format = new Intl.NumberFormat("en", { style: "currency", currency });
  return format.format(minor / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}

function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${title}</title><link rel="stylesheet" href="/style.css"></head>
<body><main><h1>${title}</h1>${content}</main></body></html>`;
}
