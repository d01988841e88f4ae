/** What a process of ours may touch, and how it learns the names of it. Nothing is allowed that is not granted here. */
import { Aws } from "aws-cdk-lib";
import { type IPrincipal, type IRole, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";

import { LogGroup } from "aws-cdk-lib/aws-logs";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct, IConstruct } from "constructs";
import { type VariableName, variables } from "#shared/base/platform/env.ts";
import type { Stage } from "../stage/stage.ts";
import type { StageSecret } from "./secrets.ts";
import type { Table, TableGrant } from "./tables.ts";

/** A function of either kind, or what becomes one. */
export interface Grantee extends IConstruct {
  addEnvironment(name: string, value: string): unknown;
  addToRolePolicy(statement: PolicyStatement): void;
  readonly role?: IRole | undefined;
}

/** The service where it works for this account: none of another account can have it use a role of ours. */
export function fromThisAccount(service: string): IPrincipal {
  return new ServicePrincipal(service, {
    conditions: { StringEquals: { "aws:SourceAccount": Aws.ACCOUNT_ID } },
  });
}

/** A function's own role, which may write to its log group alone. `id` begins their names; `service` may take it. */
export function createRole(
  scope: Construct,
  id: string,
  stage: Stage,
  service: IPrincipal,
): { role: Role; logGroup: LogGroup } {
  const role = new Role(scope, `${id}Role`, { assumedBy: service });
  const logGroup = new LogGroup(scope, `${id}Logs`, {
    retention: stage.logRetention,
    removalPolicy: stage.removalPolicy,
  });
  // AWS's basic execution policy would allow writing to every log group of the account.
  logGroup.grantWrite(role);
  return { role, logGroup };
}

/** Grants exactly these actions on the table, and tells its name. */
export function useTable(
  grantee: Grantee,
  variable: VariableName,
  table: Pick<Table, "tableName" | "tableArn">,
  grants: TableGrant[],
): void {
  grantee.addEnvironment(variables[variable], table.tableName);
  for (const { actions, partitions, index } of grants) {
    grantee.addToRolePolicy(
      new PolicyStatement({
        actions,
        resources: [index ? `${table.tableArn}/index/${index}` : table.tableArn],
        ...(partitions ? { conditions: onlyPartitions(partitions) } : {}),
      }),
    );
  }
}

/** Grants exactly these actions on the queue, and tells its address. */
export function useQueue(
  grantee: Grantee,
  variable: VariableName,
  queue: Queue,
  actions: `sqs:${string}`[],
): void {
  grantee.addEnvironment(variables[variable], queue.queueUrl);
  grantee.addToRolePolicy(new PolicyStatement({ actions, resources: [queue.queueArn] }));
}

/** Grants reading the secret, and tells its ARN, or the name that was given. The value itself is never in the environment. */
export function useSecret(grantee: Grantee, variable: VariableName, { id, resource }: StageSecret): void {
  grantee.addEnvironment(variables[variable], id);
  grantee.addToRolePolicy(
    new PolicyStatement({ actions: ["secretsmanager:GetSecretValue"], resources: [resource] }),
  );
}

/** `ForAllValues` is also true for a request without any key, so `Null` refuses such a request. */
function onlyPartitions(patterns: string[]) {
  return {
    "ForAllValues:StringLike": { "dynamodb:LeadingKeys": patterns },
    Null: { "dynamodb:LeadingKeys": "false" },
  };
}
