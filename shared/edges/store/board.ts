/**
 * The board on DynamoDB (shared/calls/routing/README.md "The board"). A window is one item that counts are added to;
 * each channel's state is an item, so that writes do not wait. A repetition would count twice: give a client that asks
 * once.
 */
import type { Aws } from "../../base/platform/aws.ts";
import type {
  Board,
  BoardAddition,
  Boards,
  BoardWindow,
  ChannelCounts,
  ChannelState,
  Opening,
  TakenOut,
} from "../../calls/routing/board.ts";
import { boardSpanMs, orderSpanMs, windowMs, windowOf } from "../../calls/routing/board.ts";
import { type Item, readText, toAttribute } from "./dynamodb/attributes.ts";
import { absentOrAtMost, absentOrBelow, atMost, either, exists } from "./dynamodb/expressions.ts";
import {
  boardPartition,
  boardRange,
  channelStateKey,
  readBoardSort,
  type TableNames,
  windowKey,
} from "./dynamodb/item-keys.ts";
import { changeItem, updateItem } from "./dynamodb/items.ts";

/** How long a state is kept after its last instant. */
const stateKeptMs = 24 * 3_600_000;

/**
 * The counts of a channel in a window are attributes `<channel>.<letter>`, and `<channel>.<bucket>` for its histogram.
 * Faults and races of a witness are `<channel>.f<witness>` and `<channel>.y<witness>` beside that. Short names keep the windows of an order within one read of 4 KB.
 */
const letters = {
  answers: "n",
  faults: "f",
  limited: "l",
  raced: "y",
  output_tokens: "o",
  generation_ms: "g",
  input_tokens: "i",
  cache_read_tokens: "c",
} as const satisfies Record<Exclude<keyof ChannelCounts, "first_byte" | Witnessed>, string>;
/** The counts that are told apart by witnesses, by the letter of all of them. */
const witnessed = { f: "seen_by", y: "raced_by" } as const satisfies Record<string, keyof ChannelCounts>;
type Witnessed = (typeof witnessed)[keyof typeof witnessed];

type BoardCount = keyof typeof letters;
const countNames = new Map(Object.entries(letters).map(([name, letter]) => [letter as string, name]));
/** Names that are none of these were not written here, or by a later version. */
const countPattern = /^([a-z0-9]{1,16})\.(?:([a-z]|\d\d?)|([fy])([a-z0-9]{4}))$/;

/** The attributes of a channel's state. */
const names = {
  limited_until: "l",
  open_until: "o",
  level: "v",
  probed_until: "p",
  only_for: "w",
  failed_by: "b",
} as const satisfies Record<keyof ChannelState, string>;
const witnesses = ["only_for", "failed_by"] as const;

/** The attributes of a mark: the record's revision, that the channel is out, and until when (taken-out.ts). */
export const marked = { revision: "r", out: "o", until: "u" } as const;

/** The boards in a table, for those who only read them. */
export function createBoardReader(
  aws: Aws,
  { board: table }: Pick<TableNames, "board">,
): Pick<Boards, "read"> {
  return {
    async read(model, now, spanMs = orderSpanMs) {
      const { first, last } = boardRange(windowOf(now - spanMs) + windowMs);
      const { Items = [] } = await aws("dynamodb", "Query", {
        TableName: table,
        ConsistentRead: false,
        // States come first and the oldest windows last. If all of it is more than a page, those are what is left out.
        ScanIndexForward: false,
        KeyConditionExpression: "pk = :pk AND sk BETWEEN :first AND :last",
        ExpressionAttributeValues: {
          ":pk": { S: boardPartition(model) },
          ":first": { S: first },
          ":last": { S: last },
        },
      });
      return boardOf(Items, now);
    },
  };
}

/** The boards in a table. Every method sends one request. */
export function createBoards(aws: Aws, tables: Pick<TableNames, "board">): Boards {
  const { board: table } = tables;
  return {
    ...createBoardReader(aws, tables),

    async add(addition) {
      const start = windowOf(addition.at);
      const written = await updateItem(aws, {
        table,
        key: windowKey(addition.model, start),
        set: expiry(start + boardSpanMs),
        add: attributesOf(addition),
      });
      return { start, channels: channelsOf(written.item ?? {}) };
    },

    async limit(model, channel, until) {
      await changeItem(aws, {
        table,
        key: channelStateKey(model, channel),
        set: { [names.limited_until]: toAttribute(until), ...expiry(until + stateKeptMs) },
        when: [absentOrBelow(names.limited_until, until)],
      });
    },

    async open(model, channel, opening) {
      const { until, level, now } = opening;
      const { told, untold } = witnessesOf(opening);
      const isClosed = absentOrAtMost(names.open_until, BigInt(now));
      return await changeItem(aws, {
        table,
        key: channelStateKey(model, channel),
        set: {
          [names.open_until]: toAttribute(until),
          [names.level]: toAttribute(level),
          ...told,
          ...expiry(until + stateKeptMs),
        },
        remove: [names.probed_until, ...untold],
        when: [opening.only_for === undefined ? either(isClosed, exists(names.only_for)) : isClosed],
      });
    },

    async claimProbe(model, channel, { until, now }) {
      return await changeItem(aws, {
        table,
        key: channelStateKey(model, channel),
        set: { [names.probed_until]: toAttribute(until), ...expiry(until + stateKeptMs) },
        when: [atMost(names.open_until, now), absentOrAtMost(names.probed_until, BigInt(now))],
      });
    },

    async close(model, channel) {
      await changeItem(aws, {
        table,
        key: channelStateKey(model, channel),
        remove: [names.open_until, names.level, names.probed_until, names.only_for, names.failed_by],
        when: [exists(names.open_until)],
      });
    },
  };
}

/** Unix milliseconds as the instant at which DynamoDB may forget an item. */
function expiry(at: number): Item {
  return { expires_at: toAttribute(Math.floor(at / 1000)) };
}

/** The attributes of an opening that name a witness, and those that an earlier one may have in their place. */
function witnessesOf(opening: Opening): { told: Item; untold: string[] } {
  const told: Item = {};
  const untold: string[] = [];
  for (const name of witnesses) {
    const witness = opening[name];
    if (witness === undefined) untold.push(names[name]);
    else told[names[name]] = { S: witness };
  }
  return { told, untold };
}

/** What an addition adds, by attribute. Nothing is added for counts of 0. */
function attributesOf({ channels }: BoardAddition): Record<string, number> {
  const added: Record<string, number> = {};
  for (const [channel, { first_byte = [], seen_by, raced_by, ...counts }] of Object.entries(channels)) {
    const named = Object.entries(counts).map(
      ([name, count]) => [letters[name as BoardCount], count] as const,
    );
    const seen = Object.entries({ f: seen_by, y: raced_by }).flatMap(([letter, by = {}]) =>
      Object.entries(by).map(([witness, count]) => [`${letter}${witness}`, count] as const),
    );
    for (const [name, count] of [...named, ...seen, ...first_byte.entries()]) {
      if (count > 0) added[`${channel}.${name}`] = count;
    }
  }
  return added;
}

/** A board from its items, the newest first. An item or an attribute that is not understood is left out. */
function boardOf(items: Item[], now: number): Board {
  const board: Board = { read_at: now, windows: [], states: {} };
  let taken_out: Record<string, TakenOut> | undefined;
  for (const item of items) {
    const place = readBoardSort(readText(item.sk));
    if (place === undefined) continue;
    if ("channel" in place) board.states[place.channel] = stateOf(item);
    else if ("taken_out" in place) {
      if (item[marked.out]) taken_out = { ...taken_out, [place.taken_out]: takenOutOf(item) };
    }
    // A window that has not begun for us was written by a clock that is ahead.
    else if (place.start <= now + windowMs)
      board.windows.unshift({ start: place.start, channels: channelsOf(item) });
  }
  return { ...board, ...(taken_out && { taken_out }) };
}

function takenOutOf(item: Item): TakenOut {
  const until = countIn(item, marked.until);
  return until === undefined ? {} : { until };
}

function stateOf(item: Item): ChannelState {
  const state: ChannelState = { level: countIn(item, names.level) ?? 0 };
  for (const name of ["limited_until", "open_until", "probed_until"] as const) {
    const until = countIn(item, names[name]);
    if (until !== undefined) state[name] = until;
  }
  for (const name of witnesses) {
    const witness = item[names[name]]?.S;
    if (witness !== undefined) state[name] = witness;
  }
  return state;
}

function channelsOf(item: Item): BoardWindow["channels"] {
  const channels: BoardWindow["channels"] = {};
  for (const attribute of Object.keys(item)) {
    const [, channel, named = "", letter = "", witness] = countPattern.exec(attribute) ?? [];
    const count = countIn(item, attribute);
    if (channel === undefined || count === undefined) continue;
    const name = countNames.get(named) as BoardCount | undefined;
    const counts = channels[channel] ?? {};
    channels[channel] = counts;
    const list = witnessed[letter as keyof typeof witnessed];
    if (list && witness !== undefined) counts[list] = { ...counts[list], [witness]: count };
    else if (name) counts[name] = count;
    else if (/\d/.test(named)) counts.first_byte = withBucket(counts.first_byte ?? [], Number(named), count);
  }
  return channels;
}

/** A histogram with one more bucket. Those before it that hold nothing are 0. */
function withBucket(histogram: number[], bucket: number, count: number): number[] {
  const length = Math.max(histogram.length, bucket + 1);
  return Array.from({ length }, (_, at) => (at === bucket ? count : (histogram[at] ?? 0)));
}

/** A count, or undefined where the attribute is none. */
function countIn(item: Item, attribute: string): number | undefined {
  const count = Number(item[attribute]?.N ?? "none");
  return Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}
