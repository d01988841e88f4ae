/** Credits of a large sum: one operator proposes, another person confirms (edges/admin/README.md "Four eyes"). */
import { GatewayError, invalidRequest, invalidState } from "../../base/errors.ts";
import { isId, newId } from "../../base/platform/id.ts";
import type { Accounts } from "../../books/accounts/account.ts";
import { rfc3339 } from "../../books/billing/instant.ts";
import { formatPoints } from "../../books/billing/points.ts";
import type { Credit, CreditKind } from "../../books/ledger/ledger.ts";
import { adminLimits } from "../../people/admin/bounds.ts";
import {
  type CreditProposal,
  type CreditProposals,
  holderOf,
  type TokenHolder,
  whyNotConfirm,
} from "../../people/admin/credits.ts";
import { type AdminToken, type AdminTokens, isInForce } from "../../people/admin/token.ts";
import { type CreditDeps, creditLine, showCredited } from "./credits.ts";
import { readCredit } from "./organizations.ts";

export interface ProposalDeps extends CreditDeps {
  proposals: CreditProposals;
  tokens: Pick<AdminTokens, "read">;
  accounts: Pick<Accounts, "organization">;
}

/** Who decides, and why. */
export interface Deciding {
  token: AdminToken;
  reason: string;
}

/** A proposal that waits. Throws `invalid_state` where its reference is booked already. */
export async function proposeCredit(
  credit: Credit & { kind: CreditKind },
  { token, reason }: Deciding,
  deps: Pick<ProposalDeps, "proposals" | "ledger" | "now">,
): Promise<CreditProposal> {
  await refuseBooked(credit, deps);
  const at = deps.now();
  const { organization, points, kind, reference } = credit;
  const proposal: CreditProposal = {
    ...{ id: newId("proposal", at), organization, points: formatPoints(points), kind, reference },
    ...{ why: reason, proposed_by: holderOf(token), state: "open" },
    ...{ made_at: at, ends_at: at + adminLimits.proposalHours * 3_600_000 },
  };
  await deps.proposals.make(proposal);
  return proposal;
}

/** Throws `invalid_state` where a reference of an organization has booked something. */
export async function refuseBooked(
  { organization, reference }: Pick<Credit, "organization" | "reference">,
  { ledger }: Pick<ProposalDeps, "ledger">,
): Promise<void> {
  if (await ledger.creditOf(organization, reference))
    throw invalidState(`The reference ${reference} is booked already. Each credit has one of its own.`);
}

const tokenOver = "One of the two tokens was revoked, or has ended. Propose the credit again.";

/** The credit that a confirmation would book. Throws why this token may not confirm it. */
export async function confirmable(proposal: CreditProposal, by: TokenHolder, deps: ProposalDeps) {
  const at = deps.now();
  const why = whyNotConfirm(proposal, by, at);
  if (why !== undefined) throw invalidState(why);
  const proposer = await deps.tokens.read(proposal.proposed_by.token);
  if (!proposer || !isInForce(proposer, at)) throw invalidState(tokenOver);
  const organization = await deps.accounts.organization(proposal.organization);
  if (!organization) throw invalidRequest(`The organization ${proposal.organization} is gone.`);
  return readCredit(organization, proposal, at);
}

/**
 * Books a proposed credit, as its confirmation by another person. The same token again gets the same answer. Throws
 * `not_found`, `invalid_state` where it cannot be confirmed by this token, and what a credit throws.
 */
export async function confirmProposal(
  id: string,
  { token, reason }: Deciding,
  deps: ProposalDeps,
): Promise<object> {
  const by = holderOf(token);
  const before = await proposalOf(id, deps);
  if (before.state === "confirmed" && before.decided_by?.token === by.token)
    return await showConfirmed(before, deps);
  const credit = await confirmable(before, by, deps);
  const { proposed_by, why } = before;
  const more = { proposed_by: `${proposed_by.name} (${proposed_by.token})`, confirmed_reason: reason };
  const entry = creditLine(credit, { token, reason: why }, more);
  const decision = { by, at: credit.at, why: reason };
  const isDone = await deps.proposals.confirm(before, decision, { credit, entry });
  const after = await proposalOf(id, deps);
  if (!isDone && !(after.state === "confirmed" && after.decided_by?.token === by.token))
    throw await refusal(after, by, deps);
  return await showConfirmed(after, deps);
}

/** Why a confirmation was not possible, by what is so now. */
async function refusal(proposal: CreditProposal, by: TokenHolder, deps: ProposalDeps): Promise<GatewayError> {
  const why = whyNotConfirm(proposal, by, deps.now());
  if (why !== undefined) return invalidState(why);
  await refuseBooked(proposal, deps);
  return invalidState(tokenOver);
}

async function showConfirmed(proposal: CreditProposal, deps: ProposalDeps): Promise<object> {
  const organization = await deps.accounts.organization(proposal.organization);
  if (!organization) throw new GatewayError("not_found", { message: "The organization is gone." });
  return {
    ...proposalObject(proposal, deps.now()),
    organization: await showCredited(organization, proposal.reference, true, deps),
  };
}

/**
 * Ends a proposal: who made it takes it back, or another one refuses it. The same token again gets the same answer. Throws
 * `not_found`, and `invalid_state` where it is not open.
 */
export async function refuseProposal(
  id: string,
  { token, reason }: Deciding,
  deps: ProposalDeps,
): Promise<object> {
  const [by, at] = [holderOf(token), deps.now()];
  const before = await proposalOf(id, deps);
  const isOwn = ({ state, decided_by }: CreditProposal) =>
    state === "refused" && decided_by?.token === by.token;
  if (!isOwn(before)) await deps.proposals.refuse(before, { by, at, why: reason });
  const after = await proposalOf(id, deps);
  if (!isOwn(after)) throw invalidState(whyNotOpen(after, at) ?? "The proposal was changed meanwhile.");
  return proposalObject(after, at);
}

/** Why a proposal cannot be decided any more; undefined where it can. */
export function whyNotOpen(proposal: CreditProposal, now: number): string | undefined {
  // Nobody: so only its state and its end count.
  return whyNotConfirm(proposal, { token: "", name: "", person: "" }, now);
}

/** The proposal of an id. Throws `not_found`. */
export async function proposalOf(
  id: string,
  { proposals }: Pick<ProposalDeps, "proposals">,
): Promise<CreditProposal> {
  const proposal = isId(id, "proposal") ? await proposals.read(id) : undefined;
  if (!proposal) throw new GatewayError("not_found", { message: `There is no proposal ${id.slice(0, 64)}.` });
  return proposal;
}

/** A proposal as it is shown, at `now` (Unix ms). */
export function proposalObject(proposal: CreditProposal, now: number) {
  const { id, organization, points, kind, reference, why, proposed_by, made_at, ends_at } = proposal;
  const { state, decided_by, decided_at, decided_why } = proposal;
  return {
    ...{ id, object: "credit_proposal", organization, points, kind, reference, why, proposed_by },
    state: state === "open" && now >= ends_at ? "over" : state,
    ...{ created_at: rfc3339(made_at), ends_at: rfc3339(ends_at) },
    decided_by: decided_by ?? null,
    decided_at: decided_at === undefined ? null : rfc3339(decided_at),
    decided_why: decided_why ?? null,
  };
}
