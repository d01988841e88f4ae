export const words = {
  balance: "Balance",
  held: (points: string) => `${points} held by calls in flight`,
  daysLeft: (days: number) =>
    days > 366
      ? "over a year at this pace"
      : days === 1
        ? "one day at this pace"
        : `${days} days at this pace`,
  noPace: "nothing spent in the last seven days",
  recharge: "Recharge",
  today: "Today",
  yesterday: (figure: string) => `${figure} by this time yesterday`,
  calls: "Calls today",
  inFlight: "Calls in flight",
  inFlightNote: "right now",
  quota: "Quota of the plan",
  quotaUntil: (day: string) => `until ${day}`,
  chart: "Cost of the last 30 days",
  chartTitle: (total: string) => `Cost by day and model of the last 30 days, in points. In total ${total}.`,
  day: "Day",
  others: "Other models",
  emptyTitle: "No calls yet",
  emptyLead: "Make an API key, then call a model with it. The first call shows here within seconds.",
  makeKey: "Create an API key",
  openUsage: "Open usage",
  lowBalance: (days: number) =>
    days < 1
      ? "At this pace the balance lasts less than a day. Then calls are refused."
      : `At this pace the balance lasts ${days === 1 ? "one more day" : `${days} more days`}. Then calls are refused.`,
  plan_ends: (day: string) => `The plan ends on ${day}. After that, its calls are refused.`,
  plan_ended: (day: string) => `The plan ended on ${day}. Its calls are refused.`,
  seePlan: "See the plan",
};
