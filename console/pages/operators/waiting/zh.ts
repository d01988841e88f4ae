export const words: typeof import("./en.ts").words = {
  lead: "需要你决定的事项。此页不会自动刷新。",
  orders: "待核对的订单",
  ordersLead: "实付与订单不符，或款项未经我们退回。",
  noOrders: "没有待核对的订单",
  invoices: "待开发票",
  invoicesLead: "等待最久的在前。",
  noInvoices: "没有待开的发票",
  proposals: "需要第二人确认的入账",
  proposalsLead: "最近的提议中仍待确认的。提议人不能自己确认。",
  noProposals: "没有待确认的提议",
};
