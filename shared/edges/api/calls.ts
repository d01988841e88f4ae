/** `GET /api/v1/calls`: the calls behind a report, the newest first. The receipt of each call says more about it. */

import { errorCodes } from "../../base/errors.ts";
import type { HttpRequest } from "../../base/http/message.ts";
import { invalidParameter, readQuery } from "../../base/http/query.ts";
import { invalidField } from "../../base/json/fields.ts";
import { limits } from "../../base/limits.ts";
import { bareId, isId, timeOf } from "../../base/platform/id.ts";
import { rfc3339 } from "../../books/billing/instant.ts";
import { dayMs, hourOf } from "../../books/billing/period.ts";
import { hasTag, isTagPair } from "../../books/billing/tags.ts";
import type { ModelCatalog } from "../../books/catalog/models.ts";
import type { Ledger, RollupOwner } from "../../books/ledger/ledger.ts";
import { callColumns } from "../../books/reports/call-columns.ts";
import { errorOf, type ListedCall, type ListedEvent, outcomes } from "../../books/reports/listed-call.ts";
import { nameableRange } from "../../books/reports/range-plan.ts";
import { callObject } from "../../books/reports/receipt.ts";
import { type ListPage, type listFormats, listReply, rangeReaders } from "./list-reply.ts";
import { findRefused, newestRefused, type RefusedDeps } from "./refused.ts";
import { projectOf, type ReportCaller, readProject } from "./report-parameters.ts";

export interface CallsDeps extends RefusedDeps {
  ledger: Pick<Ledger, "entry" | "newestEntries">;
  catalog: Pick<ModelCatalog, "find">;
}

interface Filter {
  key_id: string | undefined;
  /** Which of the calls the caller may see, or wants to. Absent: all of them. */
  isSeen?: (event: ListedEvent) => boolean;
  model: string | undefined;
  user: string | undefined;
  /** A name and its value. */
  tag: string | undefined;
  outcome: ListedEvent["outcome"] | undefined;
  /** The code of the error that they ended with. */
  code: number | undefined;
}

/** Which page of which calls is wanted. Instants are Unix milliseconds. */
export interface WantedCalls extends Filter {
  from: number | undefined;
  to: number | undefined;
  limit: number;
  after: string | undefined;
  format: (typeof listFormats)[number];
}

interface CallQuery extends WantedCalls {
  project_id: string | undefined;
}

/**
 * A page of calls of [from, to), cut to what `isSeen` allows. It may be short: `has_more` and `last_id` lead to the
 * rest. Throws `invalid_request` and `permission_denied`.
 */
export async function listCalls(
  request: HttpRequest,
  { organization, key, isSeen }: ReportCaller & Pick<Filter, "isSeen">,
  deps: CallsDeps,
) {
  const { query } = request;
  const wanted = readWanted(query);
  const range = rangeOf(wanted, request.received_at);
  const place = { organization: organization.id, project: projectOf(key, wanted.project_id) };
  const seen = isSeen && { isSeen };
  return await showCalls(query, place, { ...wanted, ...range, ...seen }, deps);
}

/** The range that is wanted at `now`, Unix milliseconds. Throws `invalid_request` for one that is too long or backward. */
export function rangeOf(
  wanted: Pick<WantedCalls, "from" | "to">,
  now: number,
): Record<"from" | "to", number> {
  const to = wanted.to ?? now + 1;
  const from = wanted.from ?? to - limits.callListDays * dayMs;
  if (from > to)
    throw invalidParameter("from", wanted.to ? "`from` is after `to`." : "`from` is in the future.");
  if (to - from > limits.reportRangeDaysMax * dayMs) {
    throw invalidParameter("to", `The range is over ${limits.reportRangeDaysMax} days.`);
  }
  return { from, to };
}

/** A page of a place's calls. Throws `invalid_request` for a cursor that is no call of its organization. */
export async function showCalls(
  query: URLSearchParams,
  place: RollupOwner,
  wanted: WantedCalls & Record<"from" | "to", number>,
  deps: CallsDeps,
) {
  await checkCursor(place.organization, wanted, deps);
  const model = wanted.model && (deps.catalog.find(wanted.model)?.id ?? wanted.model);
  const page = await readPage(place, { ...wanted, model }, deps);
  // The page after this one is of the same range, which may have come from the clock.
  const ranged = new URLSearchParams(query);
  ranged.set("from", rfc3339(wanted.from));
  ranged.set("to", rfc3339(wanted.to));
  return listReply(ranged, page, {
    name: "calls",
    show: ({ event, corrected }) => callObject(event, corrected),
    columns: callColumns,
  });
}

/** The cursor must be a call of this organization. It need not be one that the filter leaves. */
async function checkCursor(
  organization: string,
  { after, outcome }: Pick<WantedCalls, "after" | "outcome">,
  deps: CallsDeps,
): Promise<void> {
  if (after === undefined) return;
  const call =
    outcome === "refused"
      ? await findRefused(organization, after, deps)
      : (await deps.ledger.entry(organization, after))?.event;
  if (call?.id === after) return;
  throw invalidParameter("after", "`after` must be the `last_id` of a page of this list.");
}

async function readPage(
  place: RollupOwner,
  { from, to, after, limit, ...filter }: Omit<WantedCalls, "format"> & Record<"from" | "to", number>,
  deps: CallsDeps,
): Promise<ListPage<ListedCall>> {
  const rows: ListedCall[] = [];
  const end = after === undefined ? to : Math.min(to, timeOf(after) + 1);
  let read = 0;
  let hour = "";
  let corrected: string | undefined;
  const range = nameableRange(from, end);
  const newest =
    filter.outcome === "refused"
      ? newestRefused(place.organization, range, deps)
      : deps.ledger.newestEntries(place, ...range);
  for await (const { event, kind } of newest) {
    // Ids sort by time, and one millisecond may have several calls, so those before the cursor are skipped by id.
    const isKnown = !event || (after !== undefined && bareId(event.id) >= bareId(after));
    // The newest comes first, so a correction comes before its estimate. Only the correction counts.
    if (isKnown || event.id === corrected) continue;
    if (kind === "adjustment") corrected = event.id;
    if (isWanted(event, place, filter)) {
      if (rows.length === limit) return { rows, more: true, last: rows.at(-1)?.event.id ?? null };
      rows.push({ event, corrected: kind === "adjustment" });
    }
    const own = hourOf(timeOf(event.id));
    read += own === hour ? 1 : 1 + limits.callListHourReads;
    hour = own;
    // The last call that was read leads on, also where the filter left it out.
    if (read >= limits.callListReadsMax) return { rows, more: true, last: event.id };
  }
  return { rows, more: false, last: rows.at(-1)?.event.id ?? null };
}

function isWanted(
  event: ListedEvent,
  { project }: RollupOwner,
  { isSeen, key_id, model, user, tag, outcome, code }: Filter,
): boolean {
  return (
    (project === "" || event.project === project) &&
    (isSeen === undefined || isSeen(event)) &&
    (key_id === undefined || event.key === key_id) &&
    (model === undefined || event.model === model) &&
    (user === undefined || event.user === user) &&
    (tag === undefined || hasTag(event.tags, tag)) &&
    (outcome === undefined || event.outcome === outcome) &&
    (code === undefined || errorOf(event)?.code === code)
  );
}

function readWanted(query: URLSearchParams): CallQuery {
  return readQuery<CallQuery>(query, {
    ...rangeReaders(query, { json: limits.callListMax, csv: limits.callCsvMax }),
    ...callReaders,
    project_id: readProject,
    key_id: readKeyId,
  });
}

/** Reads the parameter for the last call of the page before. Throws `invalid_request`, as the readers below do. */
function readAfter(given: string | undefined, name: string): string | undefined {
  if (!given) return undefined;
  if (!isId(given, "request", "task")) throw invalidField(name, "the `last_id` of a page of this list");
  return given;
}

/** Reads the parameter for the id of a key. */
export function readKeyId(given: string | undefined, name: string): string | undefined {
  if (given !== undefined && !isId(given, "key")) throw invalidField(name, "the id of a key");
  return given;
}

function readOutcome(given: string | undefined, name: string): ListedEvent["outcome"] | undefined {
  const outcome = outcomes.find((each) => each === given);
  if (given !== undefined && !outcome) throw invalidField(name, `one of ${outcomes.join(", ")}`);
  return outcome;
}

/** Reads the parameter for the code of the error that calls ended with. */
function readCode(given: string | undefined, name: string): number | undefined {
  const known = Object.values(errorCodes).find(({ code }) => String(code) === given);
  if (given !== undefined && !known) throw invalidField(name, "the code of an error, such as 50001");
  return known?.code;
}

/** Reads a parameter for a text. It may be left out, and may not be empty. */
export function readText(given: string | undefined, name: string): string | undefined {
  if (given === "") throw invalidField(name, "a non-empty string");
  return given;
}

/** Reads the parameter for a tag with its value. */
function readTag(given: string | undefined, name: string): string | undefined {
  if (given !== undefined && !isTagPair(given)) throw invalidField(name, "a tag, such as `team=search`");
  return given;
}

/** The filters that the lists of the gateway and of the console share. */
export const callReaders = {
  after: readAfter,
  model: readText,
  user: readText,
  tag: readTag,
  outcome: readOutcome,
  code: readCode,
};
