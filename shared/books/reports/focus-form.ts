/** An export in one of the versions of FOCUS (focus.md "Versions"). */
import { csvRow } from "./csv.ts";
import { type ExportLine, focusColumns, ownColumns } from "./export-columns.ts";

/** The versions of the specification that an export may have, the newest first. */
export const focusVersions = ["1.3", "1.2"] as const;
export type FocusVersion = (typeof focusVersions)[number];

/** Columns that FOCUS 1.2 does not know. It allows no others without a prefix. */
const since13: ReadonlySet<string> = new Set<keyof ExportLine>(["ServiceProviderName", "HostProviderName"]);

/** An export of one version. */
export interface FocusForm {
  /** The first line of a CSV export. */
  head: string;
  /** A line as CSV (RFC 4180), without a line end. */
  csv(line: ExportLine): string;
  /** A line as JSON. */
  json(line: ExportLine): string;
}

/** The columns of a version of the specification, and ours. */
export function focusForm(version: FocusVersion): FocusForm {
  const names = [...focusColumns, ...ownColumns]
    .map(({ name }) => name)
    .filter((name) => version !== "1.2" || !since13.has(name));
  return {
    head: csvRow(names),
    csv: (line) => csvRow(names.map((name) => String(line[name] ?? ""))),
    json: (line) => JSON.stringify(line, names),
  };
}
