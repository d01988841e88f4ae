/**
 * Who touched the tables besides the functions: a trail of CloudTrail into a bucket of its own
 * (infra/resources/operator-role.md). The functions are left out, because each event is paid for.
 */
import { Duration, RemovalPolicy, Stack, Validations } from "aws-cdk-lib";
import { CfnTrail } from "aws-cdk-lib/aws-cloudtrail";
import { type IRole, PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { BlockPublicAccess, Bucket, BucketEncryption } from "aws-cdk-lib/aws-s3";
import { Construct } from "constructs";
import { tableSchemas } from "#shared/edges/store/dynamodb/table-schema.ts";
import { resourceName } from "../stage/resource-name.ts";
import type { StageTables } from "./tables.ts";

interface Watched {
  tables: StageTables;
  /** The roles of the functions. */
  functions: readonly IRole[];
}

/** A bucket that has events cannot be deleted, so it stays when any stack goes. */
const staying = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE;

/** A year and a month, so that a year can be looked back at. */
const keptDays = 400;

export class TableTrail extends Construct {
  constructor(scope: Construct, id: string, watched: Watched) {
    super(scope, id);
    const stack = Stack.of(this);
    // Named here, because the bucket must name the trail that may write to it, and the trail its bucket.
    const trailName = resourceName(this);
    const trailArn = stack.formatArn({ service: "cloudtrail", resource: "trail", resourceName: trailName });
    const bucket = this.#createBucket(trailArn);
    const trail = new CfnTrail(this, "Trail", {
      trailName,
      isLogging: true,
      s3BucketName: bucket.bucketName,
      enableLogFileValidation: true,
      isMultiRegionTrail: false,
      includeGlobalServiceEvents: false,
      advancedEventSelectors: [
        {
          name: "The tables that are kept, touched by anybody but the functions",
          fieldSelectors: selectorsOf(watched),
        },
      ],
    });
    // CloudTrail tries to write when it begins.
    if (bucket.policy) trail.node.addDependency(bucket.policy);
  }

  #createBucket(trailArn: string): Bucket {
    const bucket = new Bucket(this, "Events", {
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      versioned: true,
      lifecycleRules: [
        { expiration: Duration.days(keptDays), noncurrentVersionExpiration: Duration.days(1) },
      ],
      removalPolicy: staying,
    });
    Validations.of(bucket).acknowledge({
      id: "AwsSolutions-S1",
      reason: "It is the log of accesses itself. A log of who reads it would be another bucket of this kind.",
    });
    const allow = (action: string, resource: string, more: object = {}) => {
      const principals = [new ServicePrincipal("cloudtrail.amazonaws.com")];
      const conditions = { StringEquals: { "aws:SourceArn": trailArn, ...more } };
      const statement = { principals, actions: [action], resources: [resource], conditions };
      bucket.addToResourcePolicy(new PolicyStatement(statement));
    };
    allow("s3:GetBucketAcl", bucket.bucketArn);
    allow("s3:PutObject", bucket.arnForObjects(`AWSLogs/${Stack.of(this).account}/*`), {
      "s3:x-amz-acl": "bucket-owner-full-control",
    });
    return bucket;
  }
}

/** All conditions hold for an event that is kept. An index is named after its table, and begins with its ARN. */
function selectorsOf({ tables, functions }: Watched): CfnTrail.AdvancedFieldSelectorProperty[] {
  const kept = (Object.keys(tables) as (keyof StageTables)[]).filter((name) => tableSchemas[name].kept);
  return [
    { field: "eventCategory", equalTo: ["Data"] },
    { field: "resources.type", equalTo: ["AWS::DynamoDB::Table"] },
    { field: "resources.ARN", startsWith: kept.map((name) => tables[name].tableArn) },
    { field: "userIdentity.arn", notStartsWith: functions.map(sessionsOf) },
  ];
}

/** What the ARNs of all sessions of a role begin with. */
function sessionsOf(role: IRole): string {
  const { formatArn } = Stack.of(role);
  return formatArn.call(Stack.of(role), {
    service: "sts",
    region: "",
    resource: "assumed-role",
    resourceName: `${role.roleName}/`,
  });
}
