export const words: typeof import("./en.ts").words = {
  balance: "余额",
  held: (points) => `${points} 点由进行中的调用占用`,
  daysLeft: (days) => (days > 366 ? "按目前速度可用一年以上" : `按目前速度可用 ${days} 天`),
  noPace: "最近七天没有消费",
  recharge: "充值",
  today: "今日费用",
  yesterday: (figure) => `昨日同期 ${figure}`,
  calls: "今日调用",
  inFlight: "进行中的调用",
  inFlightNote: "此刻",
  quota: "套餐配额",
  quotaUntil: (day) => `至 ${day}`,
  chart: "最近 30 天的费用",
  chartTitle: (total) => `最近 30 天按日期和模型的费用，单位为点，合计 ${total}。`,
  day: "日期",
  others: "其他模型",
  emptyTitle: "还没有调用",
  emptyLead: "创建一个 API 密钥，用它调用模型。几秒内就会在这里看到第一次调用。",
  makeKey: "创建 API 密钥",
  openUsage: "查看用量",
  lowBalance: (days) =>
    days < 1
      ? "按目前速度，余额不够用一天。用完后调用会被拒绝。"
      : `按目前速度，余额还可用 ${days} 天。用完后调用会被拒绝。`,
  plan_ends: (day) => `套餐将于 ${day} 到期。之后套餐的调用会被拒绝。`,
  plan_ended: (day) => `套餐已于 ${day} 到期。套餐的调用会被拒绝。`,
  seePlan: "查看套餐",
};
