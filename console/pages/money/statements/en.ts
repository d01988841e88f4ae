export const words = {
  lead: "Each month of the wallet: what was there, what was paid in, what calls cost. Months are UTC.",
  month: "Month",
  opening: "At the beginning",
  closing: "At the end",
  running: "still running",
  page: "Print",
  pageOf: (month: string) => `Page to print of ${month}`,
  csv: "CSV",
  csvOf: (month: string) => `CSV of ${month}`,
  none: "No statements yet",
  noneLead: "The first one begins with the first points in the wallet.",
  recharge: "Recharge",
};
