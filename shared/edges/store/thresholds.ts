/** What was told of the thresholds of meters, on DynamoDB: an item for each meter, beside its counters. */
import type { Aws } from "../../base/platform/aws.ts";
import type { ThresholdMarks } from "../../people/thresholds/measure.ts";
import type { ThresholdState, ThresholdStore, UnreadableState } from "../../people/thresholds/state.ts";
import { type Item, readOrTell, readText, toItem } from "./dynamodb/attributes.ts";
import { hasRevision } from "./dynamodb/expressions.ts";
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
  /** Of a wallet of several shards, likewise. */
  granted?: [points: string, credits: string];
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

    async change({ meter, organization, revision }, { marks, samples, granted }, lines) {
      const kept: ThresholdRecord = {
        ...{ organization, revision: revision + 1, marks },
        samples: samples.map(({ at, used }) => [at, String(used)]),
        ...(granted && { granted: [String(granted.points), String(granted.credits)] }),
      };
      const changed = update({
        table,
        key: thresholdsKey(meter),
        set: toItem(kept),
        when: [hasRevision(revision)],
      });
      const writes = lines.map((line) => auditWrite(tables, line));
      return (await unlessContended(aws, [changed, ...writes])) === null;
    },
  };
}

/** The state of an item, or why it is none: one item that is wrong keeps nobody from the others. */
function stateOf(item: Item): ThresholdState | UnreadableState {
  const meter = readText(item.pk).slice("T#".length);
  let unreadable = "";
  const state = readOrTell(item, readState, (why) => {
    unreadable = why;
  });
  return state ? { meter, ...state } : { meter, unreadable };
}

/** Throws on what we do not write. */
function readState(item: Item): Omit<ThresholdState, "meter"> {
  const { organization, revision, marks, samples, granted } = readRecord<ThresholdRecord>(item);
  if (typeof organization !== "string" || typeof revision !== "number" || typeof marks !== "object")
    throw new TypeError("its organization, revision or marks are not what they should be");
  return {
    ...{ organization, revision, marks },
    samples: samples.map(([at, used]) => ({ at, used: BigInt(used) })),
    granted: granted ? { points: BigInt(granted[0]), credits: BigInt(granted[1]) } : null,
  };
}
