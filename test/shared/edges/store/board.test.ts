/** The board on the embedded DynamoDB: what processes write at the same time, and what a reader makes of it. */
import { describe, expect, test } from "vitest";
import { type Aws, ThrottledError } from "#shared/base/platform/aws.ts";
import { type Boards, type ChannelCounts, orderSpanMs, windowMs } from "#shared/calls/routing/board.ts";
import { createBoards } from "#shared/edges/store/board.ts";
import { boardPartition, channelStateKey, windowKey } from "#shared/edges/store/dynamodb/item-keys.ts";
import { getItem, putItem } from "#shared/edges/store/dynamodb/items.ts";
import { counting, noon } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const boards = createBoards(db.aws, db.tables);

let models = 0;
/** A model that no other test has. */
const newModel = () => `acme/Sonic-${++models}`;
const channel = "a1b2c3";

const counts: ChannelCounts = {
  answers: 3,
  faults: 1,
  limited: 2,
  raced: 1,
  first_byte: [0, 2, 0, 1],
  output_tokens: 500,
  generation_ms: 8_000,
  input_tokens: 1_200,
  cache_read_tokens: 300,
};

describe("counts", () => {
  test("of many processes add up in their window, and each is given the window as it then is", async () => {
    const model = newModel();
    const add = (at: number) => boards.add({ model, at, channels: { [channel]: counts } });
    expect(await add(noon)).toEqual({ start: noon, channels: { [channel]: counts } });
    const seen = await Promise.all(Array.from({ length: 9 }, (_, i) => add(noon + i)));
    const answers = seen.map(({ channels }) => channels[channel]?.answers ?? 0);
    expect(answers.sort((a, b) => a - b)).toEqual([6, 9, 12, 15, 18, 21, 24, 27, 30]);
    const sum = Object.fromEntries(
      Object.entries(counts).map(([name, n]) => [
        name,
        Array.isArray(n) ? n.map((each) => 10 * each) : 10 * n,
      ]),
    );
    expect(await boards.read(model, noon + 9)).toEqual({
      read_at: noon + 9,
      windows: [{ start: noon, channels: { [channel]: sum } }],
      states: {},
    });
  });

  test("of several channels stand side by side, and nothing is written of those that are 0", async () => {
    const model = newModel();
    await boards.add({
      model,
      at: noon,
      channels: { aaaaaa: { answers: 1, faults: 0 }, bbbbbb: { faults: 2 } },
    });
    await boards.add({ model, at: noon, channels: { bbbbbb: { limited: 1, first_byte: [] } } });
    const item = await getItem(db.aws, db.tables.board, windowKey(model, noon));
    expect(Object.keys(item ?? {}).sort()).toEqual([
      "aaaaaa.n",
      "bbbbbb.f",
      "bbbbbb.l",
      "expires_at",
      "pk",
      "sk",
    ]);
    expect(item?.expires_at).toEqual({ N: String(noon / 1000 + 1200) });
    expect((await boards.read(model, noon)).windows[0]?.channels).toEqual({
      aaaaaa: { answers: 1 },
      bbbbbb: { faults: 2, limited: 1 },
    });
  });

  test("are read of eight windows and the one that has begun, the oldest first", async () => {
    const model = newModel();
    const starts = Array.from({ length: 14 }, (_, i) => noon + (i - 11) * windowMs);
    for (const at of starts) await boards.add({ model, at: at + 1, channels: { [channel]: { answers: 1 } } });
    await boards.add({ model: `${model}-2`, at: noon, channels: { [channel]: { answers: 7 } } });
    const read = async (now: number, spanMs?: number) =>
      (await boards.read(model, now, spanMs)).windows.map(({ start }) => (start - noon) / windowMs);
    // A window of a clock that is ahead by no more than one window is read too.
    for (const now of [noon, noon + windowMs - 1])
      expect(await read(now)).toEqual([-8, -7, -6, -5, -4, -3, -2, -1, 0, 1]);
    expect(await read(noon + 2 * windowMs)).toHaveLength(orderSpanMs / windowMs);
    expect(await read(noon, 20 * 60_000)).toHaveLength(13);
  });
});

describe("a limited channel", () => {
  test("stays limited until the latest instant that anybody was told", async () => {
    const model = newModel();
    await Promise.all([5, 60, 20, 1].map((seconds) => boards.limit(model, channel, noon + seconds * 1000)));
    expect((await boards.read(model, noon)).states).toEqual({
      [channel]: { level: 0, limited_until: noon + 60_000 },
    });
    const { expires_at } = (await getItem(db.aws, db.tables.board, channelStateKey(model, channel))) ?? {};
    expect(Number(expires_at?.N)).toBeGreaterThan((noon + 60_000) / 1000);
  });
});

describe("a channel", () => {
  const opening = (level: number, now = noon) => ({ until: now + 2_500 * level, level, now });
  const claim = (now: number) => ({ until: now + 30_000, now });
  const many = <Value>(act: (boards: Boards) => Promise<Value>) =>
    Promise.all(Array.from({ length: 8 }, () => act(createBoards(db.aws, db.tables))));

  test("is opened by one of those who would at the same time, and again once it is no longer open", async () => {
    const model = newModel();
    const opened = await many((each) => each.open(model, channel, opening(1)));
    expect(opened.filter(Boolean)).toHaveLength(1);
    expect(await boards.open(model, channel, opening(2, noon + 2_499))).toBe(false);
    expect((await boards.read(model, noon)).states).toEqual({
      [channel]: { level: 1, open_until: noon + 2_500 },
    });
    expect(await boards.open(model, channel, opening(2, noon + 2_500))).toBe(true);
    expect((await boards.read(model, noon)).states[channel]).toEqual({ level: 2, open_until: noon + 7_500 });
  });

  test("is probed by one call in the world, which has its time for it", async () => {
    const model = newModel();
    await boards.open(model, channel, opening(1));
    expect(await boards.claimProbe(model, channel, claim(noon + 2_499))).toBe(false);
    const claimed = await many((each) => each.claimProbe(model, channel, claim(noon + 2_500)));
    expect(claimed.filter(Boolean)).toHaveLength(1);
    expect((await boards.read(model, noon)).states[channel]?.probed_until).toBe(noon + 32_500);
    expect(await boards.claimProbe(model, channel, claim(noon + 32_499))).toBe(false);
    expect(await boards.claimProbe(model, channel, claim(noon + 32_500))).toBe(true);
  });

  test("whose probe fails is opened anew, and probed anew after that", async () => {
    const model = newModel();
    await boards.open(model, channel, opening(1));
    expect(await boards.claimProbe(model, channel, claim(noon + 2_500))).toBe(true);
    expect(await boards.open(model, channel, opening(2, noon + 3_000))).toBe(true);
    expect((await boards.read(model, noon)).states[channel]).toEqual({ level: 2, open_until: noon + 8_000 });
    expect(await boards.claimProbe(model, channel, claim(noon + 7_999))).toBe(false);
    expect(await boards.claimProbe(model, channel, claim(noon + 8_000))).toBe(true);
  });

  test("whose probe succeeds is closed, and nobody probes it. A limit stays", async () => {
    const model = newModel();
    await boards.limit(model, channel, noon + 60_000);
    await boards.open(model, channel, opening(1));
    await boards.claimProbe(model, channel, claim(noon + 2_500));
    await many((each) => each.close(model, channel));
    expect((await boards.read(model, noon)).states).toEqual({
      [channel]: { level: 0, limited_until: noon + 60_000 },
    });
    expect(await boards.claimProbe(model, channel, claim(noon + 2_600))).toBe(false);
    expect(await boards.open(model, channel, opening(1, noon + 2_600))).toBe(true);
  });

  test("is opened for a witness alone, for another one not meanwhile, and for all at once", async () => {
    const model = newModel();
    const alone = { ...opening(1), only_for: "evil" };
    expect(await boards.open(model, channel, alone)).toBe(true);
    const state = async () => (await boards.read(model, noon)).states[channel];
    expect(await state()).toEqual({ level: 1, open_until: alone.until, only_for: "evil" });
    expect(await boards.open(model, channel, { ...opening(1), only_for: "good" })).toBe(false);
    const opened = await many((each) => each.open(model, channel, opening(2)));
    expect(opened.filter(Boolean)).toHaveLength(1);
    expect(await state()).toEqual({ level: 2, open_until: opening(2).until });
  });

  test("keeps whose probe has failed until it is opened anew, and nothing of it once it is closed", async () => {
    const model = newModel();
    const state = async () => (await boards.read(model, noon)).states[channel];
    await boards.open(model, channel, { ...opening(1), only_for: "evil", failed_by: "evil" });
    expect(await state()).toMatchObject({ only_for: "evil", failed_by: "evil" });
    await boards.open(model, channel, opening(1));
    expect(await state()).toEqual({ level: 1, open_until: opening(1).until });
    await boards.open(model, channel, { ...opening(2, noon + 5_000), failed_by: "evil" });
    await boards.close(model, channel);
    expect(await state()).toEqual({ level: 0 });
  });

  test("that was never opened is neither probed nor closed, and leaves no item", async () => {
    const model = newModel();
    expect(await boards.claimProbe(model, channel, claim(noon))).toBe(false);
    await boards.close(model, channel);
    expect(await getItem(db.aws, db.tables.board, channelStateKey(model, channel))).toBeUndefined();
  });
});

describe("a board", () => {
  const acts: [name: string, act: (boards: Boards, model: string) => Promise<unknown>][] = [
    ["read", (each, model) => each.read(model, noon)],
    ["add", (each, model) => each.add({ model, at: noon, channels: { [channel]: { faults: 1 } } })],
    ["limit", (each, model) => each.limit(model, channel, noon)],
    ["open", (each, model) => each.open(model, channel, { until: noon + 1, level: 1, now: noon })],
    ["claimProbe", (each, model) => each.claimProbe(model, channel, { until: noon + 1, now: noon })],
    ["close", (each, model) => each.close(model, channel)],
  ];

  test.each(acts)("is asked once by %s, and says that it is throttled", async (_, act) => {
    const asked: string[] = [];
    const throttled: Aws = async (_service, action, input) => {
      const { Key, ExpressionAttributeValues } = input as Record<string, Record<string, { S: string }>>;
      asked.push(`${action} ${(Key?.pk ?? ExpressionAttributeValues?.[":pk"])?.S}`);
      throw new ThrottledError("ThrottlingException", 400, {});
    };
    const model = newModel();
    await expect(act(createBoards(throttled, db.tables), model)).rejects.toThrow(ThrottledError);
    expect(asked).toEqual([expect.stringMatching(`^(Query|UpdateItem) ${boardPartition(model)}$`)]);
  });

  test("with items and counts that nobody understands is read without them", async () => {
    const model = newModel();
    const pk = { S: boardPartition(model) };
    const put = (sk: string, fields: Parameters<typeof putItem>[2]) =>
      putItem(db.aws, db.tables.board, { pk, sk: { S: sk }, ...fields }, []);
    await boards.add({ model, at: noon, channels: { [channel]: { answers: 1, first_byte: [0, 0, 4] } } });
    const { sk } = windowKey(model, noon - windowMs);
    await put(sk?.S ?? "", {
      "aaaaaa.n": { S: "many" },
      "aaaaaa.f": { N: "-1" },
      "aaaaaa.l": { N: "1.5" },
      "aaaaaa.2": { N: "2" },
      "aaaaaa.o": { N: "1e30" },
      "aaaaaa.latency": { N: "7" },
      "aaaaaa.fgood": { N: "3" },
      "aaaaaa.ygood": { N: "2" },
      "aaaaaa.fbad": { N: "3" },
      "__proto__.n": { N: "7" },
      none: { N: "7" },
    });
    await put("w#soon", { "aaaaaa.n": { N: "1" } });
    await put("w#99999999999", { "aaaaaa.n": { N: "1" } });
    await put("x#", { o: { N: "1" } });
    await put("x#__proto__", { o: { N: "1" } });
    await put("x#bbbbbb", { o: { S: "soon" }, v: { N: "-3" }, l: { N: "5" }, z: { BOOL: true } });
    expect(await boards.read(model, noon)).toEqual({
      read_at: noon,
      windows: [
        {
          start: noon - windowMs,
          channels: { aaaaaa: { first_byte: [0, 0, 2], seen_by: { good: 3 }, raced_by: { good: 2 } } },
        },
        { start: noon, channels: { [channel]: { answers: 1, first_byte: [0, 0, 4] } } },
      ],
      states: { bbbbbb: { level: 0, limited_until: 5 } },
    });
    expect(({} as Record<string, unknown>).answers).toBeUndefined();
  });

  /** Twenty answers of each of three channels in each of nine windows, in each lane spread over five buckets. */
  async function busy(model: string, target: Boards, lanes = 1): Promise<void> {
    const inLane = [0, 0, 0, 2, 7, 6, 4, 1, 0, 0, 0, 0];
    const histogram = Array.from({ length: lanes }, () => inLane).flat();
    const each = { answers: 20, first_byte: histogram, output_tokens: 9_876, generation_ms: 123_456 };
    const full = { ...each, input_tokens: 45_678, cache_read_tokens: 34_567 };
    for (let i = 0; i < 9; i++) {
      const channels = { a1b2c3: full, d4e5f6: full, g7h8i9: full };
      await target.add({ model, at: noon - i * windowMs, channels });
    }
  }

  test("of three busy channels costs half a unit to read, and one to add to", async () => {
    const { aws, units } = counting(db.aws);
    const target = createBoards(aws, db.tables);
    const model = newModel();
    await busy(model, target);
    expect(units.get("UpdateItem")).toBe(9);
    await target.open(model, "a1b2c3", { until: noon + 2_500, level: 1, now: noon });
    expect((await target.read(model, noon)).windows).toHaveLength(9);
    expect(units.get("Query")).toBe(0.5);
  });

  test.each([
    [4, 1],
    [8, 2],
  ])("of %i lanes of organizations costs %d units to read, and one or two to add to", async (lanes, read) => {
    const { aws, units } = counting(db.aws);
    const target = createBoards(aws, db.tables);
    const model = newModel();
    await busy(model, target, lanes);
    expect(units.get("UpdateItem")).toBe(lanes === 4 ? 9 : 18);
    expect((await target.read(model, noon)).windows).toHaveLength(9);
    expect(units.get("Query")).toBe(read);
  });
});
