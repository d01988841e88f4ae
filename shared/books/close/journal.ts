/** What a month did to the accounts: its journal, and the balances of each organization (README.md). Pure. */
import { hash } from "node:crypto";
import { spanOf } from "../billing/period.ts";
import { formatPoints, parsePoints } from "../billing/points.ts";
import type { Entry } from "../ledger/ledger.ts";
import { memberOf } from "../reports/member-of.ts";
import { type CloseTerms, countingOf } from "./counting.ts";

/** What entries of one kind moved between two accounts of an organization. */
export interface JournalRow {
  organization: string;
  /** The month that the entries belong to: the closed one, or an earlier one that they came too late for. */
  month: string;
  kind: Entry["kind"];
  debit: string;
  credit: string;
  entries: number;
  /** A decimal string of points. */
  points: string;
}

/** What an organization has at the end of a month. Points are decimal strings. */
export interface BalanceRow {
  organization: string;
  /** In the wallet: what the house owes the customer. */
  wallet: string;
  /** What the customer owes for plans. */
  receivable: string;
  /** What calls and videos were charged in all closed months. The next close finds late postings by it. */
  charged: string;
  /** How many postings had come after their day was sealed. The next close finds by it those that add up to nothing. */
  late: number;
}

/** What an organization has, 10⁻¹⁸ points. */
export interface Balance {
  wallet: bigint;
  receivable: bigint;
}

/** What an entry changes: its organization's balance, and what calls were charged. */
interface BalanceChange extends Balance {
  charged: bigint;
}

/** The month of one organization. Takes its entries in any order. */
export class OrganizationMonth {
  readonly #organization: string;
  readonly #terms: CloseTerms;
  readonly #rows = new Map<string, { entries: number; points: bigint }>();
  readonly #opening: BalanceChange;
  readonly #closing: BalanceChange;
  /** What credits, fees and payments of earlier closes came to. */
  readonly #earlier: Balance = { wallet: 0n, receivable: 0n };

  /** `before`: its balances at the end of the month before. Without any, entries that count before make the opening. */
  constructor(organization: string, terms: CloseTerms, before?: BalanceRow) {
    this.#organization = organization;
    this.#terms = terms;
    const { wallet = "0", receivable = "0", charged = "0" } = before ?? {};
    this.#opening = {
      wallet: parsePoints(wallet),
      receivable: parsePoints(receivable),
      charged: parsePoints(charged),
    };
    this.#closing = { ...this.#opening };
  }

  /** Adds an entry, where it counts in this close. One of no points moves nothing. */
  add(entry: Entry): void {
    const counting = countingOf(entry, this.#terms);
    const isOpening = counting === "before" && this.#terms.previous === undefined;
    const change = this.#changeOf(entry);
    if (counting === "before" && !isCharge(entry)) addBalance(this.#earlier, change);
    if (isOpening) move(this.#opening, change);
    if (counting === "now" || isOpening) move(this.#closing, change);
    const points = parsePoints(entry.points);
    if (counting !== "now" || points === 0n) return;
    const row = [spanOf(entry.at, "month"), entry.kind, entry.debit, entry.credit];
    const movement = memberOf(this.#rows, JSON.stringify(row), () => ({ entries: 0, points: 0n }));
    movement.entries += 1;
    movement.points += points;
  }

  /** Whether its opening is what the credits, fees and payments of earlier closes came to, less what calls were charged. */
  get isCarried(): boolean {
    const { wallet, receivable, charged } = this.#opening;
    return wallet === this.#earlier.wallet - charged && receivable === this.#earlier.receivable;
  }

  /** What it had before, and has after it. */
  get balances(): { opening: Balance; closing: Balance } {
    return { opening: this.#opening, closing: this.#closing };
  }

  /** Its balances as they are kept, with the seal's number of late postings. */
  balanceRow(late: number): BalanceRow {
    const { wallet, receivable, charged } = this.#closing;
    return {
      organization: this.#organization,
      ...{ wallet: formatPoints(wallet), receivable: formatPoints(receivable) },
      ...{ charged: formatPoints(charged), late },
    };
  }

  /** Its journal, in order of month, kind and accounts. */
  journal(): JournalRow[] {
    return [...this.#rows]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([row, { entries, points }]) => {
        const [month, kind, debit, credit] = JSON.parse(row) as [string, Entry["kind"], string, string];
        const organization = this.#organization;
        return { organization, month, kind, debit, credit, entries, points: formatPoints(points) };
      });
  }

  #changeOf({ kind, debit, credit, points: text }: Entry): BalanceChange {
    const points = parsePoints(text);
    const moved = (account: string) => (credit === account ? points : 0n) - (debit === account ? points : 0n);
    return {
      wallet: moved(`customer:${this.#organization}`),
      receivable: -moved(`receivable:${this.#organization}`),
      charged: isCharge({ kind }) ? points : 0n,
    };
  }
}

/** Whether an entry is of a call or a video. */
function isCharge({ kind }: Pick<Entry, "kind">): boolean {
  return kind === "usage" || kind === "adjustment";
}

/** Adds a balance to another one. */
export function addBalance(to: Balance, { wallet, receivable }: Balance): void {
  to.wallet += wallet;
  to.receivable += receivable;
}

function move(to: BalanceChange, change: BalanceChange): void {
  addBalance(to, change);
  to.charged += change.charged;
}

/** The SHA-256 of rows, one as JSON on each line, in hexadecimal. */
export function hashOfRows(rows: readonly (JournalRow | BalanceRow)[]): string {
  return hash("sha256", rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
}
