/** What was told of the thresholds of meters, on DynamoDB: an item for each meter, beside its counters. */
import type { Aws } from "../../base/platform/aws.ts";
import type { ThresholdMarks } from "../../people/thresholds/measure.ts";
import type { ThresholdState, ThresholdStore } from "../../people/thresholds/state.ts";
import { type Item, readText, toAttribute, toItem } from "./dynamodb/attributes.ts";
import { absent, equals } from "./dynamodb/expressions.ts";
import { readRecord, type TableNames, thresholdsKey } from "./dynamodb/item-keys.ts";
import { getItems } from "./dynamodb/items.ts";
import { unlessContended, update } from "./dynamodb/transaction.ts";
import { auditWrite } from "./identity/audit.ts";

/** What an item holds beside its key. */
interface ThresholdRecord {
  organization: string;
  revision: number;
  marks: ThresholdMarks;
  /** Instants, and what had been charged then as a decimal integer: it is too large for a number. */
  samples: [at: number, used: string][];
}

type Tables = Pick<TableNames, "counters" | "accounts">;

/** What was told, in a table of counters. Lines go to a table of accounts. */
export function createThresholds(aws: Aws, tables: Tables): ThresholdStore {
  const { counters: table } = tables;
  return {
    async of(meters) {
      const items = await getItems(
        aws,
        meters.map((meter) => ({ table, key: thresholdsKey(meter) })),
      );
      return new Map(
        items.flatMap((item) => (item ? [stateOf(item)] : [])).map((state) => [state.meter, state]),
      );
    },

    async change({ meter, organization, revision }, { marks, samples }, lines) {
      const kept: ThresholdRecord = {
        ...{ organization, revision: revision + 1, marks },
        samples: samples.map(({ at, used }) => [at, String(used)]),
      };
      const changed = update({
        table,
        key: thresholdsKey(meter),
        set: toItem(kept),
        when: [revision === 0 ? absent("pk") : equals("revision", toAttribute(revision))],
      });
      const writes = lines.map((line) => auditWrite(tables, line));
      return (await unlessContended(aws, [changed, ...writes])) === null;
    },
  };
}

function stateOf(item: Item): ThresholdState {
  const { samples, ...kept } = readRecord<ThresholdRecord>(item);
  const meter = readText(item.pk).slice("T#".length);
  return { meter, ...kept, samples: samples.map(([at, used]) => ({ at, used: BigInt(used) })) };
}
