/** Credits that operators book, with their lines, and those that a second operator has to confirm first. */
import type { Credit, CreditKind } from "../../books/ledger/ledger.ts";
import type { AuditEntry } from "../identity/audit.ts";
import { mailboxOf } from "../identity/email.ts";
import type { AdminToken } from "./token.ts";

/** Whose token it was, as it was called then. */
export interface TokenHolder {
  token: string;
  name: string;
  person: string;
}

export function holderOf({ id, name, person }: AdminToken): TokenHolder {
  return { token: id, name, person };
}

/** A credit that waits for another person. What it says of the credit never changes. */
export interface CreditProposal {
  id: string;
  organization: string;
  /** A decimal string; negative points are taken out. */
  points: string;
  kind: CreditKind;
  reference: string;
  why: string;
  proposed_by: TokenHolder;
  /** Unix milliseconds. */
  made_at: number;
  /** From then on nobody can confirm it. */
  ends_at: number;
  state: "open" | "confirmed" | "refused";
  decided_by?: TokenHolder;
  decided_at?: number;
  decided_why?: string;
}

/** What becomes of a proposal, by whom and why, at an instant (Unix ms). */
export interface ProposalDecision {
  by: TokenHolder;
  at: number;
  why: string;
}

/** Whether a credit takes two persons: it moves more than this sum, into the wallet or out of it. */
export function needsFourEyes(points: bigint, most: bigint): boolean {
  return points > most || -points > most;
}

/** Why a token may not confirm a proposal; undefined where it may. */
export function whyNotConfirm(
  { state, ends_at, proposed_by, decided_by }: CreditProposal,
  by: TokenHolder,
  now: number,
): string | undefined {
  if (state !== "open") return `The proposal was ${state} by ${decided_by?.name} (${decided_by?.token}).`;
  if (now >= ends_at)
    return "The proposal is over: nobody has confirmed it in time. Propose the credit again.";
  if (by.token === proposed_by.token) return "The token that proposed a credit cannot confirm it.";
  if (mailboxOf(by.person) === mailboxOf(proposed_by.person))
    return `Both tokens are of the mailbox of ${by.person}. Another person has to confirm the credit.`;
  return undefined;
}

/** A credit that a token books by itself. */
export interface BookedAlone {
  by: TokenHolder;
  /** What its person may move by such credits in a UTC day, in any direction, 10⁻¹⁸ points. */
  most: bigint;
}

/** `known`: it was booked before. Of a token alone: the token is not in force any more, or the day's sum has no room. */
type CreditOutcome = "booked" | "known" | "token over" | "sum over";

/** The store of credits whose bookings leave lines. */
export interface AuditedCredits {
  /** As `Ledger.credit`, with a line in the same transaction. `alone`: and with the token and its person's sum. */
  book(credit: Credit, entry: AuditEntry, alone?: BookedAlone): Promise<CreditOutcome>;
  /** What a person has moved alone in the UTC day of `at` (Unix ms), 10⁻¹⁸ points. */
  movedAlone(person: string, at: number): Promise<bigint>;
  /** What no call holds of a wallet's points. */
  free(meter: string): Promise<bigint>;
}

/** The store of proposals. Every read is strongly consistent. */
export interface CreditProposals {
  make(proposal: CreditProposal): Promise<void>;
  read(id: string): Promise<CreditProposal | undefined>;
  /** The newest first, from behind the id `after`. */
  list(page: {
    limit: number;
    after?: string | undefined;
  }): Promise<{ proposals: CreditProposal[]; more: boolean }>;
  /**
   * Books the credit of a proposal, with its line and the decision, in one transaction. False where nothing was written: the
   * proposal was decided or has ended, a token of the two has ended or was revoked, or the reference is booked.
   */
  confirm(
    proposal: CreditProposal,
    decision: ProposalDecision,
    booking: { credit: Credit; entry: AuditEntry },
  ): Promise<boolean>;
  /** Ends a proposal that is open, and says whether it was. */
  refuse(proposal: CreditProposal, decision: ProposalDecision): Promise<boolean>;
}
