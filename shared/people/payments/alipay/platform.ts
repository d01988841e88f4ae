/** Alipay: an order is paid by a QR code that its application scans (`alipay.trade.precreate`). */
import type { ChannelDeps } from "../ask.ts";
import type { Evidence, PaymentPlatform, RefundRequest } from "../platform.ts";
import type { AlipaySettings } from "../settings.ts";
import { yuanText } from "./amount.ts";
import { type AlipayAnswer, type AlipayClient, createAlipayClient } from "./client.ts";
import { paymentOf, readAlipayNotice, returnedBy, stateOf } from "./notice.ts";

/** Until a QR code is scanned, Alipay has no trade. */
const notThere = "ACQ.TRADE_NOT_EXIST";

/** Answers after which Alipay will surely not pay back. Every other code leaves the refund open. */
const refusals = new Set([
  notThere,
  "ACQ.BUYER_ERROR",
  "ACQ.BUYER_NOT_EXIST",
  "ACQ.CUSTOMER_VALIDATE_ERROR",
  "ACQ.NOT_ALLOW_PARTIAL_REFUND",
  "ACQ.REASON_TRADE_REFUND_FEE_ERR",
  "ACQ.REASON_TRADE_STATUS_INVALID",
  "ACQ.REFUND_AMT_NOT_EQUAL_TOTAL",
  "ACQ.REFUND_FEE_ERROR",
  "ACQ.SELLER_BALANCE_NOT_ENOUGH",
  "ACQ.TRADE_HAS_FINISHED",
  "ACQ.TRADE_STATUS_ERROR",
]);

/** The channel of one merchant. */
export function createAlipay(settings: AlipaySettings, deps: ChannelDeps): PaymentPlatform {
  const client = createAlipayClient(settings, deps);
  const accounts = { app_id: settings.appId, seller_id: settings.sellerId };
  const query = (order: { id: string }): Promise<Evidence> => queryTrade(order.id, accounts, client);
  const queryRefund = (refund: RefundRequest) => findRefund(refund, client);
  return {
    channel: "alipay",
    accounts,
    currencies: ["CNY"],
    query,
    queryRefund,

    async open(order) {
      const method = "alipay.trade.precreate";
      const minutes = Math.max(1, Math.floor((order.expires_at - deps.now()) / 60_000));
      const content = {
        out_trade_no: order.id,
        total_amount: yuanText(order.amount),
        subject: subjectOf(order.subject),
        // The one is the life of the QR code. The other counts from its scan.
        qr_code_timeout_express: `${minutes}m`,
        timeout_express: `${minutes}m`,
      };
      const { ok, code, fields } = await client.call(method, content, order.notify_url);
      if (!ok || !fields.qr_code || fields.out_trade_no !== order.id) throw client.failed(method, code);
      return { qr_code: fields.qr_code };
    },

    async close({ id }) {
      const method = "alipay.trade.close";
      const { ok, code, subCode } = await client.call(method, { out_trade_no: id });
      if (ok) return "closed";
      if (subCode === notThere) return "absent";
      // Alipay closes only what nobody has paid, and says the same of a paid trade and of a closed one.
      const { state } = await query({ id });
      if (state === "closed" || state === "absent") return state;
      if (state === "paid" || state === "refunded") return "paid";
      throw client.failed(method, code);
    },

    async refund(refund) {
      const method = "alipay.trade.refund";
      const content = {
        out_trade_no: refund.order.id,
        out_request_no: refund.id,
        refund_amount: yuanText(refund.amount),
        refund_reason: refund.reason.slice(0, 200),
      };
      const { ok, code, subCode, fields } = await client.call(method, content);
      const isRefused = refusals.has(subCode);
      if (!ok && !isRefused) throw client.failed(method, code);
      if (fields.fund_change === "Y") return "done";
      // No money moved by this request. It may have by an earlier one, after which this one may look wrong.
      if ((await queryRefund(refund)) === "done") return "done";
      return isRefused ? "refused" : "pending";
    },

    readNotice: async (request) => readAlipayNotice(request, client),
    accepted: () => ({ status: 200, headers: { "content-type": "text/plain" }, body: "success" }),
  };
}

async function queryTrade(
  order: string,
  accounts: Evidence["accounts"],
  client: AlipayClient,
): Promise<Evidence> {
  const method = "alipay.trade.query";
  const answer = await client.call(method, { out_trade_no: order });
  // An answer names no account. It is to a request that we signed as this application.
  const about = { channel: "alipay", order, accounts } as const;
  if (answer.subCode === notThere) return { ...about, state: "absent" };
  const state = answer.ok ? stateOf(answer.fields, answer.fields.send_pay_date) : undefined;
  if (state === undefined || answer.fields.out_trade_no !== order) throw client.failed(method, told(answer));
  const payment = paymentOf(answer.fields, answer.fields.send_pay_date);
  // An answer tells of no part that went back: only a trade of which all did is another one.
  return { ...about, state, ...payment, ...(state === "refunded" && returnedBy(answer.fields, true)) };
}

async function findRefund(
  { id, order }: RefundRequest,
  client: AlipayClient,
): Promise<"done" | "pending" | "absent"> {
  const method = "alipay.trade.fastpay.refund.query";
  const { ok, code, subCode, fields } = await client.call(method, {
    out_trade_no: order.id,
    out_request_no: id,
  });
  if (subCode === notThere) return "absent";
  if (!ok) throw client.failed(method, code);
  if (fields.refund_status === "REFUND_SUCCESS") return "done";
  return fields.refund_status === undefined ? "absent" : "pending";
}

const told = ({ code, fields }: AlipayAnswer): string => `${code} ${fields.trade_status ?? ""}`.trim();

/** Alipay takes no `/`, `=` and `&` in a subject, and 256 characters. */
function subjectOf(text: string): string {
  return text.replace(/[/=&\p{Cc}]+/gu, " ").slice(0, 256);
}
