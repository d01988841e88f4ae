/** Turns a vendor's document into a bill (README.md "A bill"). Pure. */
import { hash } from "node:crypto";
import { dayMs, dayOf } from "../../billing/period.ts";
import { type BillHead, type BillLine, BillRefused, type HeldBill, type ReadBill } from "./bill.ts";
import { billBounds } from "./bounds.ts";
import type { BillFormat } from "./formats/format.ts";
import { type BillFormatName, billFormats } from "./formats/index.ts";
import { isOfSame, laterFirst } from "./in-force.ts";

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
 * The bill of a document. The same document, with the same words of the operator, has the same id, until the bill is
 * withdrawn: then it has a new one. `known`: the provider's earlier bills that count. `withdrawn`: the ids of those that
 * were withdrawn. Throws `BillRefused`.
 */
export function billOf(
  document: BillDocument,
  known: readonly BillHead[],
  withdrawn: ReadonlySet<string> = new Set(),
): HeldBill {
  const { provider, format, text, file, credential, models, now } = document;
  const { part, read: reader }: BillFormat = billFormats[format];
  const read = reader(text);
  const span = spanOf(read, now);
  const scope = typeof credential === "string" ? credential : "";
  const sha256 = hash("sha256", text);
  const names = typeof credential === "object" ? [...credential] : scope;
  const id = firstId([provider, format, names, [...(models ?? [])], sha256], withdrawn);
  const lines = read.lines.map((line) => ownNames(line, document));
  const head: BillHead = {
    ...{ id, provider, format, ...(part !== undefined && { part }), credential: scope, tells: read.tells },
    by_credential: scope === "" && lines.length > 0 && lines.every((line) => line.credential !== ""),
    ...{ ...span, lines: lines.length, left_out: read.left_out },
    ...{ sha256, file, imported_at: now, replaces: [] },
  };
  return { head: { ...head, replaces: replacedBy(head, known) }, lines };
}

/**
 * The first and the last day. Throws `BillRefused` with the places of days that nobody can have been billed for yet, or
 * that are too far from the others: somebody has mistyped them.
 */
function spanOf({ days, lines }: ReadBill, now: number): Pick<BillHead, "first_day" | "last_day"> {
  // It may be tomorrow already where the vendor is.
  const latest = dayOf(now + dayMs);
  const used = new Set(lines.map(({ day }) => day));
  // An API that is asked for a whole month gives empty days that have not come yet.
  const all = [...days.keys()].filter((day) => day <= latest || used.has(day)).sort();
  const [first = "", last = ""] = [all[0], all.at(-1)];
  const middle = Date.parse(all[Math.floor(all.length / 2)] ?? "");
  const { daysMax, problemsMax } = billBounds;
  const isFar = (day: string) => Math.abs(Date.parse(day) - middle) > (daysMax / 2) * dayMs;
  const isLong = Date.parse(last) - Date.parse(first) >= daysMax * dayMs;
  const problems = all.flatMap((day) => {
    const spot = days.get(day);
    if (day > latest) return [{ ...spot, why: `${day} has not come yet` }];
    if (!isLong || !isFar(day)) return [];
    const why = `${day} is far from the other days: a bill is of at most ${daysMax} days, and this would be of ${first} to ${last}`;
    return [{ ...spot, why }];
  });
  if (problems.length > 0) throw new BillRefused(problems.slice(0, problemsMax));
  if (first === "") throw new BillRefused([{ why: "all its days are still to come" }]);
  return { first_day: first, last_day: last };
}

/** The first id of these words that no withdrawn bill has. Two imports at once find the same, and one of them writes. */
function firstId(words: readonly unknown[], withdrawn: ReadonlySet<string>): string {
  for (let again = 0; ; again++) {
    const all = again === 0 ? words : [...words, again];
    const id = `bill_${hash("sha256", JSON.stringify(all)).slice(0, 20)}`;
    if (!withdrawn.has(id)) return id;
  }
}

/** A line with our names. What has none keeps the vendor's. */
function ownNames(line: BillLine, { format, credential, models }: BillDocument): BillLine {
  const own = models?.get(line.model);
  const as =
    typeof credential === "string" || (!credential && !named.includes(format)) ? "" : line.credential;
  const credentialName = (typeof credential === "object" ? credential.get(as) : undefined) ?? as;
  return { ...line, ...(own !== undefined && { model: own, named: line.model }), credential: credentialName };
}

/** The earlier bills that the new one takes the place of, on one day at least and for one thing told. */
function replacedBy(bill: BillHead, known: readonly BillHead[]): string[] {
  return known
    .filter(
      (other) =>
        other.id !== bill.id &&
        isOfSame(other, bill) &&
        other.first_day <= bill.last_day &&
        bill.first_day <= other.last_day &&
        other.tells.some((name) => bill.tells.includes(name)),
    )
    .toSorted(laterFirst)
    .map(({ id }) => id);
}
