/** The files of the product that may reach the network, or that know addresses. */
export const connectingFiles: readonly string[] = [
  ...["clouds", "console-deps", "deps", "front/client-address", "front/front", "learner"].map(
    (name) => `functions/${name}.ts`,
  ),
  `shared/base/platform/aws.ts`,
  ...["dynamodb", "secrets", "sqs", "step-functions"].map(
    (name) => `shared/base/platform/clients/${name}.ts`,
  ),
  ...["container-credentials", "http-client", "public-address", "undici"].map(
    (name) => `shared/base/platform/${name}.ts`,
  ),
  "shared/books/accounts/address-range.ts",
  ...["tasks/provider", "telemetry/exporter"].map((name) => `shared/calls/${name}.ts`),
  "shared/edges/operator/ask-clouds.ts",
  ...["address", "mail/ses", "sms/aws", "sms/inbox"].map((name) => `shared/people/identity/${name}.ts`),
  "shared/people/payments/platforms.ts",
];
