/** Closed months over HTTP: what `month list` and `month show` have (books/close/README.md). */
import { GatewayError } from "../../../base/errors.ts";
import { type HttpReply, jsonReply } from "../../../base/http/message.ts";
import type { MonthCloses } from "../../../books/close/closes.ts";
import { readSummary } from "../../../books/close/summary.ts";
import { listMonths } from "../../operator/close/verify.ts";
import type { AdminCall } from "../call.ts";
import { noQuery, pageReply } from "./request.ts";

export interface AdminMonthDeps {
  closes: MonthCloses;
}

/** `GET /months`: as `month list`. There are twelve a year. */
export async function listAllMonths(call: AdminCall, deps: AdminMonthDeps): Promise<HttpReply> {
  noQuery(call);
  const months = await listMonths(deps);
  return pageReply(months, false, months.at(-1)?.month ?? null);
}

/** `GET /months/{month}`: as `month show`, with what the signed text says. Throws `not_found`. */
export async function showMonth(call: AdminCall, { closes }: AdminMonthDeps): Promise<HttpReply> {
  noQuery(call);
  const { month = "" } = call.parameters;
  const closed = (await closes.all()).find((each) => each.month === month);
  if (!closed)
    throw new GatewayError("not_found", { message: `The month ${month.slice(0, 16)} is not closed.` });
  const { sha256, signature, public_key, summary: signed_text } = closed;
  return jsonReply({ ...readSummary(closed), sha256, signature, public_key, signed_text });
}
