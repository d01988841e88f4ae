/** The records of projects, by their organization and handle (people/identity/projects.md "What is stored"). */
import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import type { Aws } from "../../base/platform/aws.ts";
import type { ProjectRecord, Projects } from "../../books/accounts/project.ts";
import type { ProjectChange } from "../../people/identity/audited-projects.ts";
import { toAttribute, toItem } from "./dynamodb/attributes.ts";
import { absent, equals, exists } from "./dynamodb/expressions.ts";
import {
  organizationKey,
  organizationPartition,
  prefixes,
  projectKey,
  readRecord,
} from "./dynamodb/item-keys.ts";
import { beginningWith, getItem, pages } from "./dynamodb/items.ts";
import { put, update } from "./dynamodb/transaction.ts";

/** The projects of a table of keys. */
export function createProjects(aws: Aws, table: string): Projects {
  return {
    async project(organization, handle) {
      return readRecord<ProjectRecord>(await getItem(aws, table, projectKey(organization, handle)));
    },

    async projects(organization) {
      const records: ProjectRecord[] = [];
      const under = beginningWith(organizationPartition(organization), prefixes.project);
      const input = { TableName: table, ConsistentRead: true, ...under };
      for await (const page of pages(aws, "Query", input))
        records.push(...page.map((item) => readRecord<ProjectRecord>(item)));
      return records;
    },
  };
}

/**
 * The writes of a change, for the transaction that makes it. They fail where the record is not as it was read, or what the
 * organization says of its projects. The organization's record is left alone where it says the same afterwards.
 */
export function projectWrites(
  table: string,
  { organization, before, after, projects }: ProjectChange,
): TransactWriteItem[] {
  const { id, projects: told } = organization;
  const isAsRead = before ? equals("revision", toAttribute(before.revision)) : absent("pk");
  const record = put(table, { ...projectKey(id, after.project), ...toItem(after) }, [isAsRead]);
  if (!projects) return [record];
  const when = [exists("pk"), told ? equals("projects", toAttribute(told)) : absent("projects")];
  return [record, update({ table, key: organizationKey(id), set: toItem({ projects }), when })];
}
