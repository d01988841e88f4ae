/** Channels that operators take out, on the embedded DynamoDB: the record, the board, and what loses neither. */
import { describe, expect, test } from "vitest";
import type { ChannelAct, ChannelRecord } from "#shared/calls/routing/taken-out.ts";
import { showChannels } from "#shared/edges/jobs/show-channels.ts";
import { createBoards } from "#shared/edges/store/board.ts";
import { takenOutKey } from "#shared/edges/store/dynamodb/item-keys.ts";
import { getItem } from "#shared/edges/store/dynamodb/items.ts";
import { createChannelRecords } from "#shared/edges/store/taken-out.ts";
import { noon } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const boards = createBoards(db.aws, db.tables);
const records = createChannelRecords(db.aws, db.tables);
const left = (more: Partial<ChannelAct> = {}): ChannelAct => ({
  what: "left",
  at: noon,
  by: "ops",
  why: "w",
  ...more,
});
const returned: ChannelAct = { what: "returned", at: noon + 1, by: "ops" };

let channels = 0;
/** A record of a channel that no other test has, of two models. */
function newRecord(...acts: ChannelAct[]): ChannelRecord {
  const channel = `c${++channels}`;
  const models = [`acme/One-${channel}`, `acme/Two-${channel}`];
  return { channel, provider: "acme", name: "one", models, revision: 1, acts };
}
const next = (record: ChannelRecord, act: ChannelAct): ChannelRecord => ({
  ...record,
  revision: record.revision + 1,
  acts: [...record.acts, act],
});
const outOn = async ({ models }: ChannelRecord, now = noon) =>
  await Promise.all(models.map(async (model) => (await boards.read(model, now)).taken_out));
const markOf = async ({ models: [model = ""], channel }: ChannelRecord) =>
  await getItem(db.aws, db.tables.board, takenOutKey(model, channel));
/** The board loses everything of a record's models. */
async function lose({ models, channel }: ChannelRecord): Promise<void> {
  for (const model of models)
    await db.aws("dynamodb", "DeleteItem", { TableName: db.tables.board, Key: takenOutKey(model, channel) });
}

describe("a channel that is taken out", () => {
  test("is so on the boards of all its models, beside its state, and no state's end forgets it", async () => {
    const record = newRecord(left());
    const { channel, models } = record;
    const [model = ""] = models;
    await records.show(record, noon);
    await boards.limit(model, channel, noon + 5_000);
    await boards.open(model, channel, { until: noon + 2_500, level: 1, now: noon });
    expect(await outOn(record)).toEqual([{ [channel]: {} }, { [channel]: {} }]);
    expect((await boards.read(model, noon)).states[channel]).toMatchObject({ level: 1 });
    expect(await markOf(record)).not.toHaveProperty("expires_at");
  });

  test("for some time is forgotten by the table a day after that", async () => {
    const record = newRecord(left({ until: noon + 60_000 }));
    await records.show(record, noon);
    expect(await outOn(record)).toEqual(Array(2).fill({ [record.channel]: { until: noon + 60_000 } }));
    expect((await markOf(record))?.expires_at).toEqual({ N: String(noon / 1000 + 60 + 86_400) });
  });

  test("comes back to all of them, and may be taken out again without an end", async () => {
    const first = newRecord(left({ until: noon + 60_000 }));
    await records.show(first, noon);
    const second = next(first, returned);
    await records.show(second, noon);
    expect(await outOn(second)).toEqual([undefined, undefined]);
    const third = next(second, left());
    await records.show(third, noon);
    expect(await outOn(third)).toEqual(Array(2).fill({ [third.channel]: {} }));
    expect(await markOf(third)).not.toHaveProperty("expires_at");
  });
});

describe("the record", () => {
  test("is written once in the place of a revision", async () => {
    const record = newRecord(left());
    expect(await records.write(record, undefined)).toBe(true);
    const two = [next(record, returned), next(record, left({ why: "other" }))];
    const written = await Promise.all(two.map((each) => records.write(each, record)));
    expect(written.filter((isWritten) => isWritten)).toHaveLength(1);
    expect((await records.all()).find(({ channel }) => channel === record.channel)).toEqual(
      two[written.indexOf(true)],
    );
    expect(await records.write(record, undefined)).toBe(false);
  });

  test("is shown again by the next pass where the board was lost, and nothing of an earlier revision is", async () => {
    const [lost, stopped] = [newRecord(left()), newRecord(left())];
    for (const record of [lost, stopped]) {
      await records.write(record, undefined);
      await records.show(record, noon);
    }
    await lose(lost);
    expect(await outOn(lost)).toEqual([undefined, undefined]);
    // A command wrote the record of its return, and died before it could write the board.
    await records.write(next(stopped, returned), stopped);
    await showChannels({ records, now: () => noon });
    expect(await outOn(lost)).toEqual(Array(2).fill({ [lost.channel]: {} }));
    expect(await outOn(stopped)).toEqual([undefined, undefined]);
    // A pass that had read before the return writes late.
    await records.show(stopped, noon);
    expect(await outOn(stopped)).toEqual([undefined, undefined]);
  });

  test("of a channel that has returned makes no mark where none is", async () => {
    const record = newRecord(left(), returned);
    await records.show(record, noon);
    expect(await markOf(record)).toBeUndefined();
  });

  test("that cannot be shown keeps no other from it, and the pass fails", async () => {
    const [one, other] = [newRecord(left()), newRecord(left())];
    const show: typeof records.show = async (record, now) => {
      if (record === one) throw new Error("no board");
      await records.show(record, now);
    };
    const failing = { all: async () => [one, other], show };
    await expect(showChannels({ records: failing, now: () => noon })).rejects.toThrow("no board");
    expect(await outOn(other)).toEqual(Array(2).fill({ [other.channel]: {} }));
  });
});
