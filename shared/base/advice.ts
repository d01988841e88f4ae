/** One sentence for each error that a call can end with, for receipts (reports/README.md "Failed calls"). */
import type { ErrorKey } from "./errors.ts";

interface Advice {
  en: string;
  zh: string;
}

/** Errors of people, of payments and of routes without a model. No call of a model ends with them. */
type OtherErrors =
  | "invalid_period"
  | "not_authenticated"
  | "key_not_found"
  | "method_not_allowed"
  | "no_websocket"
  | "invalid_state"
  | "upstream_cancel_failed"
  | "phone_registration"
  | "payment_channel"
  | "session_expired"
  | "login_frozen"
  | "verification_wrong"
  | "verification_expired"
  | "phone_unknown"
  | "order_not_found"
  | "invoice_not_found"
  | "sms_too_often"
  | "payment_signature"
  | "payment_platform";

const advice: Record<Exclude<ErrorKey, OtherErrors>, Advice> = {
  invalid_request: {
    en: "Correct what the answer named, and send the call again. As it is, it fails each time.",
    zh: "请按返回的说明修改请求后重新发送；原样重发仍会失败。",
  },
  invalid_key: {
    en: "Use a key that is in force. This one was revoked or has expired.",
    zh: "请使用有效的密钥：该密钥已被吊销或已过期。",
  },
  account_frozen: {
    en: "Ask the operator why the account is frozen. Calls are taken again once it is not.",
    zh: "请向运营方询问账户被冻结的原因，解冻后即可恢复调用。",
  },
  insufficient_balance: {
    en: "Recharge the wallet, or ask for less: a call holds the most that it may cost.",
    zh: "请充值，或减少请求的输出上限：每个调用会先占用其可能的最高费用。",
  },
  subscription_lapsed: {
    en: "Renew the plan, or use a key that the wallet pays for.",
    zh: "请续订套餐，或使用由钱包支付的密钥。",
  },
  permission_denied: {
    en: "Use a model and tools that the key and its plan include, or choose a larger plan.",
    zh: "请使用密钥及其套餐包含的模型和工具，或选择更高的套餐。",
  },
  own_key_refused: {
    en: "Give the organization another key at this provider, or fill up its account there.",
    zh: "请为组织更换该供应商的密钥，或在供应商处为其账户充值。",
  },
  not_found: {
    en: "Compare the model's name with the list of models.",
    zh: "请核对模型名称是否在模型列表中。",
  },
  idempotency_conflict: {
    en: "Wait for the first call with this Idempotency-Key, or give a new call a new one.",
    zh: "请等待使用同一幂等键的首个调用结束，或为新的调用使用新的幂等键。",
  },
  too_large: {
    en: "Send less at once.",
    zh: "请减小单次请求的内容。",
  },
  unsupported_encoding: {
    en: "Send the body without content-encoding.",
    zh: "请不要使用 content-encoding 发送请求体。",
  },
  global_rate_limited: {
    en: "Try again in a moment. No limit of your own was reached.",
    zh: "请稍后重试，并非您自身的限额已用尽。",
  },
  rate_limited: {
    en: "Send fewer calls or tokens a minute, or wait as long as the answer's retry-after says.",
    zh: "请降低每分钟的调用或 Token 数量，或按返回的 retry-after 等待。",
  },
  quota_exhausted: {
    en: "Wait for the quota's next month, choose a larger plan, or use a key that the wallet pays for.",
    zh: "请等待下个月的配额、选择更高的套餐，或使用由钱包支付的密钥。",
  },
  internal: {
    en: "Try again. If it happens again, tell the operator this request id.",
    zh: "请重试；若再次发生，请将此请求编号告知运营方。",
  },
  upstream_error: {
    en: "Try again, or name other models in x-gateway-fallback. The fault is the provider's.",
    zh: "请重试，或在 x-gateway-fallback 中指定其他模型：故障在供应商一侧。",
  },
  no_channel: {
    en: "Try again in a moment, or call another model. No provider could take this one.",
    zh: "请稍后重试，或调用其他模型：暂无供应商可用。",
  },
};

/** What to do about an error. Undefined for one that no call of a model ends with. */
export function adviceOn(key: ErrorKey): Advice | undefined {
  return (advice as Partial<Record<ErrorKey, Advice>>)[key];
}
