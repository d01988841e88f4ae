/**
 * What AWS charges, in US dollars, for us-east-1 without free tiers and discounts: each price with the day on which it
 * was read and where. Another region may cost more. Where no page was found the price is unknown, and nobody guesses it
 * (infra/cost/cost.md "Prices").
 */

interface AwsPrice {
  /** Dollars for one of `per`. Undefined if it is not known. */
  usd: number | undefined;
  per: string;
  /** The day on which it was read. */
  read: string;
  source: string;
}

const million = 1_000_000;
const unknownPrice = (per: string): AwsPrice => ({
  usd: undefined,
  per,
  read: "2026-11-23",
  source: "no page was found",
});

const toolkit = "https://github.com/aws/agent-toolkit-for-aws (calculate_costs.py, August 2026)";
const lambdaPage = "https://cloudchipr.com/blog/aws-lambda-pricing";
const infracost = "an estimate of Infracost: https://github.com/vreutova/infracost-idem-support/pull/2";
const factualMinds =
  "https://www.factualminds.com/blog/amazon-cloudwatch-pricing-metrics-logs-alarms-dashboards/ (June 2026)";
const secretsPage =
  "https://hivebook.wiki/wiki/aws-secrets-manager-rotated-secrets-dynamic-db-credentials-kms";

export const prices = {
  writeUnit: { usd: 0.625 / million, per: "write unit", read: "2026-11-21", source: toolkit },
  readUnit: { usd: 0.125 / million, per: "read unit", read: "2026-11-21", source: toolkit },
  tableGb: { usd: 0.25, per: "GB in a table, a month", read: "2026-11-21", source: toolkit },
  recoveryGb: unknownPrice("GB under point-in-time recovery, a month"),
  /** A message with a group, which keeps one customer's flood off the others', costs 0.10 more on a standard queue. */
  queueRequest: {
    usd: (0.4 + 0.1) / million,
    per: "request to a queue",
    read: "2026-11-21",
    source: "known before; no page is recorded",
  },
  lambdaRequest: { usd: 0.2 / million, per: "invocation", read: "2026-11-21", source: lambdaPage },
  lambdaGbSecond: {
    usd: 13.3334 / million,
    per: "GB-second on arm64",
    read: "2026-11-21",
    source: lambdaPage,
  },
  transition: {
    usd: 25 / million,
    per: "state transition",
    read: "2026-11-21",
    source: "https://aws.amazon.com/step-functions/pricing/",
  },
  logGb: { usd: 0.5, per: "GB of log lines", read: "2026-11-23", source: factualMinds },
  logGbMonth: { usd: 0.03, per: "GB of kept log lines, a month", read: "2026-11-23", source: infracost },
  alarmMetric: { usd: 0.1, per: "metric of an alarm, a month", read: "2026-11-23", source: infracost },
  customMetric: {
    usd: 0.3,
    per: "metric of our own, a month",
    read: "2026-11-23",
    source: "https://signoz.io/guides/cloudwatch-pricing (February 2026)",
  },
  dashboard: { usd: 3, per: "dashboard, a month", read: "2026-11-23", source: factualMinds },
  secret: { usd: 0.4, per: "secret, a month", read: "2026-11-23", source: secretsPage },
  secretCall: { usd: 0.05 / 10_000, per: "read of a secret", read: "2026-11-23", source: secretsPage },
  trailEvent: {
    usd: 0.1 / 100_000,
    per: "data event of a trail",
    read: "2026-11-23",
    source: "https://aws.amazon.com/cloudtrail/pricing/",
  },
  transferGb: {
    usd: 0.09,
    per: "GB to the internet, of the first 10 TB",
    read: "2026-11-23",
    source: "https://www.egresscost.com/aws",
  },
  trace: unknownPrice("trace of X-Ray"),
} as const satisfies Record<string, AwsPrice>;

export type PriceName = keyof typeof prices;
