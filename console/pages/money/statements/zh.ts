export const words: typeof import("./en.ts").words = {
  lead: "钱包每月的期初余额、充值和调用费用。月份按 UTC 计。",
  month: "月份",
  opening: "期初",
  closing: "期末",
  running: "进行中",
  page: "打印页",
  pageOf: (month) => `打印页：${month} 账单`,
  csv: "CSV 表格",
  csvOf: (month) => `CSV 表格：${month} 账单`,
  none: "还没有账单",
  noneLead: "钱包首次入账后会出现第一份账单。",
  recharge: "充值",
};
