/** `GET /api/v1/focus?from=&to=&after=&format=`: the books in the columns of FOCUS (books/reports/focus.md). */

import { jsonReply } from "../../../base/http/message.ts";
import { invalidParameter, readQuery } from "../../../base/http/query.ts";
import { limits } from "../../../base/limits.ts";
import { rfc3339 } from "../../../books/billing/instant.ts";
import { dayMs } from "../../../books/billing/period.ts";
import type { ModelCatalog } from "../../../books/catalog/models.ts";
import type { ExportLine } from "../../../books/reports/export-columns.ts";
import {
  type FocusForm,
  type FocusVersion,
  focusForm,
  focusVersions,
} from "../../../books/reports/focus-form.ts";
import { nameableRange } from "../../../books/reports/range-plan.ts";
import { csvReply, listFormats, nextPage } from "../../api/list-reply.ts";
import { optionalInstant, readInstant, readWord } from "../../api/report-parameters.ts";
import { type ExportedLedger, timedLines } from "../../operator/ledger-export.ts";
import { type ConsoleCall, callerOf } from "../call.ts";

export interface FocusDeps {
  ledger: ExportedLedger;
  catalog: Pick<ModelCatalog, "seller">;
}

/** Instants are Unix milliseconds. `after` is the last instant of the page before. */
interface FocusQuery {
  from: number;
  to: number;
  after: number | undefined;
  format: (typeof listFormats)[number];
  version: FocusVersion;
}

/** A page of [from, to): `bytesMax` bytes, and the rest of its last instant's lines. Throws `invalid_request`. */
export async function exportFocus(call: ConsoleCall, bytesMax: number, { ledger, catalog }: FocusDeps) {
  const { query } = call.request;
  const wanted = readQuery<FocusQuery>(query, {
    from: readInstant,
    to: readInstant,
    after: optionalInstant,
    format: readWord(listFormats, "csv"),
    version: readWord(focusVersions, "1.3"),
  });
  const { from, to, after, format, version } = wanted;
  if (from > to) throw invalidParameter("from", "`from` is after `to`.");
  if (to - from > limits.reportRangeDaysMax * dayMs)
    throw invalidParameter("to", `The range is over ${limits.reportRangeDaysMax} days.`);
  const [first, end] = nameableRange(Math.max(from, (after ?? -Infinity) + 1), to);
  const isCsv = format === "csv";
  const form = focusForm(version);
  const textOf = isCsv ? (line: ExportLine) => `${form.csv(line)}\r\n` : form.json;
  const lines: string[] = [];
  let bytes = 0;
  let last: number | undefined;
  let more = false;
  if (first < end) {
    const organizations = [callerOf(call).organization];
    const deps = { ledger, seller: catalog.seller() };
    for await (const { at, line } of timedLines(organizations, { from: first, to: end }, deps)) {
      more = bytes >= bytesMax && at !== last;
      if (more) break;
      const text = textOf(line);
      bytes += Buffer.byteLength(text);
      lines.push(text);
      last = at;
    }
  }
  const page = { more, last: last === undefined ? null : rfc3339(last) };
  if (isCsv)
    return csvReply(fileName(wanted), csvBody(form, lines, after !== undefined), nextPage(query, page));
  const data = lines.map((line) => JSON.parse(line) as ExportLine);
  return jsonReply({ object: "list", data, has_more: more, last_id: page.last });
}

/** Programs read these files, so they have no byte order mark. A page that continues one does not name the columns. */
function csvBody({ head }: FocusForm, lines: readonly string[], isContinued: boolean): string {
  return `${isContinued ? "" : `${head}\r\n`}${lines.join("")}`;
}

function fileName({ from, to }: FocusQuery): string {
  const day = (at: number) => rfc3339(at).slice(0, 10);
  return `focus-${day(from)}-${day(to)}`;
}
