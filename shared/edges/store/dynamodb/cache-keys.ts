/** Keys of the table `cache` that few calls need. The others start without this file. */
import { bareId } from "../../../base/platform/id.ts";
import { itemKey, prefixes } from "./item-keys.ts";

/** All that is kept of a scope, or of an organization. A scope has 22 characters and is never an organization's id. */
export const cachePartition = (owner: string) => `${prefixes.cache}${owner}`;
/** How the sort keys of a context begin. All contexts are of one length, so that none begins another. */
export const contextSort = (context: string) => `P#${context}`;
/** What is known of a context: the first of its items. */
export const evidenceKey = (scope: string, context: string) =>
  itemKey(cachePartition(scope), contextSort(context));
/** One page of a context, by its hexadecimal digit. */
export const pageKey = (scope: string, context: string, page: string) =>
  itemKey(cachePartition(scope), `${contextSort(context)}#${page}`);

/** The page of a sort key. Undefined where it is none of this context. */
export function readPageSort(sk: string, context: string): string | undefined {
  const sort = contextSort(context);
  return sk.startsWith(`${sort}#`) ? sk.slice(sort.length + 1) : undefined;
}

/** The mark of an audited call that was counted. */
export const auditKey = (scope: string, request: string) =>
  itemKey(cachePartition(scope), `A#${bareId(request)}`);
/** What the calls of one project, "" for those without one, had of the cache in a UTC month such as `2026-11`. */
export const monthKey = (organization: string, month: string, project: string) =>
  itemKey(cachePartition(organization), `${monthSort(month)}${project}`);
/** The calls of an organization that were refused, in order of time. */
export const refusedPartition = (organization: string) => `${prefixes.refused}${organization}`;
/** Those of ten seconds, by their start in Unix milliseconds. */
export const refusedKey = (organization: string, slot: number) =>
  itemKey(refusedPartition(organization), refusedSort(slot));

/** A start goes by its Unix second, which has ten digits until 2286. */
export const refusedSort = (slot: number): string =>
  String(Math.max(0, Math.floor(slot / 1000))).padStart(10, "0");

/** How the sort keys of a month begin, for all projects. */
export const monthSort = (month: string) => `S#${month}#`;
