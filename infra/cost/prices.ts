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
const price = (usd: number, per: string, read: string, source: string) => ({ usd, per, read, source });
const unknownPrice = (per: string): AwsPrice => ({
  ...{ usd: undefined, per, read: "2026-11-23", source: "no page was found" },
});

const toolkit = "https://github.com/aws/agent-toolkit-for-aws (calculate_costs.py, August 2026)";
const lambdaPage = "https://cloudchipr.com/blog/aws-lambda-pricing";
const infracost = "an estimate of Infracost: https://github.com/vreutova/infracost-idem-support/pull/2";
const factualMinds =
  "https://www.factualminds.com/blog/amazon-cloudwatch-pricing-metrics-logs-alarms-dashboards/ (June 2026)";
const secretsPage =
  "https://hivebook.wiki/wiki/aws-secrets-manager-rotated-secrets-dynamic-db-credentials-kms";

export const prices = {
  writeUnit: price(0.625 / million, "write unit", "2026-11-21", toolkit),
  readUnit: price(0.125 / million, "read unit", "2026-11-21", toolkit),
  tableGb: price(0.25, "GB in a table, a month", "2026-11-21", toolkit),
  recoveryGb: unknownPrice("GB under point-in-time recovery, a month"),
  /** A message with a group, which keeps one customer's flood off the others', costs 0.10 more on a standard queue. */
  queueRequest: price(
    (0.4 + 0.1) / million,
    "request to a queue",
    "2026-11-21",
    "known before; no page is recorded",
  ),
  lambdaRequest: price(0.2 / million, "invocation", "2026-11-21", lambdaPage),
  lambdaGbSecond: price(13.3334 / million, "GB-second on arm64", "2026-11-21", lambdaPage),
  transition: price(
    25 / million,
    "state transition",
    "2026-11-21",
    "https://aws.amazon.com/step-functions/pricing/",
  ),
  logGb: price(0.5, "GB of log lines", "2026-11-23", factualMinds),
  logGbMonth: price(0.03, "GB of kept log lines, a month", "2026-11-23", infracost),
  alarmMetric: price(0.1, "metric of an alarm, a month", "2026-11-23", infracost),
  customMetric: price(
    0.3,
    "metric of our own, a month",
    "2026-11-23",
    "https://signoz.io/guides/cloudwatch-pricing (February 2026)",
  ),
  dashboard: price(3, "dashboard, a month", "2026-11-23", factualMinds),
  secret: price(0.4, "secret, a month", "2026-11-23", secretsPage),
  secretCall: price(0.05 / 10_000, "read of a secret", "2026-11-23", secretsPage),
  trailEvent: price(
    0.1 / 100_000,
    "data event of a trail",
    "2026-11-23",
    "https://aws.amazon.com/cloudtrail/pricing/",
  ),
  transferGb: price(
    0.09,
    "GB to the internet, of the first 10 TB",
    "2026-11-23",
    "https://www.egresscost.com/aws",
  ),
  trace: unknownPrice("trace of X-Ray"),
} as const satisfies Record<string, AwsPrice>;

export type PriceName = keyof typeof prices;
