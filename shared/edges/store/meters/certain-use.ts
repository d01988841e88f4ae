/** What is certain of a wallet over several shards on DynamoDB. No call asks: its code is in no gateway's bundle. */
import { limits } from "../../../base/limits.ts";
import type { Aws } from "../../../base/platform/aws.ts";
import { bothUses, certainUse } from "../../../books/meters/certain.ts";
import type { CertainUse } from "../../../books/meters/meter.ts";
import { readAll } from "./shards.ts";

/** What readings of all items say, as many as it takes and no more than ten. */
export async function readCertainUse(aws: Aws, table: string, meter: string): Promise<CertainUse> {
  let items = await readAll(aws, table, meter);
  if (items.length === 1) return certainUse(items, items);
  let use: CertainUse | undefined;
  for (let reading = 1; reading < limits.shardReadingsMax; reading++) {
    const again = await readAll(aws, table, meter);
    const next = certainUse(items, again);
    use = use ? bothUses(use, next) : next;
    if (use.granted !== undefined && use.spent !== undefined) break;
    items = again;
  }
  return use ?? certainUse(items, items);
}
