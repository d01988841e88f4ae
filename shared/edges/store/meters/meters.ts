/** The meters on DynamoDB: one conditional write admits a call, another one settles it. */
import type { Aws } from "../../../base/platform/aws.ts";
import type { Meters } from "../../../books/meters/meter.ts";
import type { TableNames } from "../dynamodb/item-keys.ts";
import { endOfTurn, type Tick } from "../joining.ts";
import { createCallMeters } from "./call-meters.ts";
import { readCertainUse } from "./certain-use.ts";
import { createMeterListing } from "./listing.ts";
import { createShardUpkeep } from "./shard-upkeep.ts";
import { createMeterUpkeep } from "./upkeep.ts";

/** The meters of a table of counters. Admissions and settlements of one `tick` on one item are joined, and so are intents. */
export function createMeters(aws: Aws, tables: Pick<TableNames, "counters">, tick: Tick = endOfTurn): Meters {
  return {
    ...createCallMeters(aws, tables, tick),
    ...createMeterListing(aws, tables),
    ...createMeterUpkeep(aws, tables),
    ...createShardUpkeep(aws, tables),
    certainUseOf: async (meter) => await readCertainUse(aws, tables.counters, meter),
  };
}
