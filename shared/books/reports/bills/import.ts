/** Turns a vendor's document into a bill (README.md "A bill"). Pure. */
import { hash } from "node:crypto";
import type { BillHead, BillLine, HeldBill, ReadBill } from "./bill.ts";
import { type BillFormatName, billFormats } from "./formats/index.ts";
import { laterFirst } from "./in-force.ts";

/** A document with what the operator says of it. */
export interface BillDocument {
  provider: string;
  format: BillFormatName;
  text: string;
  /** The file's name, for people. */
  file: string;
  /** The credential that all of it is of, or our names for the vendor's ids. Absent: it is of the whole account. */
  credential?: string | ReadonlyMap<string, string> | undefined;
  /** Our names for the vendor's names of models, where they differ. */
  models?: ReadonlyMap<string, string> | undefined;
  /** Unix milliseconds. */
  now: number;
}

/** Formats whose credentials are names that people gave them, and not ids of the vendor. */
const named: readonly BillFormatName[] = ["csv", "focus"];

/**
 * The bill of a document. The same document, with the same words of the operator, has the same id at all times. `known`:
 * the provider's earlier bills. Throws `BillRefused`.
 */
export function billOf(document: BillDocument, known: readonly BillHead[]): HeldBill {
  const { provider, format, text, file, credential, models, now } = document;
  const read = billFormats[format].read(text);
  const scope = typeof credential === "string" ? credential : "";
  const sha256 = hash("sha256", text);
  const names = typeof credential === "object" ? [...credential] : scope;
  const id = `bill_${hash("sha256", JSON.stringify([provider, format, names, [...(models ?? [])], sha256])).slice(0, 20)}`;
  const lines = read.lines.map((line) => ownNames(line, document));
  const head: BillHead = {
    ...{ id, provider, format, credential: scope, tells: read.tells },
    by_credential: scope === "" && lines.length > 0 && lines.every((line) => line.credential !== ""),
    ...{ first_day: read.first_day, last_day: read.last_day, lines: lines.length, left_out: read.left_out },
    ...{ sha256, file, imported_at: now, replaces: replacedBy({ ...read, id, credential: scope }, known) },
  };
  return { head, lines };
}

/** A line with our names. What has none keeps the vendor's. */
function ownNames(line: BillLine, { format, credential, models }: BillDocument): BillLine {
  const own = models?.get(line.model);
  const as =
    typeof credential === "string" || (!credential && !named.includes(format)) ? "" : line.credential;
  const credentialName = (typeof credential === "object" ? credential.get(as) : undefined) ?? as;
  return { ...line, ...(own !== undefined && { model: own, named: line.model }), credential: credentialName };
}

/** The bills that count today and that the new one takes the place of, on one day at least and for one thing told. */
function replacedBy(
  bill: Pick<ReadBill, "tells" | "first_day" | "last_day"> & Pick<BillHead, "id" | "credential">,
  known: readonly BillHead[],
): string[] {
  return known
    .filter(
      ({ id, credential, first_day, last_day, tells }) =>
        id !== bill.id &&
        credential === bill.credential &&
        first_day <= bill.last_day &&
        bill.first_day <= last_day &&
        tells.some((name) => bill.tells.includes(name)),
    )
    .toSorted(laterFirst)
    .map(({ id }) => id);
}
