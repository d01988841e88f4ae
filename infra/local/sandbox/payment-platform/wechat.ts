/** Plays WeChat Pay, `/v3/…`. */
import { createCipheriv, createSign, createVerify, randomBytes } from "node:crypto";
import {
  headerOf,
  type Notice,
  type PlatformDeps,
  routeOf,
  type SandboxAnswer,
  type SandboxRequest,
} from "./answer.ts";
import type { Trade, TradeRefund } from "./trade.ts";
import { refundedOf } from "./trades.ts";

type Content = Readonly<Record<string, unknown>>;

/** Thrown where a call fails. */
class Failure extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message = code) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

interface MerchantAnswer {
  status: number;
  content?: object;
}

interface MerchantRequest {
  content: Content;
  /** The last variable part of the path. */
  id: string;
}

type WechatRoute = (asked: MerchantRequest, deps: PlatformDeps) => MerchantAnswer;

function tradeOf(id: string, { trades }: PlatformDeps): Trade {
  const trade = trades.find(id, "wechat");
  if (!trade) throw new Failure(404, "ORDER_NOT_EXIST");
  return trade;
}

const openTrade: WechatRoute = ({ content }, { trades, payPage, keys }) => {
  const order = String(content.out_trade_no);
  const { total, currency } = Object(content.amount) as { total?: unknown; currency?: unknown };
  const expires_at = Date.parse(String(content.time_expire));
  const description = String(content.description ?? "");
  const isRight =
    content.appid === keys.wechat.appid &&
    content.mchid === keys.wechat.mchid &&
    /^[\w*-]{6,32}$/.test(order) &&
    Number.isSafeInteger(total) &&
    Number(total) > 0 &&
    currency === "CNY" &&
    description !== "" &&
    Buffer.byteLength(description) <= 127 &&
    !Number.isNaN(expires_at) &&
    /^https?:\/\/[^?]+$/.test(String(content.notify_url));
  if (!isRight) throw new Failure(400, "PARAM_ERROR");
  const known = trades.find(order, "wechat");
  if (known?.state === "paid") throw new Failure(400, "ORDER_PAID");
  if (known?.state === "closed") throw new Failure(400, "ORDER_CLOSED");
  if (known && known.amount !== total) throw new Failure(403, "OUT_TRADE_NO_USED");
  const trade =
    known ??
    trades.add({
      channel: "wechat",
      order,
      reference: randomBytes(12).toString("hex"),
      amount: Number(total),
      currency: "CNY",
      subject: description,
      notify_url: String(content.notify_url),
      expires_at,
      scanned: true,
    });
  return { status: 200, content: { code_url: payPage(trade.reference) } };
};

const closeTrade: WechatRoute = ({ content, id }, deps) => {
  if (content.mchid !== deps.keys.wechat.mchid) throw new Failure(400, "PARAM_ERROR");
  const trade = tradeOf(id, deps);
  if (trade.state === "paid") throw new Failure(400, "ORDER_PAID");
  if (trade.state === "closed") throw new Failure(400, "ORDER_CLOSED");
  trade.state = "closed";
  return { status: 204 };
};

const refundTrade: WechatRoute = ({ content }, deps) => {
  const { refund, total, currency } = Object(content.amount) as Record<string, unknown>;
  const trade = deps.trades.find(String(content.out_trade_no), "wechat");
  if (!trade) throw new Failure(404, "RESOURCE_NOT_EXISTS");
  if (total !== trade.paid || currency !== "CNY" || !Number.isSafeInteger(refund))
    throw new Failure(400, "INVALID_REQUEST", "the amounts do not fit the order");
  const booked = deps.trades.refund(trade, String(content.out_refund_no), Number(refund));
  if (typeof booked === "string") throw new Failure(400, "INVALID_REQUEST", booked);
  return { status: 200, content: refundOf(booked.refund, trade) };
};

const routes: [method: string, path: RegExp, route: WechatRoute][] = [
  ["POST", /^\/v3\/pay\/transactions\/native$/, openTrade],
  [
    "GET",
    /^\/v3\/pay\/transactions\/out-trade-no\/([^/]+)$/,
    ({ id }, deps) => ({ status: 200, content: transactionOf(tradeOf(id, deps), deps) }),
  ],
  ["POST", /^\/v3\/pay\/transactions\/out-trade-no\/([^/]+)\/close$/, closeTrade],
  ["POST", /^\/v3\/refund\/domestic\/refunds$/, refundTrade],
  [
    "GET",
    /^\/v3\/refund\/domestic\/refunds\/([^/]+)$/,
    ({ id }, { trades }) => {
      for (const trade of trades.all()) {
        const refund = trade.channel === "wechat" && trade.refunds.find((each) => each.id === id);
        if (refund) return { status: 200, content: refundOf(refund, trade) };
      }
      throw new Failure(404, "RESOURCE_NOT_EXISTS");
    },
  ],
];

/** Answers a call. Every answer is signed but the one that says that a signature is wrong. */
export function wechatAnswer(request: SandboxRequest, deps: PlatformDeps): SandboxAnswer {
  try {
    checkCall(request, deps);
    const found = routeOf(routes, request);
    if (!found) throw new Failure(404, "RESOURCE_NOT_EXISTS");
    const { status, content } = found.route({ content: contentOf(request), id: found.id }, deps);
    return signed(status, content === undefined ? "" : JSON.stringify(content), deps);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { status, code, message } = error;
    const body = JSON.stringify({ code, message });
    if (status === 401) return { status, headers: { "content-type": "application/json" }, body };
    return signed(status, body, deps);
  }
}

function contentOf({ body, method, query }: SandboxRequest): Content {
  if (method === "GET") return Object.fromEntries(new URLSearchParams(query));
  return JSON.parse(body) as Content;
}

function checkCall(request: SandboxRequest, { keys, now }: PlatformDeps): void {
  const [scheme, ...rest] = headerOf(request, "authorization").split(" ");
  const pairs = [...rest.join(" ").matchAll(/(\w+)="([^"]*)"/g)].map(([, name = "", value = ""]) => [
    name,
    value,
  ]);
  const { mchid, nonce_str, signature, timestamp, serial_no } = Object.fromEntries(pairs) as Record<
    string,
    string
  >;
  const refused = (message: string) => new Failure(401, "SIGN_ERROR", message);
  if (scheme !== "WECHATPAY2-SHA256-RSA2048") throw refused("the kind of signature");
  if (mchid !== keys.wechat.mchid || serial_no !== keys.wechat.serial_no) throw refused("the merchant");
  if (!(Math.abs(now() / 1000 - Number(timestamp)) <= 300)) throw refused("the time");
  if (headerOf(request, "wechatpay-serial") !== keys.wechat.own_id) throw refused("the key of the answer");
  const path = request.query === "" ? request.path : `${request.path}?${request.query}`;
  const text = `${request.method}\n${path}\n${timestamp}\n${nonce_str}\n${request.body}\n`;
  if (
    !createVerify("RSA-SHA256")
      .update(text)
      .verify(keys.wechat.merchant, signature ?? "", "base64")
  )
    throw refused("the signature");
}

/** The headers of a signature over a body. */
function signatureOf(body: string, { keys, now }: PlatformDeps): Record<string, string> {
  const timestamp = String(Math.floor(now() / 1000));
  const nonce = randomBytes(16).toString("hex");
  const text = `${timestamp}\n${nonce}\n${body}\n`;
  return {
    "wechatpay-timestamp": timestamp,
    "wechatpay-nonce": nonce,
    "wechatpay-serial": keys.wechat.own_id,
    "wechatpay-signature-type": "WECHATPAY2-SHA256-RSA2048",
    "wechatpay-signature": createSign("RSA-SHA256").update(text).sign(keys.wechat.own, "base64"),
  };
}

function signed(status: number, body: string, deps: PlatformDeps): SandboxAnswer {
  const type = body === "" ? {} : { "content-type": "application/json; charset=utf-8" };
  return { status, headers: { ...type, ...signatureOf(body, deps) }, body };
}

function transactionOf(trade: Trade, { keys }: PlatformDeps): object {
  const { appid, mchid } = keys.wechat;
  const states = { open: "NOTPAY", closed: "CLOSED", paid: "SUCCESS" };
  return {
    appid,
    mchid,
    out_trade_no: trade.order,
    trade_state: refundedOf(trade) > 0 ? "REFUND" : states[trade.state],
    trade_state_desc: "sandbox",
    ...(trade.paid_at && {
      transaction_id: trade.transaction,
      trade_type: "NATIVE",
      success_time: new Date(trade.paid_at).toISOString(),
      payer: { openid: "sandbox" },
    }),
    amount: {
      total: trade.paid ?? trade.amount,
      payer_total: trade.paid,
      currency: "CNY",
      payer_currency: "CNY",
    },
  };
}

function refundOf({ id, amount, at }: TradeRefund, trade: Trade): object {
  return {
    refund_id: `50${id}`,
    out_refund_no: id,
    transaction_id: trade.transaction,
    out_trade_no: trade.order,
    channel: "ORIGINAL",
    status: "SUCCESS",
    create_time: new Date(at).toISOString(),
    amount: { total: trade.paid, refund: amount, currency: "CNY" },
  };
}

/** What WeChat Pay calls a merchant with about a payment. `forged`: one of its probes. */
export function wechatNotice(trade: Trade, deps: PlatformDeps, forged = false): Notice {
  const { api_v3_key } = deps.keys.wechat;
  const nonce = randomBytes(6).toString("hex");
  const associated_data = "transaction";
  const cipher = createCipheriv("aes-256-gcm", api_v3_key, nonce).setAAD(Buffer.from(associated_data));
  const sealed = [
    cipher.update(JSON.stringify(transactionOf(trade, deps))),
    cipher.final(),
    cipher.getAuthTag(),
  ];
  const body = JSON.stringify({
    id: randomBytes(16).toString("hex"),
    create_time: new Date(deps.now()).toISOString(),
    resource_type: "encrypt-resource",
    event_type: "TRANSACTION.SUCCESS",
    summary: "支付成功",
    resource: {
      original_type: "transaction",
      algorithm: "AEAD_AES_256_GCM",
      ciphertext: Buffer.concat(sealed).toString("base64"),
      associated_data,
      nonce,
    },
  });
  const signature = signatureOf(body, deps);
  const probe = {
    "wechatpay-signature": `WECHATPAY/SIGNTEST/${signature["wechatpay-signature"]?.slice(19)}`,
  };
  return {
    url: trade.notify_url,
    headers: { "content-type": "application/json", ...signature, ...(forged && probe) },
    body,
  };
}
