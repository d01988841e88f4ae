/** A vendor's bill as facts: what is kept of it, and what a reader of a format gives (README.md "A bill"). Pure. */
import { hash } from "node:crypto";
import { formatDecimal } from "../../billing/points.ts";
import {
  type BillAmounts,
  type BillCount,
  type BillTold,
  costName,
  parseCost,
  wholeNumber,
} from "./amounts.ts";
import { billBounds } from "./bounds.ts";

/** What a line measures. `total` is a cost that no kind of token is told of, and `other` is no token, such as a tool. */
export type BillMeasure = BillCount | "total" | "other";

/** One fact: a day, a model, a credential and a measure, with a count or a cost or both. */
export interface BillLine {
  /** The vendor's day, `2026-11-21`. */
  day: string;
  /** The vendor's name of the model, or our name for it; "" where a line names none. */
  model: string;
  /** The vendor's name, where the operator gave ours. */
  named?: string;
  /** The name of our credential, or the vendor's id of one that has no name here; "" where lines are not told apart. */
  credential: string;
  measure: BillMeasure;
  /** The tier of service, such as `batch`; "" for the standard one and where none is told. */
  tier: string;
  count?: number;
  /** A decimal of `currency`. */
  cost?: string;
  currency?: string;
  /** The vendor calls it a correction of an earlier line. */
  correction?: true;
  /** Says the same for all lines of one row of the document, and for rows that are alike in everything. */
  row: string;
  /** The row's place in the document: the number of a line, or of a result. */
  at: number;
}

/** What the head of a bill says. It is written last, and makes the bill count. */
export interface BillHead {
  id: string;
  provider: string;
  format: string;
  /** What of the account it tells alone, such as embeddings; absent of all others. Bills of other parts stand beside it. */
  part?: string;
  /** The credential that all of it is of; "" where it is of the whole account. */
  credential: string;
  /** Whether its lines name their credentials. */
  by_credential: boolean;
  tells: readonly BillTold[];
  first_day: string;
  last_day: string;
  lines: number;
  /** Rows that are no usage of models, such as taxes. */
  left_out: number;
  /** The SHA-256 of the file. */
  sha256: string;
  /** The name of the file, for people. */
  file: string;
  /** Unix milliseconds. Of two bills that tell the same of a day, the later one counts. */
  imported_at: number;
  /** The bills that this one stands in the place of, whole or on some days. */
  replaces: readonly string[];
}

/** A bill with its lines. */
export interface HeldBill {
  head: BillHead;
  lines: readonly BillLine[];
}

/** Which bill is meant. */
export interface BillPlace {
  provider: string;
  id: string;
}

/** The mark that takes a bill out. It is written once, beside the bill, and the bill itself stays as it is. */
export interface BillWithdrawal extends BillPlace {
  /** Who withdrew it. */
  by: string;
  why: string;
  /** Unix milliseconds. */
  withdrawn_at: number;
}

/** A bill that is kept. One that is withdrawn counts nowhere. */
export type KeptBill =
  | (BillPlace & { head: BillHead; withdrawal: BillWithdrawal | undefined })
  /** Its head is not as it was imported, so that nothing of it is told. */
  | (BillPlace & { head: undefined; withdrawal: BillWithdrawal });

/** The heads of bills that are not withdrawn. */
export function headsInForce(kept: readonly KeptBill[]): BillHead[] {
  return kept.flatMap(({ head, withdrawal }) => (head && !withdrawal ? [head] : []));
}

/** Where bills are kept. */
export interface BillRecords {
  /** A provider's bills, or all. Throws where a head is not as it was written, unless its bill is withdrawn. */
  kept(provider?: string): Promise<KeptBill[]>;
  /** The lines of a bill. Throws where they are not as they were written. */
  lines(head: BillHead): Promise<BillLine[]>;
  /** Keeps a bill. False if it was kept before. */
  write(bill: HeldBill): Promise<boolean>;
  /** Where a bill is, also one whose head was changed; undefined where there is none. */
  find(id: string): Promise<BillPlace | undefined>;
  /** Withdraws a bill. Gives the mark that counts: this one, or an earlier one. */
  withdraw(withdrawal: BillWithdrawal): Promise<{ done: boolean; withdrawal: BillWithdrawal }>;
}

/** What a reader takes out of a document. Credentials are the vendor's ids. */
export interface ReadBill {
  tells: readonly BillTold[];
  /** Days that it is about, also those without a line, each with where it stands first. There is one at least. */
  days: ReadonlyMap<string, BillSpot>;
  lines: readonly BillLine[];
  left_out: number;
}

/** A place in a document: a line of the file, or a path into its JSON. */
export interface BillSpot {
  line?: number;
  path?: readonly (string | number)[];
}

/** Where something is wrong, and what. */
export interface BillProblem extends BillSpot {
  why: string;
}

/** A document that is not read. Nothing of it is kept. */
export class BillRefused extends Error {
  readonly problems: readonly BillProblem[];

  constructor(problems: readonly BillProblem[]) {
    super(problems.map(({ why }) => why).join("\n"));
    this.problems = problems;
  }
}

/** Collects problems and lines of a document. */
export class BillBuilder {
  readonly #lines: BillLine[] = [];
  readonly #problems: BillProblem[] = [];
  readonly #days = new Map<string, BillSpot>();
  #spot: BillSpot = {};
  #leftOut = 0;

  /** Keeps the problem. Throws where there are enough of them. */
  problem(problem: BillProblem): void {
    this.#problems.push(problem);
    if (this.#problems.length >= billBounds.problemsMax) throw new BillRefused(this.#problems);
  }

  /** Does the work on one place. What it refuses is told with the place. */
  at(spot: BillSpot, work: () => void): void {
    const around = this.#spot;
    this.#spot = spot;
    try {
      work();
    } catch (error) {
      if (error instanceof BillRefused || !(error instanceof RangeError)) throw error;
      this.problem({ ...spot, why: error.message });
    } finally {
      this.#spot = around;
    }
  }

  add(line: BillLine): void {
    if (this.#lines.length >= billBounds.linesMax)
      throw new BillRefused([{ why: `a bill has at most ${billBounds.linesMax} lines: give it in parts` }]);
    this.#lines.push(line);
    this.covers(line.day);
  }

  /** The document is about this day. */
  covers(day: string): void {
    if (!this.#days.has(day)) this.#days.set(day, this.#spot);
  }

  leaveOut(): void {
    this.#leftOut += 1;
  }

  /** Throws `BillRefused` where there was a problem, or nothing to read. */
  done(tells: readonly BillTold[]): ReadBill {
    if (this.#problems.length > 0) throw new BillRefused(this.#problems);
    if (this.#days.size === 0)
      throw new BillRefused([{ why: "it has no day: the file is empty, or of another format" }]);
    return { tells, days: this.#days, lines: this.#lines, left_out: this.#leftOut };
  }
}

/** A row of a document in short. Rows that are alike in everything share it. */
export function rowOf(everything: unknown): string {
  return hash("sha256", JSON.stringify(everything)).slice(0, 16);
}

/** A count: a whole number of at least 0, as exactly as a double can say it. Throws `RangeError`. */
export function countIn(value: unknown, name: string): number {
  try {
    return wholeNumber(textIn(value));
  } catch {
    throw new RangeError(`${name} must be a whole number, and is ${shown(value)}`);
  }
}

/** A cost as a plain decimal. Throws `RangeError`. */
export function costIn(value: unknown, name: string): string {
  try {
    return formatDecimal(parseCost(textIn(value)), billBounds.costPlaces);
  } catch {
    throw new RangeError(`${name} must be a decimal, and is ${shown(value)}`);
  }
}

/** A currency's code of three letters. Throws `RangeError`. */
export function currencyIn(value: unknown, name: string): string {
  const code = wordIn(value).toUpperCase();
  if (!/^[A-Z]{3}$/.test(code))
    throw new RangeError(`${name} must be a code such as USD, and is ${shown(value)}`);
  return code;
}

/** A name of at least one character. Throws `RangeError`. */
export function nameIn(value: unknown, name: string): string {
  const { nameCharsMax } = billBounds;
  if (typeof value !== "string" || value === "" || value.length > nameCharsMax || unseen.test(value))
    throw new RangeError(
      `${name} must be a name of at most ${nameCharsMax} characters, and is ${shown(value)}`,
    );
  return value;
}

/** A text; "" for anything else. */
export function wordIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A number of JSON, as it was written, or a text. */
function textIn(value: unknown): string {
  if (JSON.isRawJSON(value)) return value.rawJSON;
  return typeof value === "number" || typeof value === "string" ? String(value) : "";
}

/** Characters that nobody sees, or that move others on a terminal. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
const allUnseen = new RegExp(unseen.source, "gu");

/** What a file says, in a message: short, and without characters that a terminal obeys. */
export function shown(value: unknown): string {
  if (value === undefined) return "missing";
  const text = JSON.stringify(value).slice(0, billBounds.shownCharsMax);
  return text.replace(allUnseen, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The standard tier's names: lines of it are not told apart from those without a tier. */
const standardTiers = new Set(["", "standard", "default", "auto", "on_demand", "scale"]);

/** A tier that is not the standard one, in small letters; "" otherwise. Throws as `nameIn`. */
export function tierIn(value: unknown): string {
  const tier = wordIn(value).toLowerCase();
  return standardTiers.has(tier) ? "" : nameIn(tier, "tier");
}

/** What a line adds to the sums, of the measures that count (`takes`). */
export function amountsOf(line: BillLine, takes: (told: BillTold) => boolean): BillAmounts {
  const { measure, count = 0, cost, currency = "" } = line;
  const isCount = measure !== "total" && measure !== "other";
  return {
    ...(isCount && count > 0 && takes(measure) && { [measure]: BigInt(count) }),
    ...(cost !== undefined && takes("cost") && { [costName(currency)]: parseCost(cost) }),
  };
}
