/** What AWS charges, in US dollars, for us-east-1 without free tiers and discounts (infra/cost/cost.md "Prices"). */

const million = 1_000_000;

/** Where prices were read, and on which day. */
const pages = {
  toolkit: ["2026-11-21", "https://github.com/aws/agent-toolkit-for-aws (calculate_costs.py, August 2026)"],
  known: ["2026-11-21", "known before; no page is recorded"],
  lambda: ["2026-11-21", "https://cloudchipr.com/blog/aws-lambda-pricing"],
  workflow: ["2026-11-21", "https://aws.amazon.com/step-functions/pricing/"],
  estimate: [
    "2026-11-23",
    "an estimate of Infracost: https://github.com/vreutova/infracost-idem-support/pull/2",
  ],
  watch: [
    "2026-11-23",
    "https://www.factualminds.com/blog/amazon-cloudwatch-pricing-metrics-logs-alarms-dashboards/ (June 2026)",
  ],
  metrics: ["2026-11-23", "https://signoz.io/guides/cloudwatch-pricing (February 2026)"],
  secrets: [
    "2026-11-23",
    "https://hivebook.wiki/wiki/aws-secrets-manager-rotated-secrets-dynamic-db-credentials-kms",
  ],
  trail: ["2026-11-23", "https://aws.amazon.com/cloudtrail/pricing/"],
  transfer: ["2026-11-23", "https://www.egresscost.com/aws"],
  fargate: [
    "2026-11-29",
    "https://cloudburn.io/blog/aws-fargate-pricing (April 2026), and https://www.vantage.sh/blog/fargate-pricing",
  ],
  balancer: ["2026-11-29", "https://cloud-horizons.com/blog/alb-the-line-item-nobody-watches/ (May 2026)"],
  address: ["2026-11-29", "https://vishalvyas.com/understand-aws-public-ipv4-address-usage-and-pricing/"],
  recovery: ["2026-11-29", "https://finops.com.py/services/dynamodb/backups"],
  bus: ["2026-11-30", "https://cloudburn.io/blog/amazon-eventbridge-pricing (March 2026)"],
  traces: ["2026-11-29", "https://aws.amazon.com/xray/pricing/"],
} as const;

/** A price in dollars for one of `per`. */
function price(usd: number, per: string, page: keyof typeof pages) {
  const [read, source] = pages[page];
  return { usd, per, read, source };
}

export const prices = {
  writeUnit: price(0.625 / million, "write unit", "toolkit"),
  readUnit: price(0.125 / million, "read unit", "toolkit"),
  tableGb: price(0.25, "GB in a table, a month", "toolkit"),
  recoveryGb: price(0.2, "GB under point-in-time recovery, a month", "recovery"),
  /** A message with a group, which keeps one customer's flood off the others', costs 0.10 more on a standard queue. */
  queueRequest: price((0.4 + 0.1) / million, "request to a queue", "known"),
  lambdaRequest: price(0.2 / million, "invocation", "lambda"),
  lambdaGbSecond: price(13.3334 / million, "GB-second on arm64", "lambda"),
  transition: price(25 / million, "state transition", "workflow"),
  logGb: price(0.5, "GB of log lines", "watch"),
  logGbMonth: price(0.03, "GB of kept log lines, a month", "estimate"),
  alarmMetric: price(0.1, "metric of an alarm, a month", "estimate"),
  customMetric: price(0.3, "metric of our own, a month", "metrics"),
  dashboard: price(3, "dashboard, a month", "watch"),
  secret: price(0.4, "secret, a month", "secrets"),
  secretCall: price(0.05 / 10_000, "read of a secret", "secrets"),
  trailEvent: price(0.1 / 100_000, "data event of a trail", "trail"),
  fargateCpuHour: price(0.03238, "hour of a CPU of Fargate on arm64", "fargate"),
  fargateGbHour: price(0.00356, "hour of a GB of Fargate on arm64", "fargate"),
  balancerHour: price(0.0225, "hour of a load balancer", "balancer"),
  balancerUnitHour: price(0.008, "hour of a capacity unit of a load balancer", "balancer"),
  addressHour: price(0.005, "hour of a public address", "address"),
  transferGb: price(0.09, "GB to the internet, of the first 10 TB", "transfer"),
  busEvent: price(1 / million, "event on a bus of ours", "bus"),
  trace: price(5 / million, "trace of X-Ray", "traces"),
} as const;

export type PriceName = keyof typeof prices;
