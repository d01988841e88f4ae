/** The template of a stage with a domain: CloudFront as a pipe, its certificate, its records and its limit. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App, Stack } from "aws-cdk-lib";
import { CfnDistribution } from "aws-cdk-lib/aws-cloudfront";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDomain } from "#infra/resources/domain.ts";
import { outputs } from "#infra/stage/outputs.ts";
import type { DomainSettings } from "#infra/stage/stage.ts";
import { limits } from "#shared/base/limits.ts";
import { Synthesized, text, unbundled } from "#test/support/template.ts";

const certificateArn = "arn:aws:acm:us-east-1:123456789012:certificate/0a1b2c";
const webAclArn = "arn:aws:wafv2:us-east-1:123456789012:global/webacl/own/1";
const name = "api.example.com";
const hostedZone = { id: "Z0123456789ABC", name: "example.com" };

const scratch = mkdtempSync(join(tmpdir(), "domain-test-"));
let whole: Synthesized;
// biome-ignore lint/suspicious/noExplicitAny: a template is foreign JSON, and every use asserts its shape.
let config: any;

beforeAll(() => {
  const domain = { name, hostedZone, requestsPer5Minutes: 2000 };
  whole = new Synthesized("prod", scratch, undefined, unbundled, { domain });
  config = whole.one("AWS::CloudFront::Distribution", "Domain").Properties.DistributionConfig;
});

afterAll(() => rmSync(scratch, { recursive: true }));

/** The domain alone, in a stack that is deployed to `region`. */
function built(settings: DomainSettings, region?: string) {
  const stack = new Stack(new App(), "Alone");
  createDomain(stack, settings, "origin.example.com", region);
  const children = stack.node.findAll();
  const distribution = children.find((each) => each instanceof CfnDistribution);
  return {
    types: children.map((each) => each.constructor.name),
    config: stack.resolve(distribution?.distributionConfig),
  };
}

describe("a domain", () => {
  it("is CloudFront before the host of the function's URL, over TLS alone", () => {
    expect(config).toMatchObject({ Aliases: [name], Enabled: true, HttpVersion: "http2and3" });
    expect(config.ViewerCertificate).toMatchObject({
      MinimumProtocolVersion: "TLSv1.2_2021",
      SslSupportMethod: "sni-only",
    });
    const [origin] = config.Origins;
    expect(JSON.stringify(origin.DomainName)).toMatch(/"Fn::Select":\[2,.*GatewayAliasliveFunctionUrl/);
    expect(origin.CustomOriginConfig).toMatchObject({
      OriginProtocolPolicy: "https-only",
      OriginSSLProtocols: ["TLSv1.2"],
    });
    expect(config.DefaultCacheBehavior.ViewerProtocolPolicy).toBe("https-only");
    expect(config.CacheBehaviors).toBeUndefined();
  });

  it("lets streams through whole: nothing gathers them, and no total time ends them", () => {
    const [origin] = config.Origins;
    expect(config.DefaultCacheBehavior.Compress).toBe(false);
    expect(origin).not.toHaveProperty("ResponseCompletionTimeout");
    const { OriginReadTimeout, OriginKeepaliveTimeout } = origin.CustomOriginConfig;
    expect(OriginReadTimeout).toBe(120);
    // Pings come more often than that, and our side closes idle connections later.
    expect(limits.pingMs).toBeLessThan((OriginReadTimeout * 1000) / 2);
    expect(OriginKeepaliveTimeout * 1000).toBeLessThan(limits.keepAliveMs);
  });

  it("forwards every method, and every header but the host's", () => {
    const { AllowedMethods, CachedMethods, OriginRequestPolicyId } = config.DefaultCacheBehavior;
    expect(AllowedMethods.toSorted()).toEqual(["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"]);
    expect(CachedMethods ?? ["GET", "HEAD"]).toEqual(["GET", "HEAD"]);
    // AWS's AllViewerExceptHostHeader.
    expect(OriginRequestPolicyId).toBe("b689b0a8-53d0-40ab-baf2-68738e2966ac");
    expect(config.Origins[0]).not.toHaveProperty("OriginAccessControlId");
  });

  it("never answers one caller with what another got, not even an error", () => {
    const policy = whole.one("AWS::CloudFront::CachePolicy", "DomainCaching").Properties.CachePolicyConfig;
    expect([policy.MinTTL, policy.DefaultTTL, policy.MaxTTL]).toEqual([0, 0, 1]);
    const { HeadersConfig, QueryStringsConfig } = policy.ParametersInCacheKeyAndForwardedToOrigin;
    expect(HeadersConfig.Headers).toEqual(
      expect.arrayContaining(["authorization", "x-api-key", "x-goog-api-key"]),
    );
    expect(QueryStringsConfig).toEqual({ QueryStringBehavior: "all" });
    const kept = config.CustomErrorResponses.filter(
      (each: { ErrorCachingMinTTL: number }) => each.ErrorCachingMinTTL !== 0,
    );
    expect(kept).toEqual([]);
    const codes = config.CustomErrorResponses.map((each: { ErrorCode: number }) => each.ErrorCode);
    expect(codes).toEqual(expect.arrayContaining([404, 405, 500, 502, 503, 504]));
    // The gateway's own bodies and codes pass.
    expect(JSON.stringify(config.CustomErrorResponses)).not.toContain("ResponsePagePath");
  });

  it("has a certificate that its zone validates, and records there", () => {
    const certificate = whole.one("AWS::CertificateManager::Certificate", "Certificate").Properties;
    expect(certificate).toMatchObject({
      DomainName: name,
      ValidationMethod: "DNS",
      DomainValidationOptions: [{ DomainName: name, HostedZoneId: hostedZone.id }],
    });
    const records = whole.all("AWS::Route53::RecordSet").map(([, { Properties }]) => Properties);
    expect(records.map(({ Name, Type }) => [Name, Type])).toEqual([
      [`${name}.`, "A"],
      [`${name}.`, "AAAA"],
    ]);
    expect(text(records[0].AliasTarget.DNSName)).toBe("Domain");
  });

  it("refuses an address that sends too much as the gateway refuses it", () => {
    const acl = whole.one("AWS::WAFv2::WebACL", "DomainRateLimit").Properties;
    expect(acl).toMatchObject({ Scope: "CLOUDFRONT", DefaultAction: { Allow: {} } });
    const [{ Statement, Action }] = acl.Rules;
    expect(Statement).toEqual({
      RateBasedStatement: { AggregateKeyType: "IP", Limit: 2000, EvaluationWindowSec: 300 },
    });
    expect(Action.Block.CustomResponse).toMatchObject({ ResponseCode: 429 });
    expect(JSON.parse(acl.CustomResponseBodies.refused.Content)).toMatchObject({ error: { code: 42900 } });
    expect(text(config.WebACLId)).toBe("DomainRateLimit");
  });

  it("is told among the outputs, beside the function's own address", () => {
    expect(whole.outputs).toMatchObject({
      [outputs.domainUrl]: `https://${name}/`,
      [outputs.domainTarget]: "Domain",
      [outputs.gatewayUrl]: "GatewayAliasliveFunctionUrl",
    });
  });
});

describe("a domain with parts of one's own", () => {
  it("takes a certificate and a web ACL, and leaves the records to others", () => {
    const { types, config } = built({ name, certificateArn, webAclArn, silenceSeconds: 180 }, "eu-central-1");
    expect(config).toMatchObject({
      viewerCertificate: { acmCertificateArn: certificateArn },
      webAclId: webAclArn,
    });
    expect(config.origins[0].customOriginConfig.originReadTimeout).toBe(180);
    for (const type of ["CfnCertificate", "CfnRecordSet", "CfnWebACL"]) expect(types).not.toContain(type);
  });

  it("is refused with a zone that it is not in", () => {
    const other = { id: "Z0123456789ABC", name: "xample.com" };
    expect(() => built({ name, hostedZone: other })).toThrow("api.example.com is not in the zone xample.com");
    expect(() => built({ name: "example.com", hostedZone })).not.toThrow();
  });

  it.each<[string, DomainSettings, string]>([
    ["a certificate", { name, hostedZone }, "give its ARN as domain.certificateArn"],
    ["a web ACL", { name, certificateArn, requestsPer5Minutes: 10 }, "give its ARN as domain.webAclArn"],
  ])("is told where %s cannot be created", (_, settings, message) => {
    expect(() => built(settings, "eu-central-1")).toThrow(message);
    expect(() => built(settings, "us-east-1")).not.toThrow();
    expect(() => built(settings)).not.toThrow();
  });
});
