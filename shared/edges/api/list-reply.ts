/**
 * Lists by time: the parameters that all of them take, and a page of one as JSON or as CSV (books/reports/exports.md).
 */
import { jsonReply, type ReplyOf, textReply } from "../../base/http/message.ts";
import { invalidParameter, readQuery } from "../../base/http/query.ts";
import { type CellColumn, csvOf } from "../../books/reports/csv.ts";
import type { ListPart } from "../../people/payments/orders.ts";
import { optionalInstant, readLimit, readWord } from "./report-parameters.ts";

export const listFormats = ["json", "csv"] as const;

interface PageMax {
  json: number;
  csv: number;
}

/** Readers of the parameters for the form of a list and for its range, Unix milliseconds: [from, to). */
export function rangeReaders(query: URLSearchParams, most: PageMax) {
  return {
    from: optionalInstant,
    to: optionalInstant,
    format: readWord(listFormats, "json"),
    limit: readLimit(query.get("format") === "csv" ? most.csv : most.json),
  };
}

/** The part of a list that a query wants, by a cursor. Throws `invalid_request`, also for a range that ends too early. */
export function readListPart(query: URLSearchParams, most: PageMax): ListPart {
  const read = readQuery<WantedPart>(query, {
    ...rangeReaders(query, most),
    after: (given) => given,
  });
  const { from, to, after, limit } = read;
  if (from !== undefined && to !== undefined && from > to)
    throw invalidParameter("from", "`from` is after `to`.");
  return {
    limit,
    ...(after && { after }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  };
}

interface WantedPart {
  limit: number;
  from: number | undefined;
  to: number | undefined;
  after: string | undefined;
  format: (typeof listFormats)[number];
}

/** A page of a list. `last` is the id behind which the next page begins; null where nothing was read. */
export interface ListPage<Row> {
  rows: readonly Row[];
  more: boolean;
  last: string | null;
}

/** How the rows of a list are shown. `name` is that of the file. */
interface ListView<Row, Shown> {
  name: string;
  show: (row: Row) => Shown;
  columns: readonly CellColumn<Row>[];
}

/** The answer to a query that the readers above have taken. */
export function listReply<Row, Shown>(
  query: URLSearchParams,
  page: ListPage<Row>,
  { name, show, columns }: ListView<Row, Shown>,
): ReplyOf<{ object: "list"; data: Shown[]; has_more: boolean; last_id: string | null } | string> {
  if (query.get("format") === "csv") {
    return csvReply(name, csvOf(columns, page.rows, query.has("after")), nextPage(query, page));
  }
  const { rows, more, last } = page;
  return jsonReply({ object: "list", data: rows.map(show), has_more: more, last_id: last });
}

/** A file of CSV. `headers` may lead to the page that goes on with it. */
export function csvReply(name: string, body: string, headers: Record<string, string> = {}): ReplyOf<string> {
  return textReply(body, {
    "content-type": "text/csv; charset=utf-8",
    "content-disposition": `attachment; filename="${name}.csv"`,
    ...headers,
  });
}

/** The header of RFC 8288 that leads on; nothing where the list has ended. Its address is relative to the request's. */
export function nextPage(
  query: URLSearchParams,
  { more, last }: Pick<ListPage<unknown>, "more" | "last">,
): Record<string, string> {
  if (!more || last === null) return {};
  const next = new URLSearchParams(query);
  next.set("after", last);
  return { link: `<?${next}>; rel="next"` };
}
