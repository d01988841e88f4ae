/** What a permission is: one action of AWS on one kind of place in a stage (operator-role.md). */
import type { TableName } from "#shared/edges/store/dynamodb/table-schema.ts";

/** What a permission is for. The role turns it into ARNs of the stage (operator-role.ts). */
export type ResourcePlace =
  | TableName
  | "counters/index"
  | "accounts/index"
  | "usageQueue"
  | "usageDeadLetters"
  | "lessonQueue"
  | "lessonDeadLetters"
  | "pepper"
  | "providers"
  | "accountsSecret"
  | "platforms"
  | "workflow"
  | "stack"
  | "functions"
  | "mappings"
  | "rules"
  | "topics"
  | "logs"
  /** AWS knows no narrower resource for the action. */
  | "*";

/** One action on one place, as `dynamodb:GetItem keys`. */
export type AwsPermission = `${string}:${string} ${ResourcePlace}`;

/** What one command uses. */
export interface CommandNeeds {
  /** What the command uses in the session of the manual. */
  uses: readonly AwsPermission[];
  /** What it uses only at times, by when that is. */
  seldom?: Readonly<Record<string, readonly AwsPermission[]>>;
  /** What it also uses, and the role is not given: the role deletes no item (operator-role.md "What the role does not do"). */
  beyond?: readonly AwsPermission[];
  /** It needs nothing of an account. */
  isLocal?: true;
}

/** Actions on tables, as permissions. Each text has a table, and then the actions on it: `keys GetItem PutItem`. */
export const items = (...tables: `${ResourcePlace} ${string}`[]): AwsPermission[] =>
  tables.flatMap((text) => {
    const [table = "", ...actions] = text.split(" ");
    return actions.map((action): AwsPermission => `dynamodb:${action} ${table as ResourcePlace}`);
  });

/** A permission's action and its place. */
export function partsOf(permission: AwsPermission): { action: string; place: ResourcePlace } {
  const [action = "", place = ""] = permission.split(" ");
  return { action, place: place as ResourcePlace };
}
