/**
 * The key of every item. Nothing else spells one. Requests go by the bare, time-ordered part of their id.
 */
import { encodeTime } from "ulid";
import { hourOf } from "../billing/period.ts";
import { bareId, timeOf } from "../platform/id.ts";
import type { Item } from "./attributes.ts";

/** The tables of the store by the names they have in this deployment. */
export interface Tables {
  keys: string;
  counters: string;
  ledger: string;
}

/** The value of the index key `kind`, which meter items alone carry. */
export const meterKind = "meter";

/** The sort key of an item that is alone in its partition, or first in it. */
export const single = "-";

/** How the keys of a sort begin, for queries and scans that ask for all of it. */
export const prefixes = { organization: "O#", key: "K#", entry: "L#", rollup: "R#" } as const;

function itemKey(pk: string, sk: string): Item {
  return { pk: { S: pk }, sk: { S: sk } };
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

/** Sort keys that enclose those of the requests admitted in [from, to), Unix milliseconds, and equal none. */
export function requestRange(from: number, to: number): { first: string; last: string } {
  return { first: encodeTime(from), last: encodeTime(to) };
}

/** ledger: the top-ups of an organization. */
export function creditPartition(organization: string): string {
  return `L#${organization}#$`;
}

/** ledger: one top-up. */
export function creditKey(organization: string, reference: string): Item {
  return itemKey(creditPartition(organization), `credit#${reference}`);
}

/** Sort keys that enclose those of all top-ups. */
export const creditRange = { first: "credit#", last: "credit$" } as const;

/** ledger: the rollups of a project; the project "" is the organization as a whole. */
export function rollupPartition(organization: string, project: string): string {
  return `R#${organization}#${project}`;
}

/** Sort keys that enclose those of the hours in [from, to), and equal none. */
export function hourRange(from: string, to: string): { first: string; last: string } {
  return { first: `H#${from}`, last: `H#${to}` };
}

/** ledger: the sum of one UTC hour and model. */
export function rollupKey(organization: string, project: string, hour: string, model: string): Item {
  return itemKey(rollupPartition(organization, project), `H#${hour}#${model}`);
}

/** The organization, project, hour and model that `rollupKey` was made of. */
export function readRollupKey(
  pk: string,
  sk: string,
): { organization: string; project: string; hour: string; model: string } {
  const [, organization = "", ...project] = pk.split("#");
  const [, hour = "", ...model] = sk.split("#");
  return { organization, project: project.join("#"), hour, model: model.join("#") };
}
