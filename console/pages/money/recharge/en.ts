import { words as orders } from "../orders/en.ts";

export const words = {
  orders,
  lead: "Points pay for calls of keys that use the wallet. They do not expire.",
  balance: "Balance",
  amount: "Amount",
  amounts: "Choose an amount",
  bounds: (min: string, max: string) => `From ${min} to ${max}.`,
  wrong: (min: string, max: string) => `An amount from ${min} to ${max}, such as ${min}.`,
  get: "You get",
  pay: (amount: string) => `Pay ${amount}`,
  late: "What happens to a late payment",
  lateLead:
    "An order can be paid for 15 minutes. Money that arrives after that is credited too, once and in full. If you paid and see nothing, ask again.",
  list: "Orders",
  listLead: "Of points and of plans, the newest first.",
  none: "No orders yet",
  noneLead: "Choose an amount above. What you order is listed here with its state.",
  what: "What",
  paid: "Amount",
  state: "State",
  show: "Show",
  showOf: (id: string) => `Show order ${id}`,
  again: "Ask again",
  againOf: (id: string) => `Ask again about order ${id}`,
  refunded: (amount: string) => `${amount} paid back`,
};
