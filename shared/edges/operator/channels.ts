/** What operators do with the channels of models: see them, take one out and bring it back (calls/routing/README.md). */
import { GatewayError } from "../../base/errors.ts";
import { rfc3339 } from "../../books/billing/instant.ts";
import { amongOf, type Model } from "../../books/catalog/catalog.ts";
import type { ModelCatalog } from "../../books/catalog/models.ts";
import { type Boards, boardSpanMs } from "../../calls/routing/board.ts";
import {
  type ChannelAct,
  type ChannelRecord,
  type ChannelRecords,
  isTakenOut,
  outBy,
} from "../../calls/routing/taken-out.ts";
import {
  type BoardedModel,
  type ChannelFacts,
  type ChannelLine,
  hasKeys,
  historyOf,
  linesOf,
  minutesOf,
  witnessesOf,
} from "./channel-lines.ts";

/** What shows channels. Without `keys` nobody may read the providers' secret. */
export interface ChannelShowing extends Omit<ModelChannelDeps, "keys" | "records"> {
  keys: ReadonlySet<string> | undefined;
  records: Pick<ChannelRecords, "all">;
}

export interface ModelChannelDeps {
  catalog: Pick<ModelCatalog, "models">;
  /** The names in the providers' secret that have a value. */
  keys: ReadonlySet<string>;
  boards: Pick<Boards, "read">;
  records: ChannelRecords;
  now: () => number;
}

/** So many boards are read at a time. */
const readsAtOnce = 16;
/** So many acts a record keeps. The trail of the tables has the older ones (infra/resources/operator-role.md). */
const actsMax = 20;

/** Which channels are listed: of models by a pattern, of a provider, or those that are taken out. */
interface ChannelFilter {
  model?: string | undefined;
  provider?: string | undefined;
  out?: boolean;
}

/** The channels of the catalog that a filter leaves, in the catalog's order. */
export async function listChannels(
  { model: pattern = "*", provider, out = false }: ChannelFilter,
  deps: ChannelShowing,
): Promise<ChannelLine[]> {
  const isNamed = amongOf([pattern]);
  const isOf = (each: { provider: string }) => provider === undefined || each.provider === provider;
  const models = deps.catalog.models().filter(({ id, channels }) => isNamed(id) && channels.some(isOf));
  const { facts, boarded } = await readAll(models, deps);
  const lines = boarded.flatMap((each) => linesOf(each, facts)).filter(isOf);
  return out ? lines.filter(({ state }) => state === "taken_out") : lines;
}

/** A channel with its last 20 minutes, who has seen its faults, and what operators did to it. Throws for an unknown id. */
export async function showChannel(id: string, deps: ChannelShowing) {
  const { facts, boarded } = await readAll(modelsWith(id, deps), deps);
  const acts = facts.records.get(id)?.acts ?? [];
  return {
    channels: boarded.map((each) => ({
      ...(linesOf(each, facts).find((line) => line.id === id) as ChannelLine),
      witnesses: witnessesOf(each.board, id),
      history: historyOf(each.board, id, facts.now),
    })),
    acts: acts.map(actLine),
  };
}

/** An act as it is shown. */
function actLine({ what, at, by, why = "", until }: ChannelAct) {
  return { at: rfc3339(at), what, by, until: until === undefined ? null : rfc3339(until), why: why || null };
}

/** What taking a channel out means for one model. */
export interface TakingOut {
  model: string;
  /** The answers of the last 20 minutes on the channel, and on all channels of the model. */
  answers: number;
  of: number;
  /** The channels that are left to the model's calls, as `id provider`. */
  left_with: string[];
}

/**
 * What taking a channel out means, for each model that has it. Throws for an unknown id, and where calls would not learn of
 * it: those of a model with one channel read no board.
 */
export async function foreseeTakingOut(id: string, deps: ModelChannelDeps): Promise<TakingOut[]> {
  const { facts, boarded } = await readAll(modelsWith(id, deps), deps);
  return boarded.map((each) => takingOut(id, each, facts));
}

function takingOut(id: string, { model, board }: BoardedModel, facts: ChannelFacts): TakingOut {
  const able = model.channels.filter((channel) => hasKeys(channel, facts.keys));
  refuseUnread(id, model, able);
  const lines = linesOf({ model, board }, facts);
  const others = lines.filter((line) => line.id !== id && line.has_keys && line.state !== "taken_out");
  const from = facts.now - boardSpanMs;
  const answersOf = (channel: string) => minutesOf(board, channel, from).answers;
  return {
    model: model.id,
    answers: answersOf(id),
    of: model.channels.reduce((sum, channel) => sum + answersOf(channel.id), 0),
    left_with: others.map((line) => `${line.id} ${line.provider}`),
  };
}

/** The worker of video tasks reads the board of every model. Calls of a model with one channel do not. */
function refuseUnread(
  id: string,
  model: Model,
  able: readonly { id: string; needs: readonly string[] }[],
): void {
  const [only] = able;
  if (model.video !== null || able.length !== 1 || only?.id !== id) return;
  const key = only.needs[0];
  const instead =
    key === undefined
      ? "take the model out of the catalog"
      : `remove its key (secret remove ${key}), or take the model out of the catalog`;
  throw new Error(
    `${id} is the only channel of ${model.id} that has its key. Calls of such a model read no board, so they would go on: ${instead}`,
  );
}

/** How a channel is taken out. */
export interface Leave {
  why: string;
  /** For so many milliseconds; absent: until it is brought back. */
  for_ms?: number | undefined;
  by: string;
  /** Also where it is the last channel of a model. */
  force: boolean;
}

/**
 * Takes a channel out of all models that have it. The record is written first: if the board cannot be, the sweep writes it.
 * Throws, and changes nothing, for an unknown id and for the last channel of a model.
 */
export async function leaveChannel(id: string, { why, for_ms, by, force }: Leave, deps: ModelChannelDeps) {
  const foreseen = await foreseeTakingOut(id, deps);
  const last = foreseen.filter(({ left_with }) => left_with.length === 0).map(({ model }) => model);
  if (last.length > 0 && !force)
    throw new Error(
      `${id} is the last channel of ${last.join(", ")}: calls would get the error 50002. --force takes it out all the same`,
    );
  const at = deps.now();
  const until = for_ms === undefined ? {} : { until: at + for_ms };
  const act: ChannelAct = { what: "left", at, by, why, ...until };
  const place = placeOf(id, undefined, deps.catalog);
  await writeAct(place, act, deps);
  const { provider, name } = place;
  return { id, provider, name, ...actLine(act), models: foreseen };
}

/** Brings a channel back. Throws where it is not out, neither by its record nor by a board. */
export async function returnChannel(id: string, by: string, deps: ModelChannelDeps) {
  const { catalog, boards, records, now } = deps;
  const record = (await records.all()).find(({ channel }) => channel === id);
  const found = placeOf(id, record, catalog);
  const isShown = async (model: string) => isTakenOut(await boards.read(model, now(), 0), id, now());
  const isOut = record && outBy(record, now()) !== undefined;
  if (!isOut && !(await Promise.all(found.models.map(isShown))).includes(true))
    throw new Error(`${id} is not taken out; channel list --out shows those that are`);
  const act: ChannelAct = { what: "returned", at: now(), by };
  await writeAct(found, act, deps);
  const { provider, name, models } = found;
  return { id, provider, name, ...actLine(act), models: models.map((model) => ({ model })) };
}

type ChannelPlace = Pick<ChannelRecord, "channel" | "provider" | "name" | "models">;

/** Where a channel is: in the catalog, and by its record. Throws where neither has it. */
function placeOf(
  id: string,
  record: ChannelRecord | undefined,
  catalog: ModelChannelDeps["catalog"],
): ChannelPlace {
  const models = modelsOfChannel(id, catalog);
  const channel = models[0]?.channels.find((each) => each.id === id);
  const { provider, name } = channel ? { provider: channel.provider, name: channel.model } : (record ?? {});
  if (provider === undefined || name === undefined) throw unknownChannel(id);
  const ids = new Set([...(record?.models ?? []), ...models.map((model) => model.id)]);
  return { channel: id, provider, name, models: [...ids] };
}

/** Adds an act to the record of a channel, and shows it on the boards of all models that have had the channel. */
async function writeAct(
  place: ChannelPlace,
  act: ChannelAct,
  { records, now }: Pick<ModelChannelDeps, "records" | "now">,
): Promise<void> {
  const before = (await records.all()).find(({ channel }) => channel === place.channel);
  const record: ChannelRecord = {
    ...place,
    models: [...new Set([...(before?.models ?? []), ...place.models])],
    revision: Math.max(now(), (before?.revision ?? 0) + 1),
    acts: [...(before?.acts ?? []), act].slice(-actsMax),
  };
  if (!(await records.write(record, before)))
    throw new Error("somebody else changed the channel at the same time: repeat the command");
  await records.show(record, now()).catch((error: unknown) => {
    throw new Error("it is recorded, but the board cannot be written: the sweep does so within 5 minutes", {
      cause: error,
    });
  });
}

/** The models that have a channel. Throws where none has. */
function modelsWith(id: string, { catalog }: Pick<ModelChannelDeps, "catalog">): Model[] {
  const found = modelsOfChannel(id, catalog);
  if (found.length === 0) throw unknownChannel(id);
  return found;
}

function modelsOfChannel(id: string, catalog: ModelChannelDeps["catalog"]): Model[] {
  return catalog.models().filter(({ channels }) => channels.some((channel) => channel.id === id));
}

function unknownChannel(id: string): Error {
  return new GatewayError("not_found", {
    message: `the catalog has no channel ${id}; channel list shows them`,
  });
}

/** The models with their boards of the last 20 minutes, and what is known beyond. */
async function readAll(
  models: readonly Model[],
  { boards, keys, records, now }: ChannelShowing,
): Promise<{ facts: ChannelFacts; boarded: BoardedModel[] }> {
  const all = await records.all();
  const boarded: BoardedModel[] = [];
  for (let at = 0; at < models.length; at += readsAtOnce) {
    const some = models.slice(at, at + readsAtOnce);
    const read = some.map(async (model) => ({
      model,
      board: await boards.read(model.id, now(), boardSpanMs),
    }));
    boarded.push(...(await Promise.all(read)));
  }
  const byId = new Map(all.map((record) => [record.channel, record]));
  return { facts: { keys, records: byId, now: now() }, boarded };
}
