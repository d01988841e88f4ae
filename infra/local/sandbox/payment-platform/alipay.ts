/** Plays Alipay's gateway, `/gateway.do`. */
import { createSign, createVerify, randomBytes } from "node:crypto";
import type { Notice, PlatformDeps, SandboxAnswer, SandboxRequest } from "./answer.ts";
import type { Trade } from "./trade.ts";
import { refundedOf } from "./trades.ts";

type Content = Readonly<Record<string, unknown>>;
type MerchantFields = Record<string, string>;

/** Thrown where a call fails; Alipay's code, and the detailed one. */
class Failure extends Error {
  readonly fields: MerchantFields;

  constructor(code: string, sub_code: string) {
    super(sub_code);
    this.fields = {
      code,
      msg: code === "40004" ? "Business Failed" : "Invalid Arguments",
      sub_code,
      sub_msg: sub_code,
    };
  }
}

const business = (code: string) => new Failure("40004", `ACQ.${code}`);

/** A trade is there once its QR code is scanned. */
function tradeOf({ out_trade_no }: Content, { trades }: PlatformDeps): Trade {
  const trade = trades.find(String(out_trade_no), "alipay");
  if (!trade?.scanned) throw business("TRADE_NOT_EXIST");
  return trade;
}

type Method = (content: Content, parameters: MerchantFields, deps: PlatformDeps) => MerchantFields;

const methods: Record<string, Method> = {
  "alipay.trade.precreate": (content, { notify_url = "" }, { trades, payPage, now }) => {
    const order = String(content.out_trade_no);
    const amount = fenOf(content.total_amount);
    const minutes = Number(/^(\d+)m$/.exec(String(content.qr_code_timeout_express))?.[1]);
    if (!/^[\w-]{1,64}$/.test(order) || amount === undefined || !content.subject || !minutes)
      throw new Failure("40002", "isv.invalid-parameter");
    if (/[/=&]/.test(String(content.subject))) throw new Failure("40002", "isv.invalid-parameter");
    const known = trades.find(order, "alipay");
    if (known?.state === "paid") throw business("TRADE_HAS_SUCCESS");
    if (known?.state === "closed") throw business("TRADE_HAS_CLOSE");
    if (known && known.amount !== amount) throw business("CONTEXT_INCONSISTENT");
    const trade =
      known ??
      trades.add({
        channel: "alipay",
        order,
        reference: randomBytes(12).toString("hex"),
        amount,
        currency: "CNY",
        subject: String(content.subject),
        notify_url,
        expires_at: now() + minutes * 60_000,
        scanned: false,
      });
    return { out_trade_no: order, qr_code: payPage(trade.reference) };
  },

  "alipay.trade.query": (content, _, deps) => {
    const trade = tradeOf(content, deps);
    return {
      out_trade_no: trade.order,
      trade_no: trade.transaction ?? `2026${trade.reference}`,
      trade_status: statusOf(trade),
      total_amount: yuanOf(trade.paid ?? trade.amount),
      buyer_logon_id: "dem***@sandbox.example",
      ...(trade.paid_at && { send_pay_date: timeOf(trade.paid_at) }),
    };
  },

  "alipay.trade.close": (content, _, deps) => {
    const trade = tradeOf(content, deps);
    if (trade.state !== "open") throw business("TRADE_STATUS_ERROR");
    trade.state = "closed";
    return { out_trade_no: trade.order, trade_no: `2026${trade.reference}` };
  },

  "alipay.trade.refund": (content, _, deps) => {
    const trade = tradeOf(content, deps);
    const booked = deps.trades.refund(
      trade,
      String(content.out_request_no),
      fenOf(content.refund_amount) ?? 0,
    );
    if (booked === "too_much") throw business("REFUND_AMT_NOT_EQUAL_TOTAL");
    if (booked === "not_paid") throw business("TRADE_STATUS_ERROR");
    if (booked === "another_amount") throw business("DISCORDANT_REPEAT_REQUEST");
    return {
      out_trade_no: trade.order,
      trade_no: String(trade.transaction),
      fund_change: booked.same ? "N" : "Y",
      refund_fee: yuanOf(refundedOf(trade)),
    };
  },

  "alipay.trade.fastpay.refund.query": (content, _, deps) => {
    const trade = tradeOf(content, deps);
    const refund = trade.refunds.find(({ id }) => id === content.out_request_no);
    if (!refund) return {};
    return {
      out_trade_no: trade.order,
      out_request_no: refund.id,
      refund_amount: yuanOf(refund.amount),
      total_amount: yuanOf(trade.paid ?? 0),
      refund_status: "REFUND_SUCCESS",
    };
  },
};

/** Answers a call of the gateway. Every answer is signed, also one that refuses. */
export function alipayAnswer(request: SandboxRequest, deps: PlatformDeps): SandboxAnswer {
  const pairs = [...new URLSearchParams(request.query), ...new URLSearchParams(request.body)];
  const parameters: MerchantFields = Object.fromEntries(pairs);
  const name = parameters.method ?? "";
  let fields: MerchantFields;
  try {
    checkCall(pairs, parameters, deps);
    const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
    if (!method) throw new Failure("40002", "isv.invalid-method");
    const content = JSON.parse(parameters.biz_content ?? "null") as Content;
    fields = { code: "10000", msg: "Success", ...method(content, parameters, deps) };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    fields = error.fields;
  }
  // Alipay escapes slashes, and signs what it writes.
  const content = JSON.stringify(fields).replaceAll("/", "\\/");
  const sign = createSign("RSA-SHA256").update(content).sign(deps.keys.alipay.own, "base64");
  const body = `{"${name.replaceAll(".", "_")}_response":${content},"sign":"${sign}"}`;
  return { status: 200, headers: { "content-type": "text/html;charset=utf-8" }, body };
}

function checkCall(pairs: [string, string][], parameters: MerchantFields, { keys, now }: PlatformDeps): void {
  const { app_id, charset, sign_type, sign, timestamp = "", version } = parameters;
  if (new Set(pairs.map(([name]) => name)).size < pairs.length)
    throw new Failure("40002", "isv.invalid-parameter");
  if (app_id !== keys.alipay.app_id) throw new Failure("40002", "isv.invalid-app-id");
  if (charset !== "utf-8" || version !== "1.0" || sign_type !== "RSA2")
    throw new Failure("40002", "isv.invalid-parameter");
  const at = Date.parse(`${timestamp.replace(" ", "T")}+08:00`);
  if (!(Math.abs(now() - at) <= 600_000)) throw new Failure("40002", "isv.invalid-timestamp");
  const text = signedText(parameters, ["sign"]);
  if (!sign || !createVerify("RSA-SHA256").update(text).verify(keys.alipay.merchant, sign, "base64"))
    throw new Failure("40002", "isv.invalid-signature");
}

/** What Alipay calls a merchant with about a trade that is paid. `forged`: with a signature that is not over it. */
export function alipayNotice(trade: Trade, { keys, now }: PlatformDeps, forged = false): Notice {
  const fields: MerchantFields = {
    notify_time: timeOf(now()),
    notify_type: "trade_status_sync",
    notify_id: randomBytes(16).toString("hex"),
    app_id: keys.alipay.app_id,
    auth_app_id: keys.alipay.app_id,
    seller_id: keys.alipay.seller_id,
    charset: "utf-8",
    version: "1.0",
    out_trade_no: trade.order,
    trade_no: trade.transaction ?? `2026${trade.reference}`,
    trade_status: forged ? "TRADE_SUCCESS" : statusOf(trade),
    subject: trade.subject,
    total_amount: yuanOf(trade.paid ?? trade.amount),
    receipt_amount: yuanOf(trade.paid ?? trade.amount),
    buyer_pay_amount: yuanOf(trade.paid ?? trade.amount),
    fund_bill_list: JSON.stringify([{ amount: yuanOf(trade.paid ?? 0), fundChannel: "ALIPAYACCOUNT" }]),
    buyer_logon_id: "dem***@sandbox.example",
    gmt_create: timeOf(trade.created_at),
    ...(trade.paid_at && { gmt_payment: timeOf(trade.paid_at) }),
    ...(refundedOf(trade) > 0 && { refund_fee: yuanOf(refundedOf(trade)), gmt_refund: timeOf(now()) }),
  };
  const text = forged ? "something else" : signedText(fields, ["sign", "sign_type"]);
  const sign = createSign("RSA-SHA256").update(text).sign(keys.alipay.own, "base64");
  return {
    url: trade.notify_url,
    headers: { "content-type": "application/x-www-form-urlencoded; charset=utf-8" },
    body: new URLSearchParams({ ...fields, sign_type: "RSA2", sign }).toString(),
  };
}

function signedText(fields: MerchantFields, without: string[]): string {
  return Object.keys(fields)
    .filter((name) => !without.includes(name) && fields[name] !== "")
    .sort()
    .map((name) => `${name}=${fields[name]}`)
    .join("&");
}

function statusOf(trade: Trade): string {
  if (trade.state === "open") return "WAIT_BUYER_PAY";
  if (trade.state === "closed" || refundedOf(trade) === trade.paid) return "TRADE_CLOSED";
  return "TRADE_SUCCESS";
}

function fenOf(yuan: unknown): number | undefined {
  const [, whole, cents = ""] = /^(\d{1,9})(?:\.(\d{1,2}))?$/.exec(String(yuan)) ?? [];
  return whole === undefined ? undefined : Number(`${whole}${cents.padEnd(2, "0")}`);
}

function yuanOf(fen: number): string {
  const digits = String(fen).padStart(3, "0");
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

function timeOf(at: number): string {
  return new Date(at + 28_800_000).toISOString().slice(0, 19).replace("T", " ");
}
