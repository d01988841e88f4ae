/** What a statement's page says, in each language of the console. */
import type { CreditKind } from "../../books/ledger/ledger.ts";

const en = {
  statement: "Statement",
  utc: "All times are UTC.",
  running: "This month is not over. The figures are those of now.",
  opening: "Opening balance",
  credits: "Credits",
  usage: "Usage",
  corrections: "Corrections",
  refunds: "Refunds",
  plans: "Plans paid with points",
  closing: "Closing balance",
  points: "Points",
  time: "Time",
  kind: "Kind",
  reference: "Reference",
  order: "Order",
  money: "Paid",
  model: "Model",
  calls: "Calls",
  plan: "Plan",
  until: "Until",
  fees: "Plan fees",
  payments: "Payments of plans",
  apart: "Fees of plans and their payments do not change the balance, except where points of the wallet pay.",
  worth: "Worth at today's rates",
  bought: "Balance in points, and what was paid for it",
  unpaid: "nobody paid",
  currency: "Currency",
  rate: "Points for one unit",
  kinds: {
    bought: "bought",
    promotional: "promotional",
    refund: "refund",
    adjustment: "correction",
    plan: "plan",
  } as Record<CreditKind, string>,
};

export type StatementWords = typeof en;

const zh: StatementWords = {
  statement: "账单",
  utc: "所有时间均为 UTC。",
  running: "本月尚未结束，以下为截至目前的数字。",
  opening: "期初余额",
  credits: "入账",
  usage: "用量",
  corrections: "更正",
  refunds: "退款",
  plans: "点数支付的套餐",
  closing: "期末余额",
  points: "点数",
  time: "时间",
  kind: "类型",
  reference: "凭证号",
  order: "订单",
  money: "付款",
  model: "模型",
  calls: "调用次数",
  plan: "套餐",
  until: "到期",
  fees: "套餐费用",
  payments: "套餐付款",
  apart: "套餐费用及其付款不影响余额，用钱包点数支付的除外。",
  worth: "按今日汇率折合",
  bought: "余额点数及其付款金额",
  unpaid: "非付费",
  currency: "币种",
  rate: "每单位点数",
  kinds: { bought: "购买", promotional: "赠送", refund: "退款", adjustment: "更正", plan: "套餐" },
};

export const statementLocales = ["en", "zh"] as const;
export type StatementLocale = (typeof statementLocales)[number];

export const statementWords: Record<StatementLocale, StatementWords> = { en, zh };
