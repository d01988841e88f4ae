/** The line of the audit log that says how a video has ended, where a webhook is told (people/news/README.md "Videos"). */
import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import type { Aws } from "../../../base/platform/aws.ts";
import type { UsageEvent } from "../../../books/ledger/usage-event.ts";
import type { Task } from "../../../calls/tasks/task.ts";
import { auditEntry } from "../../../people/identity/audit.ts";
import { byPlatform } from "../../../people/orders/deps.ts";
import type { TableNames } from "../dynamodb/item-keys.ts";
import { auditWrite } from "../identity/audit.ts";
import { createWebhooks } from "./webhooks.ts";

export interface VideoNews {
  /** The write of a task's line, for the transaction that ends it; none where no webhook of its organization wants it. */
  linesOf(ended: Task, event?: UsageEvent): Promise<TransactWriteItem[]>;
}

/** What is told of videos, by the webhooks of a table of accounts, whose log has the lines. */
export function createVideoNews(
  aws: Aws,
  tables: Pick<TableNames, "accounts">,
  now: () => number,
): VideoNews {
  const webhooks = createWebhooks(aws, tables);
  return {
    async linesOf({ id, organization, model, status, error }, event) {
      const { list } = await webhooks.of(organization);
      const isWanted = list.some(
        ({ kinds, disabled }) => disabled === null && (kinds === null || kinds.includes("video_ended")),
      );
      if (!isWanted) return [];
      const after = {
        ...{ model, state: status },
        ...(error && { reason: error.code }),
        ...(event && { points: event.cost_points }),
      };
      const by = { user: byPlatform, organization: { id: organization } };
      const change = { kind: "video_ended", subject: id, after } as const;
      return [auditWrite(tables, auditEntry(by, change, byPlatform.ip, now()))];
    },
  };
}
