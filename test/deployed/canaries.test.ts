/** How new versions take over in the synthesized template, who may invoke what, and what other partitions get. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { rollbackAlarms } from "#infra/monitoring/rollback.ts";
import { resourcesOf, Synthesized, text, unbundled } from "#test/support/template.ts";

const scratch = mkdtempSync(join(tmpdir(), "canaries-test-"));
const functions = ["Gateway", "Settle", "Sweep", "VideoTask", "Learner", "Console"];
let prod: Synthesized;

beforeAll(() => {
  prod = new Synthesized("prod", scratch, undefined, unbundled);
});

afterAll(() => rmSync(scratch, { recursive: true }));

const groupOf = (name: string) =>
  prod.one("AWS::CodeDeploy::DeploymentGroup", name === "Gateway" ? "Deployment" : `${name}Deployment`)
    .Properties;

const alarmsOf = (group: { AlarmConfiguration: { Alarms: { Name: unknown }[] } }) =>
  group.AlarmConfiguration.Alarms.map(({ Name }) => text(Name).replace(/^Alarms/, ""));

describe("every function", () => {
  it("has an alias, and whatever invokes a function invokes its alias", () => {
    const live = functions.map((name) => `${name}Aliaslive`).sort();
    expect(
      prod
        .all("AWS::Lambda::Alias")
        .map(([name]) => name)
        .sort(),
    ).toEqual(live);
    const mapped = prod
      .all("AWS::Lambda::EventSourceMapping")
      .map(([, each]) => each.Properties.FunctionName);
    const ruled = prod
      .all("AWS::Events::Rule")
      .flatMap(([, each]) => each.Properties.Targets.map(({ Arn }: { Arn: unknown }) => Arn));
    const permitted = prod.all("AWS::Lambda::Permission").map(([, each]) => each.Properties.FunctionName);
    for (const target of [...mapped, ...ruled, ...permitted])
      expect(live).toContain(text(target).replace(/:live$/, ""));
    const { Properties } = prod.one("AWS::StepFunctions::StateMachine", "VideoWorkflowMachine");
    expect(JSON.stringify(Properties.DefinitionString)).toMatch(/"Ref":"VideoTaskAliaslive[0-9A-F]{8}"/);
    expect(JSON.stringify(Properties.DefinitionString)).not.toContain("Fn::GetAtt");
  });

  it.each(functions)("%s goes back from a new version when one of its alarms rings", (name) => {
    const group = groupOf(name);
    const key = `${name[0]?.toLowerCase()}${name.slice(1)}` as keyof typeof rollbackAlarms;
    // A service has that alarm, and no function.
    const own = rollbackAlarms[key].filter((alarm) => alarm !== "ServiceErrors");
    expect(alarmsOf(group).sort()).toEqual(own.sort());
    // CodeDeploy takes no more.
    expect(alarmsOf(group).length).toBeLessThanOrEqual(10);
    expect(group.AlarmConfiguration.Enabled).toBe(true);
    expect(group.AutoRollbackConfiguration.Events).toContain("DEPLOYMENT_STOP_ON_ALARM");
    const { UpdatePolicy } = prod.one("AWS::Lambda::Alias", `${name}Aliaslive`);
    const policy = UpdatePolicy?.CodeDeployLambdaAliasUpdate as { DeploymentGroupName: unknown } | undefined;
    expect(text(policy?.DeploymentGroupName)).toBe(name === "Gateway" ? "Deployment" : `${name}Deployment`);
  });

  it.each(functions)("%s is watched in the version that is tried alone", (name) => {
    const { Metrics, ...plain } = prod.one("AWS::CloudWatch::Alarm", `Alarms${name}Canary`).Properties;
    const stats = (Metrics ?? []).flatMap(
      ({ MetricStat }: { MetricStat?: { Metric: unknown } }) => MetricStat ?? [],
    );
    const watched = Metrics ? stats.map((stat: { Metric: unknown }) => stat.Metric) : [plain];
    for (const { Namespace, Dimensions } of watched) {
      expect(Namespace).toBe("AWS/Lambda");
      const told = Dimensions.map(({ Name, Value }: { Name: string; Value: unknown }) => [Name, text(Value)]);
      expect(Object.fromEntries(told)).toEqual({
        FunctionName: name,
        Resource: `${name}:live`,
        ExecutedVersion: expect.stringMatching(`^${name}CurrentVersion`),
      });
    }
  });
});

describe("a new version", () => {
  it("gets a tenth of the calls for five minutes, and of the sweep's nearly all for ten", () => {
    for (const name of ["Gateway", "Settle", "VideoTask", "Learner", "Console"]) {
      expect(groupOf(name).DeploymentConfigName).toBe("CodeDeployDefault.LambdaCanary10Percent5Minutes");
    }
    expect(text(groupOf("Sweep").DeploymentConfigName)).toBe("SweepShift");
    const { Properties } = prod.one("AWS::CodeDeploy::DeploymentConfig", "SweepShift");
    expect(Properties).toMatchObject({
      ComputePlatform: "Lambda",
      TrafficRoutingConfig: {
        TimeBasedCanary: { CanaryInterval: 10, CanaryPercentage: 99 },
        Type: "TimeBasedCanary",
      },
    });
    // Two runs of the sweep fit in.
    const { ScheduleExpression } = prod.one("AWS::Events::Rule", "SweepSchedule").Properties;
    expect(ScheduleExpression).toBe("rate(5 minutes)");
  });

  it("of the gateway waits until those that read what it writes have moved", () => {
    const { DependsOn } = prod.one("AWS::Lambda::Alias", "GatewayAliaslive") as { DependsOn?: string[] };
    for (const reader of ["Settle", "VideoTask", "Learner"]) {
      expect(DependsOn?.some((id) => id.startsWith(`${reader}Aliaslive`))).toBe(true);
    }
  });

  it("of the sweep waits for the gateway and the console, which read what it has spread", () => {
    const { DependsOn } = prod.one("AWS::Lambda::Alias", "SweepAliaslive") as { DependsOn?: string[] };
    for (const reader of ["Gateway", "Console"]) {
      expect(DependsOn?.some((id) => id.startsWith(`${reader}Aliaslive`))).toBe(true);
    }
  });

  it("takes over at once, and no alarm takes it back, where that was asked for", () => {
    const context = { rollback: "off" };
    const settings = { runbooks: "https://wiki.example.com/gateway" };
    const repair = resourcesOf({ stage: "prod", outdir: join(scratch, "repair"), context, settings });
    const groups = repair.filter(([, { Type }]) => Type === "AWS::CodeDeploy::DeploymentGroup");
    expect(groups).toHaveLength(functions.length);
    for (const [, { Properties }] of groups) {
      expect(Properties.DeploymentConfigName).toBe("CodeDeployDefault.LambdaAllAtOnce");
      expect(Properties.AlarmConfiguration?.Alarms ?? []).toEqual([]);
    }
    // People are told all the same.
    const alarms = repair.filter(([, { Type }]) => Type === "AWS::CloudWatch::Alarm");
    expect(alarms).toHaveLength(prod.all("AWS::CloudWatch::Alarm").length);
    const [, letters] = alarms.find(([name]) => name === "AlarmsDeadLetters") ?? [];
    expect(letters?.Properties.AlarmDescription).toContain(`What to do: ${settings.runbooks}/DeadLetters.`);
  });

  it("is fed by the mapping that there was before there were aliases", () => {
    const mappings = Object.entries(prod.resources).filter(
      ([, { Type }]) => Type === "AWS::Lambda::EventSourceMapping",
    );
    expect(mappings.map(([id]) => id).sort()).toEqual([
      "LearnerSqsEventSourcemodelgatewayprodLessonQueueLessons28145E493216CF0F",
      "SettleSqsEventSourcemodelgatewayprodUsageQueueUsage7B58F5071EFE938F",
    ]);
  });
});

describe("a service of AWS", () => {
  const ours = { StringEquals: { "aws:SourceAccount": { Ref: "AWS::AccountId" } } };

  it("takes a role for this account alone", () => {
    const roles = prod.all("AWS::IAM::Role");
    expect(roles.length).toBeGreaterThan(6);
    for (const [name, { Properties }] of roles) {
      for (const { Principal, Condition } of Properties.AssumeRolePolicyDocument.Statement) {
        // The operators' role is one of people.
        if (name.startsWith("OperatorRole")) continue;
        expect(Object.keys(Principal), name).toEqual(["Service"]);
        expect(Condition, name).toEqual(ours);
      }
    }
  });

  it("invokes a function for a rule of this account alone", () => {
    const permissions = prod
      .all("AWS::Lambda::Permission")
      .map(([, { Properties }]) => Properties)
      .filter(({ Principal }) => Principal !== "*");
    expect(permissions.map(({ Principal }) => Principal)).toEqual(Array(4).fill("events.amazonaws.com"));
    for (const { SourceAccount, SourceArn } of permissions) {
      expect(SourceAccount).toEqual({ Ref: "AWS::AccountId" });
      expect(SourceArn).toHaveProperty("Fn::GetAtt");
    }
  });
});

/** Every text in a template with the names that lead to it. */
function* textsOf(value: unknown, path: string[] = []): Generator<[path: string[], text: string]> {
  if (typeof value === "string") yield [path, value];
  else if (typeof value === "object" && value !== null)
    for (const [name, child] of Object.entries(value)) yield* textsOf(child, [...path, name]);
}

/** Texts that hold in one partition alone. Names of services are the same in all of them. */
function boundTo(resources: object): string[] {
  return [...textsOf(resources)]
    .filter(([path, value]) => {
      const isService = path.at(-1) === "Service" || path.at(-1) === "Principal";
      return /arn:aws[a-z-]*:/.test(value) || (!isService && /amazonaws\.com|api\.aws/.test(value));
    })
    .map(([path, value]) => `${path.join(".")}: ${value}`);
}

test("no partition is written into the template", () => {
  expect(boundTo(prod.resources)).toEqual([]);
});

test.each([
  ["cn-north-1", "aws-cn"],
  ["us-gov-west-1", "aws-us-gov"],
])("a stage in %s names no other partition than %s", (region, partition) => {
  const bound = boundTo(resourcesOf({ stage: "prod", region, outdir: join(scratch, region) }));
  expect(bound.filter((each) => !each.includes(`arn:${partition}:`))).toEqual([]);
});
