/** The stage's own domain: CloudFront in front of the gateway, as a pipe that keeps and changes nothing (domain.md). */
import { Duration, Validations } from "aws-cdk-lib";
import { Certificate, CertificateValidation, type ICertificate } from "aws-cdk-lib/aws-certificatemanager";
import {
  AllowedMethods,
  CacheCookieBehavior,
  CacheHeaderBehavior,
  CachePolicy,
  CacheQueryStringBehavior,
  Distribution,
  HttpVersion,
  OriginProtocolPolicy,
  OriginRequestPolicy,
  OriginSslPolicy,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from "aws-cdk-lib/aws-cloudfront";
import { HttpOrigin } from "aws-cdk-lib/aws-cloudfront-origins";
import { AaaaRecord, ARecord, HostedZone, type IHostedZone, RecordTarget } from "aws-cdk-lib/aws-route53";
import { CloudFrontTarget } from "aws-cdk-lib/aws-route53-targets";
import { CfnWebACL } from "aws-cdk-lib/aws-wafv2";
import type { Construct } from "constructs";
import { errorCodes } from "#shared/base/errors.ts";
import { SettingError } from "../stage/setting-error.ts";
import type { DomainSettings, NamedPlace } from "../stage/stage.ts";

/** Where AWS wants certificates and web ACLs of CloudFront to be. */
const edgeRegion = "us-east-1";

/** What the answer to a request without a body may depend on. Requests that differ in it are never answered together. */
const distinguishing = [
  ...["authorization", "x-api-key", "x-goog-api-key"],
  ...["accept", "anthropic-version", "origin"],
];

/** CloudFront keeps these answers of an origin for ten seconds, unless it is told not to. */
const keptErrors = [400, 403, 404, 405, 414, 500, 501, 502, 503, 504];

/** CloudFront waits so long for the first byte, and for each next one. AWS grants no more without being asked. */
const silenceSeconds = 120;

/** Less than the server keeps an idle connection (`keepAliveMs`), so that CloudFront closes first. */
const keepAliveSeconds = 60;

/** What is reached through the domain. */
interface Domain {
  /** The base URL of clients. */
  address: string;
  /** Where a record of the domain must point, if somebody else keeps its zone. */
  target: string;
}

/**
 * Puts the domain in front of the host `origin`. Throws `SettingError` when the domain is not in its zone, or when the
 * settings ask for what AWS allows in another `region` alone.
 */
export function createDomain(
  scope: Construct,
  settings: DomainSettings,
  origin: string,
  region = process.env.CDK_DEFAULT_REGION,
): Domain {
  checkRegion(settings, region);
  const { name } = settings;
  const zone = zoneOf(scope, settings);
  const distribution = createDistribution(scope, settings, origin, certificateOf(scope, settings, zone));
  if (zone) {
    const target = RecordTarget.fromAlias(new CloudFrontTarget(distribution));
    // The dot at the end keeps CDK from adding the zone's name.
    new ARecord(scope, "DomainRecord", { zone, recordName: `${name}.`, target });
    new AaaaRecord(scope, "DomainRecord6", { zone, recordName: `${name}.`, target });
  }
  return { address: `https://${name}/`, target: distribution.distributionDomainName };
}

function checkRegion({ certificateArn, requestsPer5Minutes }: DomainSettings, region?: string): void {
  if (region === undefined || region === edgeRegion) return;
  const why = `AWS allows that in ${edgeRegion} alone, and this stage is deployed to ${region}`;
  if (certificateArn === undefined) {
    throw new SettingError(
      `domain: the certificate is to be created, because there is no certificateArn. ${why}. Create a certificate there, and give its ARN as domain.certificateArn.`,
    );
  }
  if (requestsPer5Minutes !== undefined) {
    throw new SettingError(
      `domain.requestsPer5Minutes: a web ACL is to be created. ${why}. Create a web ACL there, and give its ARN as domain.webAclArn.`,
    );
  }
}

/** The zone that the settings name. Throws `SettingError` when the name is not in it. `setting` is what has them. */
export function zoneOf(
  scope: Construct,
  { name, hostedZone }: NamedPlace,
  setting = "domain",
): IHostedZone | undefined {
  if (!hostedZone) return undefined;
  if (!`.${name}`.endsWith(`.${hostedZone.name}`)) {
    throw new SettingError(
      `${setting}: ${name} is not in the zone ${hostedZone.name} of ${setting}.hostedZone.`,
    );
  }
  return HostedZone.fromHostedZoneAttributes(scope, "Zone", {
    hostedZoneId: hostedZone.id,
    zoneName: hostedZone.name,
  });
}

/** The certificate of the settings, or a new one, which a record of the zone validates. */
export function certificateOf(
  scope: Construct,
  { name, certificateArn }: NamedPlace,
  zone: IHostedZone | undefined,
): ICertificate {
  if (certificateArn !== undefined)
    return Certificate.fromCertificateArn(scope, "Certificate", certificateArn);
  return new Certificate(scope, "Certificate", {
    domainName: name,
    validation: CertificateValidation.fromDns(zone),
  });
}

function createDistribution(
  scope: Construct,
  settings: DomainSettings,
  origin: string,
  certificate: ICertificate,
): Distribution {
  const { name, requestsPer5Minutes, webAclArn } = settings;
  const webAclId =
    requestsPer5Minutes === undefined ? webAclArn : createRateLimit(scope, requestsPer5Minutes).attrArn;
  const distribution = new Distribution(scope, "Domain", {
    comment: name,
    domainNames: [name],
    certificate,
    ...(webAclId !== undefined && { webAclId }),
    minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
    httpVersion: HttpVersion.HTTP2_AND_3,
    defaultBehavior: {
      origin: new HttpOrigin(origin, {
        protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY,
        originSslProtocols: [OriginSslPolicy.TLS_V1_2],
        readTimeout: Duration.seconds(settings.silenceSeconds ?? silenceSeconds),
        keepaliveTimeout: Duration.seconds(keepAliveSeconds),
        // No `responseCompletionTimeout`: a stream may last as long as Lambda lets it.
      }),
      allowedMethods: AllowedMethods.ALLOW_ALL,
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
      cachePolicy: createCachePolicy(scope),
      // A function URL answers only to its own host name.
      originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
      // What is compressed is gathered first.
      compress: false,
    },
    errorResponses: keptErrors.map((httpStatus) => ({ httpStatus, ttl: Duration.seconds(0) })),
  });
  acknowledge(distribution);
  return distribution;
}

/**
 * Keeps nothing that the gateway does not declare public, and that for a second. A policy that keeps nothing at all may
 * not tell requests apart by headers, and CloudFront may answer requests together that come at once and look alike.
 */
function createCachePolicy(scope: Construct): CachePolicy {
  return new CachePolicy(scope, "DomainCaching", {
    comment: "Tells callers apart, and keeps nothing for longer than a second.",
    minTtl: Duration.seconds(0),
    defaultTtl: Duration.seconds(0),
    maxTtl: Duration.seconds(1),
    headerBehavior: CacheHeaderBehavior.allowList(...distinguishing),
    queryStringBehavior: CacheQueryStringBehavior.all(),
    cookieBehavior: CacheCookieBehavior.none(),
    enableAcceptEncodingGzip: true,
    enableAcceptEncodingBrotli: true,
  });
}

/** Refuses an address that sends more requests in five minutes, in a form that SDKs understand. */
function createRateLimit(scope: Construct, limit: number): CfnWebACL {
  const watched = (metricName: string) => ({
    cloudWatchMetricsEnabled: true,
    sampledRequestsEnabled: false,
    metricName,
  });
  const { type, code } = errorCodes.global_rate_limited;
  const message = "Too many requests came from your address. Wait five minutes, and try again.";
  return new CfnWebACL(scope, "DomainRateLimit", {
    scope: "CLOUDFRONT",
    defaultAction: { allow: {} },
    visibilityConfig: watched("domain"),
    customResponseBodies: {
      refused: {
        contentType: "APPLICATION_JSON",
        content: JSON.stringify({ error: { type, code, message } }),
      },
    },
    rules: [
      {
        name: "requests-of-an-address",
        priority: 0,
        statement: { rateBasedStatement: { aggregateKeyType: "IP", limit, evaluationWindowSec: 300 } },
        action: { block: { customResponse: { responseCode: 429, customResponseBodyKey: "refused" } } },
        visibilityConfig: watched("requests-of-an-address"),
      },
    ],
  });
}

/** What the rule packs want of a distribution, and why it is not so. */
function acknowledge(distribution: Distribution): void {
  const reasons = {
    "AwsSolutions-CFR1": "Who may call the gateway is decided by keys, and not by countries.",
    "AwsSolutions-CFR2":
      "A web ACL is a setting of the stage: domain.requestsPer5Minutes or domain.webAclArn.",
    "AwsSolutions-CFR3":
      "The gateway logs every call; the logs of CloudFront would have the same in a bucket.",
  };
  for (const [id, reason] of Object.entries(reasons))
    Validations.of(distribution).acknowledge({ id, reason });
}
