export const words = {
  lead: "What takes a decision of yours. Nothing here is read again by itself.",
  orders: "Orders in review",
  ordersLead: "What was paid differs from the order, or money went back without us.",
  noOrders: "No order is in review",
  invoices: "Invoices to issue",
  invoicesLead: "The longest waiting first.",
  noInvoices: "No invoice waits",
  proposals: "Credits that take a second person",
  proposalsLead: "Of the newest proposals those that are open. Whoever proposed one cannot confirm it.",
  noProposals: "No proposal waits",
};
