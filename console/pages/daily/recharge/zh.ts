import { words as orders } from "../orders/zh.ts";
import type { words as english } from "./en.ts";

export const words: typeof english = {
  orders,
  lead: "使用钱包的密钥按点数支付调用。点数不会过期。",
  balance: "余额",
  amount: "金额",
  amounts: "选择金额",
  bounds: (min, max) => `${min} 至 ${max}。`,
  wrong: (min, max) => `请输入 ${min} 至 ${max} 之间的金额，例如 ${min}。`,
  get: "到账",
  pay: (amount) => `支付 ${amount}`,
  late: "付款迟到会怎样",
  lateLead:
    "订单在 15 分钟内可付款。之后到达的款项同样会全额到账，且只到账一次。如果已付款却未显示，请重新查询。",
  list: "订单",
  listLead: "包含点数和套餐，最新的在前。",
  none: "还没有订单",
  noneLead: "请在上方选择金额。订单及其状态会显示在这里。",
  what: "内容",
  paid: "金额",
  state: "状态",
  show: "查看",
  showOf: (id) => `查看订单 ${id}`,
  again: "重新查询",
  againOf: (id) => `重新查询订单 ${id}`,
  refunded: (amount) => `已退回 ${amount}`,
};
