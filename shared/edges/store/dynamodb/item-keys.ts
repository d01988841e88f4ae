/**
 * The key of every item, but those that few calls need (cache-keys.ts, account-keys.ts). Nothing else spells one. Requests go by the bare,
 * time-ordered part of their id.
 */
import { encodeTime } from "ulid";
import { bareId, timeOf } from "../../../base/platform/id.ts";
import { hourOf, type SpanUnit, unitOf } from "../../../books/billing/period.ts";
import type { RollupOwner, Share } from "../../../books/ledger/ledger.ts";
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
  entry: "L#",
  rollup: "R#",
  replay: "Y#",
  price: "P#",
  board: "H#",
  cache: "C#",
  refused: "F#",
} as const;

/** The two attributes of a key. */
export function itemKey(pk: string, sk: string): Item {
  return { pk: { S: pk }, sk: { S: sk } };
}

/** What an item holds beside its key. */
export function readRecord<Record>(item: Item): Record;
export function readRecord<Record>(item: Item | undefined): Record | undefined;
export function readRecord<Record>(item: Item | undefined): Record | undefined {
  if (!item) return undefined;
  const { pk: _partition, sk: _sort, ...fields } = item;
  return fromItem(fields) as Record;
}

/** keys: a key's record, found by the hash of its secret. */
export function keyByHash(hash: string): Item {
  return itemKey(`K#${hash}`, single);
}

/** keys: an organization and, under `K#<key id>`, the records of its keys in order of creation. */
export function organizationPartition(organization: string): string {
  return `O#${organization}`;
}

/** keys: the organization itself. */
export function organizationKey(organization: string): Item {
  return itemKey(organizationPartition(organization), single);
}

/** keys: a key's record among those of its organization. */
export function keyOfOrganization(organization: string, key: string): Item {
  return itemKey(organizationPartition(organization), `K#${key}`);
}

/** keys: how many keys an organization has in use, or how many of them a member has made. */
export function keyCountKey(organization: string, member?: string): Item {
  return itemKey(organizationPartition(organization), member === undefined ? "N" : `N#${member}`);
}

/** counters: one shard of a meter. */
export function meterKey(meter: string, shard: number): Item {
  return { pk: { S: `M#${meter}#${shard}` } };
}

/** The meter and shard that `meterKey` was made of. */
export function readMeterKey(pk: string): { meter: string; shard: number } {
  const [, meter = "", shard = ""] = pk.split("#");
  return { meter, shard: Number(shard) };
}

/** counters: what a call that is running was meant to be. */
export function intentKey(request: string): Item {
  return { pk: { S: `I#${bareId(request)}` } };
}

/** counters: what an idempotency key, by its hash, has come to. */
export function replayKey(scope: string): Item {
  return { pk: { S: `${prefixes.replay}${scope}` } };
}

/** counters: the answer of a call that had an idempotency key. */
export function replayAnswerKey(request: string): Item {
  return { pk: { S: `${prefixes.replay}${bareId(request)}` } };
}

/** ledger: the usage and adjustment entries of one UTC hour, in order of admission. */
export function entryPartition(organization: string, hour: string): string {
  return `L#${organization}#${hour}`;
}

/** ledger: the usage entry of a request. Its hour is the one in the request's id. */
export function entryKey(organization: string, request: string): Item {
  return itemKey(entryPartition(organization, hourOf(timeOf(request))), bareId(request));
}

/** ledger: the entry that corrects the usage entry of a request. */
export function adjustmentKey(organization: string, request: string): Item {
  return itemKey(entryPartition(organization, hourOf(timeOf(request))), `${bareId(request)}#adj`);
}

/** Sort keys of the first and last entry of a request, both inclusive. */
export function entriesRange(request: string): { first: string; last: string } {
  return { first: bareId(request), last: `${bareId(request)}#adj` };
}

/** Sort keys that enclose those of the requests admitted in [from, to), Unix milliseconds, and equal none. */
export function requestRange(from: number, to: number): { first: string; last: string } {
  return { first: encodeTime(from), last: encodeTime(to) };
}

/** ledger: the credits of an organization, and the fees of its plans. */
export function creditPartition(organization: string): string {
  return `L#${organization}#$`;
}

/** ledger: one credit. */
export function creditKey(organization: string, reference: string): Item {
  return itemKey(creditPartition(organization), `credit#${reference}`);
}

/** ledger: the fee of a paid period, by the entry's id. */
export function feeKey(organization: string, id: string): Item {
  return itemKey(creditPartition(organization), id);
}

/** Sort keys that enclose those of all credits and fees. */
export const creditAndFeeRange = { first: "credit#", last: "plan_fee$" } as const;

/** ledger: the rollups of a project; the project "" is the organization as a whole. */
export function rollupPartition(organization: string, project: string): string {
  return `R#${organization}#${project}`;
}

/** How the sort keys of rollups begin, by what their spans are. */
export const rollupSorts: Record<SpanUnit, string> = { hour: "H#", day: "D#", month: "M#" };

/** Sort keys that enclose those of the spans in [from, to), two of one unit, and equal none. */
export function spanRange(from: string, to: string): { first: string; last: string } {
  const sort = rollupSorts[unitOf(from)];
  return { first: `${sort}${from}`, last: `${sort}${to}` };
}

/**
 * ledger: the sum of one UTC hour, day or month, and a key's use of a model. In a project's partition the key's
 * project is left out: the partition names it. A share of all keys has the sort key of the version before.
 */
export function rollupKey({ organization, project }: RollupOwner, span: string, share: Share): Item {
  const owner = project === "" ? share.owner : "";
  const ownKey = share.key === null ? "" : `##${owner ?? ""}#${share.key}`;
  const sort = `${rollupSorts[unitOf(span)]}${span}#${share.model}${ownKey}`;
  return itemKey(rollupPartition(organization, project), sort);
}

/** The place whose rollups a partition has. */
export function readRollupPartition(pk: string): RollupOwner {
  const [, organization = "", ...rest] = pk.split("#");
  return { organization, project: rest.join("#") };
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
export function sealKey(organization: string, project: string): Item {
  return itemKey(rollupPartition(organization, project), sealSort);
}

/** ledger: every price that an entry was charged at. */
export const pricePartition = `${prefixes.price}history`;

/** ledger: one price of one model. */
export function priceKey(version: string, model: string): Item {
  return itemKey(pricePartition, `${version}#${model}`);
}

/** Sort keys that enclose those of a version, or of all of them. */
export function priceRange(version = ""): { first: string; last: string } {
  return version === "" ? { first: "0", last: "~" } : { first: `${version}#`, last: `${version}$` };
}

/** tasks: the tasks of an organization in order of creation, by their ids. */
export function taskPartition(organization: string): string {
  return `V#${organization}`;
}

/** tasks: one task. */
export function taskKey(organization: string, task: string): Item {
  return itemKey(taskPartition(organization), task);
}

/** Sort keys that enclose those of the tasks created in [from, ∞), Unix milliseconds. */
export function taskRange(from: number): { first: string; last: string } {
  return { first: `VTK-${encodeTime(from)}`, last: "VTK-~" };
}

/** tasks: the parts of a task's request, in order. */
export function taskRequestPartition(task: string): string {
  return `W#${task}`;
}

/** tasks: one part of a task's request. */
export function taskRequestKey(task: string, part: number): Item {
  return itemKey(taskRequestPartition(task), String(part).padStart(4, "0"));
}

/** board: the windows of a model in order of time, and after them the states of its channels. */
export function boardPartition(model: string): string {
  return `${prefixes.board}${model}`;
}

/** board: what was counted in one window, by its start in Unix milliseconds. */
export function windowKey(model: string, start: number): Item {
  return itemKey(boardPartition(model), windowSort(start));
}

/** board: the state of one channel. */
export function channelStateKey(model: string, channel: string): Item {
  return itemKey(boardPartition(model), `${stateSort}${channel}`);
}

/** Sort keys that enclose those of the windows from `start` on, Unix milliseconds, and of all states. */
export function boardRange(start: number): { first: string; last: string } {
  return { first: windowSort(start), last: `${stateSort}~` };
}

/** The start of the window, or the id of the channel, that a sort key was made of. Undefined where it is neither. */
export function readBoardSort(sk: string): { start: number } | { channel: string } | undefined {
  if (/^w#\d{10}$/.test(sk)) return { start: Number(sk.slice(2)) * 1000 };
  return /^x#[a-z0-9]+$/.test(sk) ? { channel: sk.slice(stateSort.length) } : undefined;
}

const stateSort = "x#";

/** A start goes by its Unix second, which has ten digits until 2286. */
function windowSort(start: number): string {
  return `w#${String(Math.floor(start / 1000)).padStart(10, "0")}`;
}

/** cache: an entry, by the hash of its scope and the hash of its question in that scope. */
export function cacheEntryKey(scope: string, name: string): Item {
  return itemKey(`${prefixes.cache}${scope}`, `E#${name}`);
}
