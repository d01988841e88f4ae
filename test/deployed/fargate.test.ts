/** The template of a stage whose front is a service of ECS: its tasks, its balancer, its grants, its deployments. */
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { writeArchive } from "#infra/bundles/server-archive.ts";
import { buildApp } from "#infra/deploy/build-app.ts";
import { rollbackAlarms } from "#infra/monitoring/rollback.ts";
import { outputs } from "#infra/stage/outputs.ts";
import { limits } from "#shared/base/limits.ts";
import { Synthesized, text, unbundled } from "#test/support/template.ts";

const scratch = mkdtempSync(join(tmpdir(), "service-test-"));
const hostedZone = { id: "Z0123456789ABC", name: "example.com" };
const service = { name: "api.example.com", hostedZone };
const certificateArn = "arn:aws:acm:eu-west-1:123456789012:certificate/abc";
let plain: Synthesized;
let spot: Synthesized;
let url: Synthesized;

beforeAll(() => {
  plain = new Synthesized("prod", scratch, undefined, unbundled, { front: "service", service });
  spot = new Synthesized("dev", scratch, undefined, unbundled, {
    front: "service",
    gatewayConcurrency: 5_500,
    service: { name: "api.example.com", certificateArn, spot: true },
  });
  url = new Synthesized("prod", scratch, undefined, unbundled);
});

afterAll(() => rmSync(scratch, { recursive: true }));

/** The properties of the only resource of a type. */
function only(stack: Synthesized, type: string) {
  const found = stack.all(type);
  expect(found.map(([name]) => name)).toHaveLength(1);
  return found[0]?.[1].Properties;
}

const taskOf = (stack: Synthesized) => only(stack, "AWS::ECS::TaskDefinition");
// biome-ignore lint/suspicious/noExplicitAny: a template is foreign JSON, and every use asserts its shape.
const containerOf = (stack: Synthesized, name: string): any =>
  taskOf(stack).ContainerDefinitions.find(({ Name }: { Name: string }) => Name === name);
const environmentOf = (stack: Synthesized): Record<string, string> =>
  Object.fromEntries(
    containerOf(stack, "Server").Environment.map(({ Name, Value }: { Name: string; Value: unknown }) => [
      Name,
      text(Value),
    ]),
  );
const attributesOf = (properties: { [list: string]: { Key: string; Value: string }[] }, list: string) =>
  Object.fromEntries((properties[list] ?? []).map(({ Key, Value }) => [Key, Value]));
const targetsOf = (stack: Synthesized) =>
  attributesOf(only(stack, "AWS::ElasticLoadBalancingV2::TargetGroup"), "TargetGroupAttributes");

test("the setting and its front belong together", () => {
  const build = (settings: object) => () =>
    buildApp({ stage: "prod", settings, outdir: join(scratch, "wrong"), context: unbundled, isLocal: true });
  expect(build({ front: "service" })).toThrow(/"service" belong together/);
  expect(build({ service })).toThrow(/"service" belong together/);
  const elsewhere = { ...service, hostedZone: { ...hostedZone, name: "example.org" } };
  expect(build({ front: "service", service: elsewhere })).toThrow(
    /service: api\.example\.com is not in the zone/,
  );
});

test("a stage without it has none of its parts", () => {
  const parts = /^AWS::(ECS|ElasticLoadBalancingV2|EC2|ApplicationAutoScaling)::/;
  expect(Object.values(url.resources).filter(({ Type }) => parts.test(Type))).toEqual([]);
  expect(url.outputs[outputs.serviceUrl]).toBeUndefined();
});

test("a stage with it has no function of the gateway, and says its address", () => {
  expect(plain.all("AWS::Lambda::Function").map(([name]) => name)).not.toContain("Gateway");
  expect(plain.outputs[outputs.gatewayUrl]).toBeUndefined();
  expect(plain.outputs[outputs.serviceUrl]).toBe("https://api.example.com/");
  expect(plain.outputs[outputs.serviceTarget]).toBe("ServiceGatewayBalancer");
});

describe("a task", () => {
  it("is of arm64, and runs Node with what the other container has fetched", () => {
    expect(taskOf(plain)).toMatchObject({
      Cpu: "512",
      Memory: "1024",
      RequiresCompatibilities: ["FARGATE"],
      RuntimePlatform: { CpuArchitecture: "ARM64" },
    });
    const [fetcher, server] = [containerOf(plain, "Fetch"), containerOf(plain, "Server")];
    expect(fetcher).toMatchObject({ Essential: false, Image: expect.stringMatching(/^public\.ecr\.aws\//) });
    expect(server).toMatchObject({
      Essential: true,
      Image: expect.stringMatching(/^public\.ecr\.aws\/.*node:24/),
      DependsOn: [{ ContainerName: "Fetch", Condition: "SUCCESS" }],
      StopTimeout: 120,
      LinuxParameters: { InitProcessEnabled: true },
    });
    expect(fetcher.Command.at(-1)).toBe(environmentOf(plain).SERVER_ARCHIVE);
    expect(server.MountPoints[0].SourceVolume).toBe(fetcher.MountPoints[0].SourceVolume);
  });

  it("knows the checksum of the archive that is deployed, which has the whole folder", () => {
    const file = join(plain.server, "..", "server.archive");
    const archive = readFileSync(file);
    const sha256 = createHash("sha256").update(archive).digest("hex");
    expect(environmentOf(plain).SERVER_ARCHIVE_SHA256).toBe(sha256);
    const names = JSON.parse(gunzipSync(archive).toString()).map(([name]: [string]) => name);
    expect(names).toEqual(expect.arrayContaining(["index.js", "index.cjs", "package.json"]));
    // The same files have the same checksum, so a deployment of the same code replaces no task.
    expect(writeArchive(plain.server, join(scratch, "again.archive"))).toBe(sha256);
  });

  it("finds in its environment what the function finds in its own", () => {
    const own = [
      "PORT",
      "GRACE_SECONDS",
      "PROXIES",
      "KEEP_ALIVE_SECONDS",
      "SERVER_ARCHIVE",
      "SERVER_ARCHIVE_SHA256",
    ];
    const rest = Object.entries(environmentOf(plain)).filter(([name]) => !own.includes(name));
    expect(Object.fromEntries(rest)).toEqual(url.environment("Gateway"));
    expect(Object.keys(environmentOf(plain))).toEqual(expect.arrayContaining(own));
  });

  it("may do what the function may, and read its archive", () => {
    const gateway = url.grants("GatewayRole").filter((line) => !/^(xray|logs):/.test(line));
    const lines = plain.grants("ServiceGatewayTaskRole");
    const [archive, ...more] = lines.filter((line) => line.startsWith("s3:"));
    expect(lines.filter((line) => line !== archive)).toEqual(gateway);
    expect(archive).toMatch(/^s3:GetObject arn:.*:s3:::cdk-.*\/[0-9a-f]{64}\.archive$/);
    expect(more).toEqual([]);
    expect(new Set(plain.grants("ServiceGatewayRole"))).toEqual(
      new Set(["logs:CreateLogStream ServiceGatewayLogs", "logs:PutLogEvents ServiceGatewayLogs"]),
    );
  });
});

describe("the balancer", () => {
  it("answers with TLS alone, and only it reaches the tasks", () => {
    const listener = only(plain, "AWS::ElasticLoadBalancingV2::Listener");
    expect(listener).toMatchObject({ Port: 443, Protocol: "HTTPS" });
    expect(listener.Certificates).toHaveLength(1);
    expect(only(spot, "AWS::ElasticLoadBalancingV2::Listener").Certificates).toEqual([
      { CertificateArn: certificateArn },
    ]);
    const [[, front] = [], [, tasks] = []] = plain.all("AWS::EC2::SecurityGroup");
    expect(front?.Properties.SecurityGroupIngress).toMatchObject([{ FromPort: 443, CidrIp: "0.0.0.0/0" }]);
    expect(tasks?.Properties.SecurityGroupIngress).toBeUndefined();
    const [[, reached] = []] = plain.all("AWS::EC2::SecurityGroupIngress");
    expect(text(reached?.Properties.SourceSecurityGroupId)).toBe("ServiceGatewayFrontGroup");
    expect(plain.all("AWS::EC2::NatGateway")).toEqual([]);
  });

  it("leaves a silent call open, and closes idle connections before the server does", () => {
    const balancer = only(plain, "AWS::ElasticLoadBalancingV2::LoadBalancer");
    const idle = Number(attributesOf(balancer, "LoadBalancerAttributes")["idle_timeout.timeout_seconds"]);
    expect(idle * 1_000).toBeGreaterThan(limits.upstreamSilenceMs);
    expect(Number(environmentOf(plain).KEEP_ALIVE_SECONDS)).toBeGreaterThan(idle);
  });

  it("lets a task end its calls: all of them, or on Spot those that end within its notice", () => {
    const delay = "deregistration_delay.timeout_seconds";
    expect(targetsOf(plain)[delay]).toBe("900");
    expect(Number(targetsOf(spot)[delay])).toBeLessThan(120);
    const { GRACE_SECONDS: grace } = environmentOf(spot);
    expect(Number(grace) * 1_000 + limits.settlementReserveMs).toBeLessThanOrEqual(
      containerOf(spot, "Server").StopTimeout * 1_000,
    );
  });

  it("asks tasks for their health, which a draining one denies", () => {
    const { HealthCheckPath: path } = only(plain, "AWS::ElasticLoadBalancingV2::TargetGroup");
    expect(path).toBe("/health");
  });
});

describe("the service", () => {
  it("has its tasks of Spot where the stage says so, but for one", () => {
    expect(only(plain, "AWS::ECS::Service").CapacityProviderStrategy).toEqual([
      { CapacityProvider: "FARGATE", Weight: 1 },
    ]);
    expect(only(spot, "AWS::ECS::Service").CapacityProviderStrategy).toEqual([
      { CapacityProvider: "FARGATE", Base: 1, Weight: 0 },
      { CapacityProvider: "FARGATE_SPOT", Weight: 1 },
    ]);
  });

  it("goes back when new tasks do not start, or an alarm of the gateway rings", () => {
    const { DeploymentConfiguration: how } = only(plain, "AWS::ECS::Service");
    expect(how).toMatchObject({
      MinimumHealthyPercent: 100,
      DeploymentCircuitBreaker: { Enable: true, Rollback: true },
      Alarms: { Enable: true, Rollback: true },
    });
    const named = how.Alarms.AlarmNames.map((name: unknown) => text(name).replace(/^Alarms/, ""));
    const { Metrics: counted, EvaluationPeriods } = plain.one(
      "AWS::CloudWatch::Alarm",
      "AlarmsServiceErrors",
    ).Properties;
    const stats = counted.flatMap(({ MetricStat }: { MetricStat?: { Period: number } }) => MetricStat ?? []);
    expect(stats.map(({ Period }: { Period: number }) => Period)).toEqual([60, 60, 60]);
    expect(EvaluationPeriods).toBe(1);
    expect(named.sort()).toEqual(rollbackAlarms.gateway.filter((name) => name !== "GatewayCanary").sort());
  });

  it("takes over after those who read what it writes", () => {
    const [[, resource] = []] = Object.entries(plain.resources).filter(
      ([, { Type }]) => Type === "AWS::ECS::Service",
    );
    const { DependsOn: before } = resource as unknown as { DependsOn: string[] };
    for (const reader of ["Settle", "VideoTask", "Learner"])
      expect(before.some((id) => id.startsWith(`${reader}Aliaslive`))).toBe(true);
  });

  it("grows by the CPU and by the calls in flight of a task, up to the calls of the stage", () => {
    const target = (stack: Synthesized) => only(stack, "AWS::ApplicationAutoScaling::ScalableTarget");
    expect(target(plain)).toMatchObject({ MinCapacity: 2, MaxCapacity: 20 });
    expect(target(spot)).toMatchObject({ MinCapacity: 2, MaxCapacity: 6 });
    const policies = plain
      .all("AWS::ApplicationAutoScaling::ScalingPolicy")
      .map(([, { Properties }]) => Properties.TargetTrackingScalingPolicyConfiguration);
    expect(policies.map(({ TargetValue }) => TargetValue).sort()).toEqual([limits.callsInFlightMax / 2, 60]);
    const { Metrics } = policies.find((each) => each.CustomizedMetricSpecification)
      .CustomizedMetricSpecification as { Metrics: { Id: string; MetricStat?: { Metric: unknown } }[] };
    const measured = Metrics.find(({ Id }) => Id === "ms")?.MetricStat?.Metric;
    const [filter] = plain
      .all("AWS::Logs::MetricFilter")
      .filter(([, { Properties }]) => Properties.MetricTransformations[0].MetricName === "served_ms");
    expect(measured).toEqual({ Namespace: "model-gateway/prod", MetricName: "served_ms" });
    expect(filter?.[1].Properties).toMatchObject({
      MetricTransformations: [{ MetricNamespace: "model-gateway/prod", MetricValue: "$.duration_ms" }],
    });
    expect(text(filter?.[1].Properties.LogGroupName)).toBe("ServiceGatewayLogs");
  });
});
