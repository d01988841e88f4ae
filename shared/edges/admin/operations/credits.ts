/** Credits over HTTP: booked at once, or proposed where they take two persons (edges/admin/README.md "Four eyes"). */

import { invalidState } from "../../../base/errors.ts";
import { type HttpReply, jsonReply } from "../../../base/http/message.ts";
import { readQuery } from "../../../base/http/query.ts";
import { invalidField, requiredString } from "../../../base/json/fields.ts";
import { isId } from "../../../base/platform/id.ts";
import type { Organization } from "../../../books/accounts/account.ts";
import { formatPoints } from "../../../books/billing/points.ts";
import { operatorKinds } from "../../../books/ledger/credit.ts";
import type { Credit } from "../../../books/ledger/ledger.ts";
import { holderOf, needsFourEyes } from "../../../people/admin/credits.ts";
import { isOrderReference } from "../../../people/orders/postings.ts";
import type { FieldsOf } from "../../console/body.ts";
import {
  confirmable,
  confirmProposal,
  type ProposalDeps,
  proposalObject,
  proposalOf,
  proposeCredit,
  refuseBooked,
  refuseProposal,
  whyNotOpen,
} from "../../operator/credit-proposals.ts";
import { bookCreditAlone, foreseeBooking, refuseLacking } from "../../operator/credits.ts";
import { type NewCredit, openingReference, readCredit } from "../../operator/organizations.ts";
import type { AdminCall } from "../call.ts";
import type { OnceAdminDeps, WriteAnswer } from "./once.ts";
import { answerWrite, noQuery, optionalWord, organizationAt, pageReaders, pageReply } from "./request.ts";

export interface AdminCreditDeps extends ProposalDeps, OnceAdminDeps {
  /** Credits of more points than this, into a wallet or out of it, take two persons. */
  fourEyesPoints: bigint;
}

const creditFields = ["points", "reference", "kind"] as const;
type CreditFields = FieldsOf<(typeof creditFields)[number]>;

/** `POST /organizations/{id}/credits`: 200 where it is booked, 202 where another person has to confirm it. */
export async function creditOrganization(call: AdminCall, deps: AdminCreditDeps): Promise<HttpReply> {
  const organization = await organizationAt(call, deps);
  return await answerWrite(
    call,
    creditFields,
    {
      foresee: async ({ fields }) => await foreseeCredit(organization, readNew(fields), call, deps),
      act: async ({ fields, reason }): Promise<WriteAnswer> => {
        const wanted = readNew(fields);
        const credit = readCredit(organization, wanted, deps.now());
        const deciding = { token: call.token, reason };
        const alone = { ...deciding, most: deps.fourEyesPoints };
        const booked = needsFourEyes(credit.points, deps.fourEyesPoints)
          ? undefined
          : await bookCreditAlone(organization, wanted, alone, deps);
        if (booked) return { status: 200, body: booked };
        const proposal = await proposeCredit(credit, deciding, deps);
        return { status: 202, body: proposalObject(proposal, deps.now()) };
      },
    },
    deps,
  );
}

function readNew(fields: CreditFields): NewCredit {
  const kind = optionalWord(fields.kind, "kind", operatorKinds);
  const { points } = fields;
  if (typeof points !== "string") throw invalidField("points", 'a decimal string, such as "12.5"');
  const reference = requiredString(fields, "reference");
  // What orders and opening balances are booked under must stay free for them.
  if (isOrderReference(reference) || reference === openingReference)
    throw invalidField(
      "reference",
      "one that is neither of an order, nor of a refund, nor of an opening balance",
    );
  return { points, reference, ...(kind && { kind }) };
}

async function foreseeCredit(
  organization: Organization,
  wanted: NewCredit,
  { token }: AdminCall,
  deps: AdminCreditDeps,
) {
  const credit = readCredit(organization, wanted, deps.now());
  const would = await fateOf(credit, token.person, deps);
  return {
    would,
    ...(await balancesOf(credit.meter, would === "nothing" ? 0n : credit.points, deps)),
    ...{ points: formatPoints(credit.points), organization: organization.id },
    ...{ kind: credit.kind, reference: credit.reference },
  };
}

/** What becomes of a credit that a person wants. Throws what the write would throw. */
async function fateOf(
  credit: Credit,
  person: string,
  deps: AdminCreditDeps,
): Promise<"book" | "propose" | "nothing"> {
  const { points, at } = credit;
  if (needsFourEyes(points, deps.fourEyesPoints)) {
    await refuseBooked(credit, deps);
    return "propose";
  }
  if (!(await foreseeBooking(credit, deps))) return "nothing";
  const moved = await deps.credits.movedAlone(person, at);
  return moved + (points < 0n ? -points : points) > deps.fourEyesPoints ? "propose" : "book";
}

/** The wallet's balance before a credit and after it. */
async function balancesOf(meter: string, points: bigint, { meters }: AdminCreditDeps) {
  const balance = await meters.balance(meter);
  return {
    points: formatPoints(points),
    balance_points: formatPoints(balance),
    balance_points_after: formatPoints(balance + points),
  };
}

/** `GET /proposals?limit=&after=`: the newest first. */
export async function listProposals(call: AdminCall, deps: AdminCreditDeps): Promise<HttpReply> {
  const { limit, after } = readQuery(call.request.query, pageReaders);
  if (after !== undefined && !isId(after, "proposal"))
    throw invalidField("after", "the `last_id` of a page of this list");
  const { proposals, more } = await deps.proposals.list({ limit, after });
  const shown = proposals.map((each) => proposalObject(each, deps.now()));
  return pageReply(shown, more, proposals.at(-1)?.id ?? null);
}

/** `GET /proposals/{id}`. */
export async function showProposal(call: AdminCall, deps: AdminCreditDeps): Promise<HttpReply> {
  noQuery(call);
  return jsonReply(proposalObject(await proposalOf(idOf(call), deps), deps.now()));
}

/** `POST /proposals/{id}/confirm`: books the credit. */
export async function confirm(call: AdminCall, deps: AdminCreditDeps): Promise<HttpReply> {
  const { token } = call;
  return await answerWrite(
    call,
    [],
    {
      foresee: async () => {
        const proposal = await proposalOf(idOf(call), deps);
        const credit = await confirmable(proposal, holderOf(token), deps);
        await refuseBooked(proposal, deps);
        await refuseLacking(credit, deps);
        const balances = await balancesOf(credit.meter, credit.points, deps);
        return { would: "book", ...balances, organization: credit.organization, reference: credit.reference };
      },
      act: async ({ reason }) => ({
        status: 200,
        body: await confirmProposal(idOf(call), { token, reason }, deps),
      }),
    },
    deps,
  );
}

/** `POST /proposals/{id}/refuse`: nothing is booked, for good. */
export async function refuse(call: AdminCall, deps: AdminCreditDeps): Promise<HttpReply> {
  return await answerWrite(
    call,
    [],
    {
      foresee: async () => {
        const proposal = await proposalOf(idOf(call), deps);
        const why = whyNotOpen(proposal, deps.now());
        if (why !== undefined) throw invalidState(why);
        return { would: "refuse", proposal: proposal.id };
      },
      act: async ({ reason }) => ({
        status: 200,
        body: await refuseProposal(idOf(call), { token: call.token, reason }, deps),
      }),
    },
    deps,
  );
}

function idOf({ parameters }: AdminCall): string {
  return parameters.id ?? "";
}
