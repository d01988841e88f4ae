/** The template by its setting `front`: the function behind its URL, the Lambda Web Function, or both. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CfnUrl } from "aws-cdk-lib/aws-lambda";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleName } from "#infra/bundles/bundle-files.ts";
import { buildApp } from "#infra/deploy/build-app.ts";
import { outputs } from "#infra/stage/outputs.ts";
import { stageNamed } from "#infra/stage/stage.ts";
import { variables } from "#shared/base/platform/env.ts";
import { loadedFiles } from "#test/support/loaded-files.ts";
import { metricsOfFilter } from "#test/support/stage-parts.ts";
import { type Resource, Synthesized, text, unbundled } from "#test/support/template.ts";
import logicalIds from "./logical-ids.json" with { type: "json" };

const environment = Object.fromEntries(Object.values(variables).map((name) => [name, "1"]));
const scratch = mkdtempSync(join(tmpdir(), "fronts-test-"));
/** The functions are bundled in other tests. */
let web: Synthesized;
let both: Synthesized;
let url: Synthesized;

beforeAll(() => {
  web = new Synthesized("prod", scratch, undefined, unbundled, {
    front: "web",
    gatewayConcurrency: 1000,
  });
  both = new Synthesized("dev", scratch, undefined, unbundled, {
    front: "both",
    tags: { team: "models" },
    telemetry: { endpoint: "https://otlp.example.com", sample: 0.05 },
  });
  url = new Synthesized("dev", scratch, undefined, unbundled, { front: "url" });
});

afterAll(() => rmSync(scratch, { recursive: true }));

const revisionOf = (stack: Synthesized) => {
  const [[, revision] = []] = stack.all("AWS::Lambda::WebFunctionRevision");
  return revision?.Properties;
};
const alarmsOf = (stack: Synthesized) =>
  stack.all("AWS::CloudWatch::Alarm").map(([name]) => name.replace(/^Alarms/, ""));
const ofUrl = ["AWS::Lambda::Url"];
/** The parts of a type that answer calls: the console has a URL and a function whatever the front is. */
const partsOf = (stack: Synthesized, type: string) =>
  stack.all(type).filter(([name]) => !name.startsWith("Console"));
/** The function behind the URL has these besides the workers, and a Web Function has none. */
const ofFunctions = ["AWS::Lambda::Function", "AWS::Lambda::Alias", "AWS::CodeDeploy::DeploymentGroup"];
const ofWeb = ["WebFunction", "WebFunctionRevision", "WebFunctionEndpoint"].map(
  (type) => `AWS::Lambda::${type}`,
);
const alarmsOfUrl = ["GatewayErrors", "GatewayDuration", "GatewayThrottles", "GatewayCanary"];
const alarmsOfWeb = ["WebErrors", "WebNotStarted"];

describe("a stage", () => {
  it("is behind the function's URL by default", () => {
    expect(stageNamed("prod").front).toBe("url");
    expect(stageNamed("prod", { front: "both" }).front).toBe("both");
  });

  it("has its URL on this machine, whatever is deployed", () => {
    const outdir = join(scratch, "local");
    const { stack } = buildApp({ outdir, context: { ...unbundled, stages: scratch }, isLocal: true });
    expect(stack.node.findAll().some((each) => each instanceof CfnUrl)).toBe(true);
  });

  it.each([
    ["url", () => url, ofUrl, ofWeb],
    ["web", () => web, ofWeb, ofUrl],
    ["both", () => both, [...ofUrl, ...ofWeb], []],
  ])("with %s has its parts, and no others", (_, stack, there, absent) => {
    for (const type of there) expect([type, partsOf(stack(), type).length]).toEqual([type, 1]);
    for (const type of absent) expect([type, partsOf(stack(), type).length]).toEqual([type, 0]);
    for (const type of ofFunctions) {
      const parts = partsOf(stack(), type);
      const workers = parts.filter(([name]) => !/^(Gateway|Deployment|Custom|AWSCDK)/.test(name));
      const gateways = parts.filter(([name]) => /^(Gateway|Deployment)/.test(name));
      expect([type, workers.length, gateways.length]).toEqual([
        type,
        4,
        there.includes("AWS::Lambda::Url") ? 1 : 0,
      ]);
    }
  });

  it("keeps the logical ids of what is deployed: CloudFormation would replace whatever has another one", () => {
    const typesOf = ({ resources }: Synthesized) =>
      Object.fromEntries(Object.entries(resources).map(([id, { Type }]) => [id, Type]));
    expect(typesOf(url)).toMatchObject(logicalIds.url);
    expect(typesOf(both)).toMatchObject({ ...logicalIds.url, ...logicalIds.web });
    expect(Object.values(logicalIds.url).filter((type) => type.endsWith("::GlobalTable"))).toHaveLength(7);
  });

  it("says the address of each front", () => {
    const addresses = (stack: Synthesized) => [
      stack.outputs[outputs.gatewayUrl],
      stack.outputs[outputs.webGatewayUrl],
    ];
    expect(addresses(url)).toEqual(["GatewayAliasliveFunctionUrl", undefined]);
    expect(addresses(web)).toEqual([undefined, "https://WebGatewayFunctionEndpoint/"]);
    expect(addresses(both)).toEqual(["GatewayAliasliveFunctionUrl", "https://WebGatewayFunctionEndpoint/"]);
  });

  it("is woken by the alarms of its fronts, and by those that both share", () => {
    expect(alarmsOf(url)).toEqual(expect.arrayContaining(["GatewayInternal", "CallsFailed", ...alarmsOfUrl]));
    expect(alarmsOf(web)).toEqual(expect.arrayContaining(["GatewayInternal", "CallsFailed", ...alarmsOfWeb]));
    expect(alarmsOf(both).sort()).toEqual([...new Set([...alarmsOf(url), ...alarmsOf(web)])].sort());
    for (const name of alarmsOfWeb) expect(alarmsOf(url)).not.toContain(name);
    for (const name of alarmsOfUrl) expect(alarmsOf(web)).not.toContain(name);
  });
});

describe("the tags of a stage", () => {
  it("are on the stack, and on every resource that can have any", () => {
    const tags = { stage: "dev", team: "models" };
    expect(both.stack.tags.tagValues()).toEqual(tags);
    const given = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
    const all = Object.entries(both.resources);
    // A table has the tags of its replicas.
    const tagsOf = ({ Properties }: Resource) => Properties?.Tags ?? Properties?.Replicas?.[0].Tags;
    const types = new Set(all.filter(([, each]) => tagsOf(each)).map(([, { Type }]) => Type));
    const paid = ["DynamoDB::GlobalTable", "Lambda::Function", "Logs::LogGroup", "SecretsManager::Secret"];
    for (const type of [...paid, "SQS::Queue", "StepFunctions::StateMachine"])
      expect(types).toContain(`AWS::${type}`);
    // What CDK adds as plain resources has no tags in the template. It gets those of the stack from CloudFormation.
    for (const [id, each] of all)
      if (types.has(each.Type) && !id.startsWith("Custom"))
        expect([id, tagsOf(each)]).toEqual([id, expect.arrayContaining(given)]);
  });
});

describe("a stage that names a collector", () => {
  const told = {
    OTEL_EXPORTER_OTLP_ENDPOINT: "https://otlp.example.com",
    OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
    OTEL_TRACES_SAMPLER_ARG: "0.05",
    OTEL_METRICS_EXPORTER: "otlp",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=dev",
    [variables.telemetrySecret]: "TelemetryHeaders",
  };
  const tellers = ["Gateway", "Settle", "VideoTask"];
  const readsHeaders = "secretsmanager:GetSecretValue TelemetryHeaders";

  it("says so to those who tell it, and lets them read its headers", () => {
    for (const name of tellers) {
      expect([name, both.environment(name)]).toEqual([name, expect.objectContaining(told)]);
      expect([name, both.grants(`${name}Role`)]).toEqual([name, expect.arrayContaining([readsHeaders])]);
    }
    for (const name of ["Sweep", "Learner"]) {
      expect(Object.keys(both.environment(name)).filter((each) => each in told)).toEqual([]);
      expect(both.grants(`${name}Role`)).not.toContain(readsHeaders);
    }
  });

  it("has their secret, empty and with the stage alone, and says its name", () => {
    const secret = both.one("AWS::SecretsManager::Secret", "TelemetryHeaders");
    expect([secret.Properties.SecretString, secret.DeletionPolicy]).toEqual(["{}", "Delete"]);
    expect(both.outputs[outputs.telemetrySecret]).toBe("TelemetryHeaders");
  });

  it("is the only one that has any of this", () => {
    expect(/OTEL_|TelemetryHeaders|TELEMETRY_/.test(JSON.stringify(url.resources))).toBe(false);
    expect(url.outputs[outputs.telemetrySecret]).toBeUndefined();
  });
});

describe("the web function", () => {
  it("runs on Node 24 for as long as a call may take, and is open to everyone", () => {
    expect(revisionOf(web)).toMatchObject({
      BuildConfig: { RuntimeConfig: { Runtime: "nodejs24.x" } },
      ServiceConfig: { TimeoutSeconds: 900, MaxConcurrencyPerEnvironment: 128 },
    });
    const [[, endpoint] = []] = web.all("AWS::Lambda::WebFunctionEndpoint");
    expect(endpoint?.Properties).toMatchObject({ EndpointName: "prod", AuthType: "ApplicationManaged" });
  });

  it("has as many environments as the stage's calls at a time need", () => {
    const [[, endpoint] = []] = web.all("AWS::Lambda::WebFunctionEndpoint");
    expect(JSON.stringify(endpoint?.Properties)).toContain('"MaxEnvironments":8');
    const [[, open] = []] = both.all("AWS::Lambda::WebFunctionEndpoint");
    expect(JSON.stringify(open?.Properties)).not.toContain("MaxEnvironments");
  });

  it("finds in its environment what the function finds in its own", () => {
    const told = Object.entries(
      revisionOf(both).ServiceConfig.EnvironmentVariables as Record<string, unknown>,
    );
    expect(Object.fromEntries(told.map(([name, value]) => [name, text(value)]))).toEqual(
      both.environment("Gateway"),
    );
    expect(told.length).toBeGreaterThan(7);
  });

  it("may do what the function may, and no more", () => {
    const grantsOf = (role: string) =>
      both.grants(role).filter((line) => !line.startsWith("xray:") && !line.startsWith("logs:"));
    expect(grantsOf("WebGatewayRole")).toEqual(grantsOf("GatewayRole"));
    expect(grantsOf("WebGatewayRole").length).toBeGreaterThan(10);
    const logs = both.grants("WebGatewayRole").filter((line) => line.startsWith("logs:"));
    expect(logs).toEqual(["logs:CreateLogStream WebGatewayLogs", "logs:PutLogEvents WebGatewayLogs"]);
    expect(both.grants("WebGatewayRole").filter((line) => line.startsWith("xray:"))).toEqual([]);
  });

  it("logs where its lines are counted together with the function's", () => {
    expect(text(revisionOf(web).ServiceConfig.TelemetryConfig.LoggingConfig.LogGroup)).toBe("WebGatewayLogs");
    expect(web.one("AWS::Logs::LogGroup", "WebGatewayLogs").Properties.RetentionInDays).toBe(90);
    const counted = both
      .all("AWS::Logs::MetricFilter")
      .filter(([, filter]) => metricsOfFilter(filter).includes("lines internal"))
      .map(([, { Properties }]) => text(Properties.LogGroupName));
    expect(counted.sort()).toEqual(["GatewayLogs", "WebGatewayLogs"]);
  });

  it("reads its code from a bucket that is private and has versions", () => {
    const [[, bucket] = []] = web.all("AWS::S3::Bucket");
    expect(bucket?.Properties).toMatchObject({
      VersioningConfiguration: { Status: "Enabled" },
      PublicAccessBlockConfiguration: { BlockPublicAcls: true, RestrictPublicBuckets: true },
    });
    expect(url.all("AWS::S3::Bucket")).toEqual([]);
  });

  it("leaves out what an earlier synthesis has written, so that its hash is that of its code", () => {
    const outdir = join(scratch, "again");
    mkdirSync(join(outdir, "server"), { recursive: true });
    writeFileSync(join(outdir, "server/chunk-OLDCODE1.cjs"), "");
    buildApp({ stage: "prod", settings: { front: "web" }, outdir, context: unbundled });
    expect(readdirSync(join(outdir, "server"))).toEqual(readdirSync(web.server));
  });

  it("has its bundle, its catalog, its pages, the spare client and nothing else in its folder", () => {
    const files = readdirSync(web.server);
    const catalog = files.find((file) => file.endsWith(".json") && file !== "package.json") ?? "";
    const others = files.filter((file) => file !== catalog);
    const code = others.filter((file) => file.endsWith(".cjs"));
    expect(others.filter((file) => !code.includes(file))).toEqual(["index.js", "package.json", "pages"]);
    const later = code.filter((file) => !/^(index|chunk)\b/.test(file));
    const labels = later.map((file) => file.replace(/-[0-9A-Z]{8}\.cjs$/, ""));
    expect(labels).toEqual([
      ...[
        "ask-parts",
        "aws-role",
        "azure",
        "azure",
        "bedrock",
        "bedrock-pictures",
        "bedrock-vectors",
        "cached-call",
        "converse",
        "counts",
        "envelope",
        "fallback",
        "google",
        "idempotency",
        "key-revisions",
        "local-operations",
        "open-telemetry",
        "output-bound",
        "own-ids",
        "pages",
        "parts",
        "provider-answers",
        "race",
        "read-refusal",
        "refused-calls",
        "refused-hold",
        "refused-notes",
        "seek",
        "semantic-ports",
        "sessions",
        "smaller-call",
      ],
      "translation",
      "undici-agent",
      "vertex",
      "vertex-vectors",
      "wallet-growth",
      "webapi",
    ]);
    const textOf = (files: string[]) =>
      files.map((file) => readFileSync(join(web.server, file), "utf8")).join("");
    expect(textOf(code)).toContain(catalog);
    expect(textOf(code)).not.toMatch(/smithy|aws-sdk|awslambda/i);
  });

  it("loads at most 358 KB of code at its start", () => {
    const loaded = loadedFiles(join(web.server, bundleName), { ...environment, PORT: "0" });
    expect(loaded).toContain(join(web.server, bundleName));
    const code = loaded.filter((file) => file.endsWith(".cjs"));
    expect(code.reduce((bytes, file) => bytes + statSync(file).size, 0)).toBeLessThanOrEqual(358 * 1024);
  });
});
