/** All stores of the semantic level, in a part that the first call of it loads. */

import type { Aws } from "../../base/platform/aws.ts";
import type { Secrets } from "../../base/platform/secrets.ts";
import type { SemanticPorts } from "../../calls/cache/semantic/ports.ts";
import { createSemanticStore } from "./cache-semantic.ts";
import { createCacheStatistics } from "./cache-statistics.ts";
import type { TableNames } from "./dynamodb/item-keys.ts";
import { createLessonQueue } from "./lesson-queue.ts";

/** Give a client that asks once: it adds counts. A lesson that the queue does not take at once is lost, and costs hits. */
export function openSemanticPorts(
  aws: Aws,
  tables: Pick<TableNames, "cache">,
  lessonQueueUrl: string,
  secrets: Pick<Secrets, "peppers">,
): SemanticPorts {
  return {
    contexts: createSemanticStore(aws, tables),
    statistics: createCacheStatistics(aws, tables),
    lessons: createLessonQueue(aws, lessonQueueUrl, secrets),
  };
}
