/** Every key but those in cache-keys.ts and account-keys.ts. Requests go by the time-ordered part of their id. */
import { encodeTime } from "ulid";
import { bareId, timeOf } from "../../../base/platform/id.ts";
import { hourOf, type SpanUnit, unitOf } from "../../../books/billing/period.ts";
import type { RollupOwner, Share } from "../../../books/ledger/ledger.ts";
import { hourPart } from "../../../books/ledger/spread-hours.ts";
import { fromItem, type Item } from "./attributes.ts";

/** The tables of the store by the names they have in this deployment. */
export interface TableNames {
  keys: string;
  counters: string;
  ledger: string;
  tasks: string;
  accounts: string;
  board: string;
  cache: string;
}

/** The value of the index key `kind`, which meter items alone carry. */
export const meterKind = "meter";

/** The sort key of an item that is alone in its partition, or first in it. */
export const single = "-";

/** How the keys of a sort begin, for queries and scans that ask for all of it. */
export const prefixes = {
  organization: "O#",
  key: "K#",
  project: "P#",
  entry: "L#",
  rollup: "R#",
  replay: "Y#",
  price: "P#",
  board: "H#",
  cache: "C#",
  refused: "F#",
} as const;

/** The two attributes of a key. */
export const itemKey = (pk: string, sk: string): Item => ({ pk: { S: pk }, sk: { S: sk } });

/** A range of sort keys. Both ends belong to it. */
export interface KeyRange {
  first: string;
  last: string;
}

export function between(first: string, last: string): KeyRange {
  return { first, last };
}

/** All sort keys but those that begin with a sign, such as `-`. */
export const everything = between("0", "~");

/** What an item holds beside its key. */
export function readRecord<Record>(item: Item): Record;
export function readRecord<Record>(item: Item | undefined): Record | undefined;
export function readRecord<Record>(item: Item | undefined): Record | undefined {
  if (!item) return undefined;
  const { pk: _partition, sk: _sort, ...fields } = item;
  return fromItem(fields) as Record;
}

/** keys: a key's record, found by the hash of its secret. */
export const keyByHash = (hash: string) => itemKey(`K#${hash}`, single);
/** keys: an organization and, under `K#<key id>`, the records of its keys in order of creation. */
export const organizationPartition = (organization: string) => `O#${organization}`;
/** keys: the organization itself. */
export const organizationKey = (organization: string) => itemKey(organizationPartition(organization), single);
/** keys: a key's record among those of its organization. */
export const keyOfOrganization = (organization: string, key: string) =>
  itemKey(organizationPartition(organization), `K#${key}`);
/** keys: how many keys an organization has in use, or how many of them a member has made. */
export const keyCountKey = (organization: string, member?: string) =>
  itemKey(organizationPartition(organization), member === undefined ? "N" : `N#${member}`);
/** keys: the record of one of an organization's projects, by its handle. */
export const projectKey = (organization: string, handle: string) =>
  itemKey(organizationPartition(organization), `${prefixes.project}${handle}`);
/** counters: one shard of a meter. */
export const meterKey = (meter: string, shard: number): Item => ({ pk: { S: `M#${meter}#${shard}` } });

/** The meter and shard that `meterKey` was made of. */
export function readMeterKey(pk: string): { meter: string; shard: number } {
  const [, meter = "", shard = ""] = pk.split("#");
  return { meter, shard: Number(shard) };
}

/** counters: how far the schedule's pass over the meters has come. */
export const passKey = (): Item => ({ pk: { S: "P#pass" } });
/** counters: what was told of a meter's thresholds. */
export const thresholdsKey = (meter: string): Item => ({ pk: { S: `T#${meter}` } });
/** counters: what a call that is running was meant to be. */
export const intentKey = (request: string): Item => ({ pk: { S: `I#${bareId(request)}` } });
/** counters: what an idempotency key, by its hash, has come to. */
export const replayKey = (scope: string): Item => ({ pk: { S: `${prefixes.replay}${scope}` } });
/** counters: the answer of a call that had an idempotency key. */
export const replayAnswerKey = (request: string): Item => ({
  pk: { S: `${prefixes.replay}${bareId(request)}` },
});

const inPart = (part: string) => (part === "" ? "" : `#${part}`);

/** ledger: the usage and adjustment entries of one UTC hour, or of one part of it, in order of admission. */
export const entryPartition = (organization: string, hour: string, part = "") =>
  `L#${organization}#${hour}${inPart(part)}`;

/** The organization, hour and part that `entryPartition` was made of. */
export function readEntryPartition(pk: string): { organization: string; hour: string; part: string } {
  const [, organization = "", hour = "", part = ""] = pk.split("#");
  return { organization, hour, part };
}

/** ledger: the usage entry of a request. Its hour is the one in the request's id. */
export const entryKey = (organization: string, request: string, spread = false) =>
  itemKey(entryPartitionOf(organization, request, spread), bareId(request));
/** ledger: the entry that corrects the usage entry of a request. */
export const adjustmentKey = (organization: string, request: string, spread = false) =>
  itemKey(entryPartitionOf(organization, request, spread), `${bareId(request)}#adj`);

/** ledger: the partition of a request's entries. `spread`: the call's records say that its hour is. */
export const entryPartitionOf = (organization: string, request: string, spread: boolean) =>
  entryPartition(organization, hourOf(timeOf(request)), spread ? hourPart(request) : "");

/** Sort keys of the first and last entry of a request, both inclusive. */
export const entriesRange = (request: string) => between(bareId(request), `${bareId(request)}#adj`);
/** Sort keys that enclose those of the requests admitted in [from, to), Unix milliseconds, and equal none. */
export const requestRange = (from: number, to: number) => between(encodeTime(from), encodeTime(to));
/** ledger: the credits of an organization, and the fees of its plans. */
export const creditPartition = (organization: string) => `L#${organization}#$`;
/** ledger: one credit. */
export const creditKey = (organization: string, reference: string) =>
  itemKey(creditPartition(organization), `credit#${reference}`);
/** ledger: the fee of a paid period, by the entry's id. */
export const feeKey = (organization: string, id: string) => itemKey(creditPartition(organization), id);

/** Sort keys that enclose those of all credits and fees. */
export const creditAndFeeRange = between("credit#", "plan_fee$");

/** ledger: the rollups of a project, or those of its hours in one part; "" is the organization as a whole. */
export const rollupPartition = (organization: string, project: string, part = "") =>
  `R#${organization}#${project}${inPart(part)}`;

/** How the sort keys of rollups begin, by what their spans are. */
export const rollupSorts: Record<SpanUnit, string> = { hour: "H#", day: "D#", month: "M#" };

/** Sort keys that enclose those of the spans in [from, to), two of one unit, and equal none. */
export const spanRange = (from: string, to: string) =>
  between(`${rollupSorts[unitOf(from)]}${from}`, `${rollupSorts[unitOf(from)]}${to}`);

/**
 * ledger: a sum of a UTC span, or of one part of an hour. A project's partition names it. A share of all keys has the
 * old version's sort key.
 */
export function rollupKey(
  { organization, project }: RollupOwner,
  span: string,
  share: Share,
  part = "",
): Item {
  const owner = project === "" ? share.owner : "";
  const ownKey = share.key === null ? "" : `##${owner ?? ""}#${share.key}`;
  const sort = `${rollupSorts[unitOf(span)]}${span}#${share.model}${ownKey}`;
  return itemKey(rollupPartition(organization, project, part), sort);
}

/** The place whose rollups a partition has, all or those of one part. */
export function readRollupPartition(pk: string): RollupOwner {
  const [, organization = "", project = ""] = pk.split("#");
  return { organization, project };
}

/** The place, span and share that `rollupKey` was made of. Neither keys nor projects contain a `#`. */
export function readRollupKey(pk: string, sk: string): RollupOwner & Share & { span: string } {
  const { organization, project } = readRollupPartition(pk);
  const [, span = "", ...shared] = sk.split("#");
  const text = shared.join("#");
  const own = /^(.*)##([^#]*)#([^#]+)$/s.exec(text);
  const [model = text, owner = null, key = null] = own?.slice(1) ?? [];
  return { organization, project, span, model, key, owner: project === "" ? owner : project };
}

/** The sort key of a seal. */
export const sealSort = "S";

/** ledger: how far the rollups of a project are sealed. */
export const sealKey = (organization: string, project: string) =>
  itemKey(rollupPartition(organization, project), sealSort);

/** ledger: every price that an entry was charged at. */
export const pricePartition = `${prefixes.price}history`;

/** ledger: one price of one model. */
export const priceKey = (version: string, model: string) => itemKey(pricePartition, `${version}#${model}`);
/** Sort keys that enclose those of a version, or of all of them. */
export const priceRange = (version = "") =>
  version === "" ? everything : between(`${version}#`, `${version}$`);
/** tasks: the tasks of an organization in order of creation, by their ids. */
export const taskPartition = (organization: string) => `V#${organization}`;
/** tasks: one task. */
export const taskKey = (organization: string, task: string) => itemKey(taskPartition(organization), task);
/** Sort keys that enclose those of the tasks created in [from, ∞), Unix milliseconds. */
export const taskRange = (from: number) => between(`VTK-${encodeTime(from)}`, "VTK-~");
/** tasks: the parts of a task's request, in order. */
export const taskRequestPartition = (task: string) => `W#${task}`;
/** tasks: one part of a task's request. */
export const taskRequestKey = (task: string, part: number) =>
  itemKey(taskRequestPartition(task), String(part).padStart(4, "0"));
/** board: the windows of a model in order of time, and after them the states of its channels. */
export const boardPartition = (model: string) => `${prefixes.board}${model}`;
/** board: what was counted in one window, by its start in Unix milliseconds. */
export const windowKey = (model: string, start: number) => itemKey(boardPartition(model), windowSort(start));
/** board: the state of one channel. */
export const channelStateKey = (model: string, channel: string) =>
  itemKey(boardPartition(model), `${stateSort}${channel}`);
/** board: that an operator has taken the channel out. It lies behind the channel's state. */
export const takenOutKey = (model: string, channel: string) =>
  itemKey(boardPartition(model), `${stateSort}${channel}${outEnd}`);
/** Sort keys that enclose those of the windows from `start` on, Unix milliseconds, and of all states and channels that are taken out. */
export const boardRange = (start: number) => between(windowSort(start), `${stateSort}~`);

/** What a sort key was made of: the start of a window, or the id of a channel. Undefined where it is neither. */
export function readBoardSort(
  sk: string,
): { start: number } | { channel: string } | { taken_out: string } | undefined {
  if (/^w#\d{10}$/.test(sk)) return { start: Number(sk.slice(2)) * 1000 };
  const [, channel, end] = /^x#([a-z0-9]+)(#out)?$/.exec(sk) ?? [];
  if (channel === undefined) return undefined;
  return end === undefined ? { channel } : { taken_out: channel };
}

const stateSort = "x#";
const outEnd = "#out";

/** A start goes by its Unix second, which has ten digits until 2286. */
function windowSort(start: number): string {
  return `w#${String(Math.floor(start / 1000)).padStart(10, "0")}`;
}

/** cache: an entry, by the hash of its scope and the hash of its question in that scope. */
export const cacheEntryKey = (scope: string, name: string) =>
  itemKey(`${prefixes.cache}${scope}`, `E#${name}`);
