/** Projects and their lines on DynamoDB: records in one table, and the audit log in another, in one transaction. */
import type { Aws } from "../../../base/platform/aws.ts";
import type { AuditedProjects } from "../../../people/identity/audited-projects.ts";
import type { TableNames } from "../dynamodb/item-keys.ts";
import { unlessContended } from "../dynamodb/transaction.ts";
import { projectWrites } from "../projects.ts";
import { auditWrite } from "./audit.ts";

/** The projects of these tables. */
export function createAuditedProjects(
  aws: Aws,
  tables: Pick<TableNames, "accounts" | "keys">,
): AuditedProjects {
  return {
    async change(change, entry) {
      const writes = [...projectWrites(tables.keys, change), auditWrite(tables, entry)];
      return (await unlessContended(aws, writes)) === null;
    },
  };
}
