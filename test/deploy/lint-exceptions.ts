/** Findings of the linters that stay, by the check and the type of resource, each with its reason. */
interface Exception {
  check: string;
  type: string;
  reason: string;
}

/** Findings of checkov. One that is not here fails the test, and so does one here that is not found any more. */
export const exceptions: readonly Exception[] = [
  {
    check: "CKV_AWS_115",
    type: "AWS::Lambda::Function",
    reason: "A stage caps its gateway where it must (gatewayConcurrency). The others share what that leaves.",
  },
  {
    check: "CKV_AWS_116",
    type: "AWS::Lambda::Function",
    reason:
      "Nothing is lost with an invocation: the usage queue has dead letters, and every run does what is left.",
  },
  {
    check: "CKV_AWS_117",
    type: "AWS::Lambda::Function",
    reason: "A function URL does not stream from inside a VPC, and no function calls anything private.",
  },
  {
    check: "CKV_AWS_149",
    type: "AWS::SecretsManager::Secret",
    reason: "AWS's own key encrypts it. A key of ours would cost a call, and protect from nobody else.",
  },
  {
    check: "CKV_AWS_158",
    type: "AWS::Logs::LogGroup",
    reason: "AWS's own key encrypts it, and no line has what a customer wrote.",
  },
  {
    check: "CKV_AWS_165",
    type: "AWS::DynamoDB::GlobalTable",
    reason: "Board and cache may be lost at any time, so they have no backups.",
  },
  {
    check: "CKV_AWS_173",
    type: "AWS::Lambda::Function",
    reason: "The environment has names and addresses alone. Secrets are read by their ARN.",
  },
  {
    check: "CKV_AWS_258",
    type: "AWS::Lambda::Url",
    reason: "Clients have API keys and people have sessions, which gateway and console check themselves.",
  },
  {
    check: "CKV_AWS_18",
    type: "AWS::S3::Bucket",
    reason: "It is the log of accesses itself. A log of who reads it would be another bucket of this kind.",
  },
  {
    check: "CKV_AWS_67",
    type: "AWS::CloudTrail::Trail",
    reason: "A stage is in one region, and so are its tables.",
  },
  {
    check: "CKV_AWS_35",
    type: "AWS::CloudTrail::Trail",
    reason: "S3's own key encrypts the events. They name keys of items, and nothing that a customer wrote.",
  },
  {
    check: "CKV_AWS_26",
    type: "AWS::SNS::Topic",
    reason: "It carries names of alarms and their descriptions, and these stand in this repository.",
  },
  {
    check: "CKV_AWS_27",
    type: "AWS::SQS::Queue",
    reason: "SQS's own key encrypts it, which the check does not know.",
  },
];

/** Findings of cfn-lint that stay. */
export const ignoredByCfnLint = {
  W3005: "CDK names a dependency that a reference enforces already. It changes nothing.",
};

/** Actions of IAM that AWS's client of the service has, and cfn-lint's list does not. */
export const actionsNewToCfnLint: readonly string[] = ["DescribeAlarmContributors"];
