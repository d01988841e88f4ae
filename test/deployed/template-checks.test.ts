/** CloudFormation's own checks of the template, which other tests leave out because they take longer than a synthesis. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CfnQueue } from "aws-cdk-lib/aws-sqs";
import { afterAll, expect, test } from "vitest";
import { buildApp } from "#infra/deploy/build-app.ts";
import type { StageSettings } from "#infra/stage/stage.ts";
import { unbundled } from "#test/support/template.ts";

const scratch = mkdtempSync(join(tmpdir(), "template-checks-"));
afterAll(() => rmSync(scratch, { recursive: true }));

const build = (settings: StageSettings) =>
  buildApp({ stage: "prod", settings, outdir: join(scratch, "checked"), context: unbundled });

test("a stage behind a domain passes them", () => {
  const hostedZone = { id: "Z0123456789ABC", name: "example.com" };
  const domain = { name: "api.example.com", hostedZone, requestsPer5Minutes: 2000 };
  expect(() => build({ domain, alarmEmail: "ops@example.com" }).app.synth()).not.toThrow();
});

test.each([
  ["all of its own", { certificateArn: "arn:aws:acm:eu-west-1:123456789012:certificate/abc" }],
  ["tasks of Spot and a zone", { hostedZone: { id: "Z0123456789ABC", name: "example.com" }, spot: true }],
])("a stage with a service, with %s, passes them", (_, more) => {
  const service = { name: "api.example.com", ...more };
  expect(() => build({ front: "service", service, gatewayConcurrency: 5_500 }).app.synth()).not.toThrow();
});

test("a stage with both fronts, a console and telemetry passes them, until a property is not there", () => {
  const { app, stack } = build({
    front: "both",
    gatewayConcurrency: 1000,
    console: {
      registration: "closed",
      sendsByAws: true,
      mailFrom: "codes@example.com",
      notifyBase: "https://pay.example.com",
    },
    telemetry: { endpoint: "https://otlp.example.com", sample: 0.05 },
  });
  expect(() => app.synth()).not.toThrow();
  const [queue] = stack.node.findAll().filter((each) => each instanceof CfnQueue);
  queue?.addPropertyOverride("Wrong", 1);
  expect(() => app.synth({ force: true })).toThrow(/CloudFormation-Validate::F3002/);
});
