/** `GET /api/v1/models/{model}/routes`: how channels do, by what all processes have seen. It names providers only. */

import { jsonReply } from "../../base/http/message.ts";
import { describeError, type Log } from "../../base/platform/log.ts";
import type { Secrets } from "../../base/platform/secrets.ts";
import type { Principal } from "../../books/accounts/account.ts";
import type { ReadyChannel } from "../../books/catalog/catalog.ts";
import type { ModelCatalog } from "../../books/catalog/models.ts";
import { modelOf, routingOf } from "../../books/catalog/plans.ts";
import type { Board, Boards, ChannelCounts } from "../../calls/routing/board.ts";
import { added, percentile, timesFor } from "../../calls/routing/histogram.ts";
import { type ChannelHealth, orderOf, type RoutedChannel } from "../../calls/routing/order.ts";
import { inUse } from "../../calls/routing/taken-out.ts";
import { laneOf, witnessOf } from "../../calls/routing/witness.ts";

export interface BoardDeps {
  boards: Pick<Boards, "read">;
  log: Log;
}

interface RoutesDeps extends BoardDeps {
  catalog: ModelCatalog;
  secrets: Pick<Secrets, "provider">;
}

/** Whom it is told, by the name of the organization on the board (calls/routing/witness.ts), and when. */
export interface RouteReader {
  witness: string;
  /** Unix milliseconds. */
  now: number;
}

const minuteMs = 60_000;
const longMinutes = 15;
const shortMinutes = 5;

/**
 * The channels of a model, in the catalog's order. A value of more than 15 minutes ago is null; so are all where the
 * board cannot be read. `now` is Unix ms. Throws `not_found` and `permission_denied`.
 */
export async function listRoutes(
  name: string,
  { caller, now }: { caller: Principal; now: number },
  deps: RoutesDeps,
) {
  const model = modelOf(name, caller, deps.catalog, now);
  const [able, board] = await Promise.all([withKeys(model.channels, deps), boardOf(model.id, now, deps)]);
  const channels = inUse(able, board, now);
  const seen = { now, witness: witnessOf(caller.organization.id) };
  const states = board && statesOf(channels, board, seen);
  return jsonReply({
    object: "list",
    model: model.id,
    routing: routingOf(caller, deps.catalog, now),
    data: channels.map(({ id, provider }) => ({
      provider,
      state: states?.get(id) ?? null,
      ...measuresOf(board, [id], seen),
    })),
  });
}

/** The channels for which everything is there that they need. Nothing is ever sent to another one. */
async function withKeys(
  channels: readonly ReadyChannel[],
  { secrets }: Pick<RoutesDeps, "secrets">,
): Promise<ReadyChannel[]> {
  const values = await Promise.all(
    channels.map(async ({ needs }) => await Promise.all(needs.map((name) => secrets.provider(name)))),
  );
  return channels.filter((_, at) => values[at]?.every((value) => value !== undefined));
}

/** The board of a model as far as it is told; undefined where it cannot be read. */
export async function boardOf(
  model: string,
  now: number,
  { boards, log }: BoardDeps,
): Promise<Board | undefined> {
  try {
    return await boards.read(model, now, longMinutes * minuteMs);
  } catch (error) {
    log("warn", "board_unreachable", { model, error: describeError(error) });
    return undefined;
  }
}

/** As smart routing sees them for that organization. Basic routing leaves only channels that are open or limited. */
export function statesOf(
  channels: readonly RoutedChannel[],
  board: Board,
  asked: RouteReader,
): Map<string, ChannelHealth> {
  const { placed } = orderOf({ ...asked, channels, board, conversation: "", routing: "smart" });
  return new Map(placed.map(({ channel, health }) => [channel.id, health]));
}

type CountsAt = Partial<ChannelCounts> & { start: number };

/** What was measured of some channels together. Null: nobody has measured it in 15 minutes. */
interface Measures {
  /** The share of answers among answers and faults. */
  uptime_5m: number | null;
  uptime_15m: number | null;
  first_byte_ms: { p50: number | null; p95: number | null };
  tokens_per_second: number | null;
  cached_share: number | null;
}

/** What the board says of the channels with these ids. */
export function measuresOf(
  board: Board | undefined,
  ids: readonly string[],
  { now, witness }: RouteReader,
): Measures {
  const windows: CountsAt[] = (board?.windows ?? []).flatMap(({ start, channels }) =>
    ids.map((id) => ({ start, ...channels[id] })),
  );
  const sum = (name: Exclude<keyof ChannelCounts, "first_byte" | "seen_by" | "raced_by">) =>
    windows.reduce((all, counts) => all + (counts[name] ?? 0), 0);
  const laned = windows.reduce<number[]>((all, { first_byte = [] }) => added(all, first_byte), []);
  const firstByte = timesFor(laneOf(witness), laned);
  return {
    uptime_5m: uptimeOf(windows.filter(({ start }) => start > now - shortMinutes * minuteMs)),
    uptime_15m: uptimeOf(windows),
    first_byte_ms: {
      p50: rounded(percentile(firstByte, 0.5), 0),
      p95: rounded(percentile(firstByte, 0.95), 0),
    },
    tokens_per_second: rounded(quotient(1000 * sum("output_tokens"), sum("generation_ms")), 1),
    cached_share: rounded(quotient(sum("cache_read_tokens"), sum("input_tokens")), 4),
  };
}

/** The share of answers among answers and faults. A refusal because the provider limits us is neither. */
function uptimeOf(windows: readonly CountsAt[]): number | null {
  const answers = windows.reduce((all, counts) => all + (counts.answers ?? 0), 0);
  const faults = windows.reduce((all, counts) => all + (counts.faults ?? 0), 0);
  return rounded(quotient(answers, answers + faults), 4);
}

function quotient(part: number, whole: number): number | undefined {
  return whole > 0 ? part / whole : undefined;
}

function rounded(value: number | undefined, places: number): number | null {
  return value === undefined ? null : Number(value.toFixed(places));
}
