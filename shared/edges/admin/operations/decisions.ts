/** What finance decides over HTTP: about invoices that wait, and orders in review (edges/admin/README.md "Routes"). */
import type { HttpReply } from "../../../base/http/message.ts";
import { invalidField, requiredString } from "../../../base/json/fields.ts";
import { reviewDecisions } from "../../../people/payments/order.ts";
import type { FieldsOf } from "../../console/body.ts";
import {
  foreseeIssue,
  foreseeRejection,
  type InvoiceAdminDeps,
  issueInvoice,
  rejectInvoice,
} from "../../operator/invoices.ts";
import { decideReview, foreseeReview } from "../../operator/orders.ts";
import type { AdminCall } from "../call.ts";
import type { OnceAdminDeps } from "./once.ts";
import { answerWrite, optionalWord } from "./request.ts";

export type AdminDecisionDeps = Omit<InvoiceAdminDeps, "by"> &
  Omit<Parameters<typeof decideReview>[2], "by"> &
  OnceAdminDeps;

/** `POST /invoices/{id}/issue {file}`: as `invoice issue`. */
export async function issue(call: AdminCall, deps: AdminDecisionDeps): Promise<HttpReply> {
  const { id = "" } = call.parameters;
  const fileIn = (fields: FieldsOf<"file">) => requiredString(fields, "file");
  return await answerWrite(
    call,
    ["file"],
    {
      foresee: async ({ fields }) => ({ would: await foreseeIssue(id, fileIn(fields), deps), invoice: id }),
      act: async ({ fields, reason }) => ({
        status: 200,
        body: await issueInvoice(id, fileIn(fields), { ...deps, by: { token: call.token, reason } }),
      }),
    },
    deps,
  );
}

/** `POST /invoices/{id}/reject`: as `invoice reject`. The customer is told the reason. */
export async function reject(call: AdminCall, deps: AdminDecisionDeps): Promise<HttpReply> {
  const { id = "" } = call.parameters;
  return await answerWrite(
    call,
    [],
    {
      foresee: async ({ reason }) => ({ would: await foreseeRejection(id, reason, deps), invoice: id }),
      act: async ({ reason }) => ({
        status: 200,
        body: await rejectInvoice(id, reason, { ...deps, by: { token: call.token } }),
      }),
    },
    deps,
  );
}

/** `POST /orders/{id}/review {decision}`: as `order review`. */
export async function review(call: AdminCall, deps: AdminDecisionDeps): Promise<HttpReply> {
  const { id = "" } = call.parameters;
  return await answerWrite(
    call,
    ["decision"],
    {
      foresee: async ({ fields }) => ({
        would: await foreseeReview(id, decisionIn(fields), deps),
        order: id,
      }),
      act: async ({ fields, reason }) => ({
        status: 200,
        body: await decideReview(id, decisionIn(fields), { ...deps, by: { token: call.token, reason } }),
      }),
    },
    deps,
  );
}

function decisionIn({ decision }: FieldsOf<"decision">) {
  const word = optionalWord(decision, "decision", reviewDecisions);
  if (word === undefined) throw invalidField("decision", `one of ${reviewDecisions.join(", ")}`);
  return word;
}
