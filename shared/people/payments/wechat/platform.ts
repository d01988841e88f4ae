/** WeChat Pay: an order is paid by a QR code that its application scans ("Native"). */
import type { ChannelDeps } from "../ask.ts";
import type { PaymentPlatform } from "../platform.ts";
import type { WechatSettings } from "../settings.ts";
import { createWechatClient, type WechatAnswer } from "./client.ts";
import { evidenceOf, readWechatNotice } from "./notice.ts";

const orderAbsent = new Set(["ORDER_NOT_EXIST", "ORDERNOTEXIST"]);
const refundAbsent = new Set(["RESOURCE_NOT_EXISTS"]);

/** Answers to a refund after which WeChat Pay has not paid back, and will not by this request. */
const refusals = new Set(["INVALID_REQUEST", "NOT_ENOUGH", "RESOURCE_NOT_EXISTS", "USER_ACCOUNT_ABNORMAL"]);

const refundStates: Readonly<Record<string, "done" | "pending" | "refused">> = {
  SUCCESS: "done",
  PROCESSING: "pending",
  // The customer's account cannot take it. Somebody has to decide at WeChat Pay.
  ABNORMAL: "pending",
  CLOSED: "refused",
};

/** The channel of one merchant. */
export function createWechat(settings: WechatSettings, deps: ChannelDeps): PaymentPlatform {
  const { appId: appid, merchantId: mchid } = settings;
  const { call, failed } = createWechatClient(settings, deps);
  const accounts = { appid, mchid };
  const orderPath = (id: string) => `/v3/pay/transactions/out-trade-no/${encodeURIComponent(id)}`;

  const refundState = (operation: string, { ok, code, fields }: WechatAnswer) => {
    const state = refundStates[String(fields.status)];
    if (!ok || state === undefined) throw failed(operation, code || `status ${fields.status}`);
    return state;
  };

  const queryRefund: PaymentPlatform["queryRefund"] = async ({ id }) => {
    const path = `/v3/refund/domestic/refunds/${encodeURIComponent(id)}`;
    const answer = await call("query refund", { method: "GET", path });
    return refundAbsent.has(answer.code) ? "absent" : refundState("query refund", answer);
  };

  return {
    channel: "wechat",
    accounts,
    currencies: ["CNY"],
    queryRefund,

    async open(order) {
      const content = {
        appid,
        mchid,
        description: descriptionOf(order.subject),
        out_trade_no: order.id,
        time_expire: new Date(order.expires_at).toISOString().replace(/\.\d+Z$/, "Z"),
        notify_url: order.notify_url,
        amount: { total: order.amount, currency: order.currency },
      };
      const path = "/v3/pay/transactions/native";
      const { code, fields } = await call("open", { method: "POST", path, content });
      if (typeof fields.code_url !== "string") throw failed("open", code || "no QR code");
      return { qr_code: fields.code_url };
    },

    async query({ id }) {
      const path = `${orderPath(id)}?mchid=${encodeURIComponent(mchid)}`;
      const { ok, code, fields } = await call("query", { method: "GET", path });
      if (orderAbsent.has(code)) return { channel: "wechat", order: id, accounts, state: "absent" };
      const evidence = ok ? evidenceOf(fields) : undefined;
      if (evidence?.order !== id) throw failed("query", code || `state ${fields.trade_state}`);
      return evidence;
    },

    async close({ id }) {
      const path = `${orderPath(id)}/close`;
      const { ok, code } = await call("close", { method: "POST", path, content: { mchid } });
      if (ok || code === "ORDER_CLOSED" || code === "ORDERCLOSED") return "closed";
      if (orderAbsent.has(code)) return "absent";
      if (code === "ORDER_PAID" || code === "ORDERPAID") return "paid";
      throw failed("close", code);
    },

    async refund(refund) {
      const { amount, currency, paid } = refund.order;
      // WeChat Pay compares the total with what was paid, which a person may have accepted as another amount.
      const total = paid?.amount ?? amount;
      const content = {
        out_trade_no: refund.order.id,
        out_refund_no: refund.id,
        reason: refund.reason.slice(0, 80),
        amount: { refund: refund.amount, total, currency },
      };
      const answer = await call("refund", { method: "POST", path: "/v3/refund/domestic/refunds", content });
      if (!refusals.has(answer.code)) return refundState("refund", answer);
      // An earlier request with this id may have done it, after which this one may look wrong.
      const found = await queryRefund(refund);
      return found === "absent" ? "refused" : found;
    },

    readNotice: async (request) => readWechatNotice(request, settings, deps.now()),
    accepted: () => ({ status: 204, headers: {}, body: "" }),
  };
}

/** WeChat Pay takes 127 bytes. A character is not cut through. */
function descriptionOf(text: string): string {
  let kept = "";
  for (const character of text.replace(/\p{Cc}+/gu, " ")) {
    if (Buffer.byteLength(kept + character) > 127) break;
    kept += character;
  }
  return kept;
}
