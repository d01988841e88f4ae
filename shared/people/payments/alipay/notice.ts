/** What Alipay calls us with: a form whose fields are signed. */
import { entryOf } from "../../../base/json/fields.ts";
import { type Evidence, NoticeRefused, type NoticeRequest } from "../platform.ts";
import { fenIn, timeIn } from "./amount.ts";
import type { AlipayClient, AlipayFields } from "./client.ts";

const states: Readonly<Record<string, Evidence["state"]>> = {
  WAIT_BUYER_PAY: "pending",
  TRADE_SUCCESS: "paid",
  TRADE_FINISHED: "paid",
  TRADE_CLOSED: "closed",
};

/** The state of a trade by Alipay's name of it. A closed one that was paid before was paid back. */
export function stateOf({ trade_status }: Partial<AlipayFields>, paidAt: string | undefined) {
  const state = entryOf(states, trade_status);
  return state === "closed" && paidAt ? "refunded" : state;
}

/** What a notice says of a trade. `null`: Alipay sent it, about something else. Throws `NoticeRefused`. */
export function readAlipayNotice({ body }: NoticeRequest, client: AlipayClient): Evidence | null {
  const fields = fieldsIn(body);
  checkSignature(fields, client);
  const told = stateOf(fields, fields.gmt_payment);
  // A trade of which a part was paid back is a success for Alipay still.
  const state = told === "paid" && fenIn(fields.refund_fee ?? "0") !== 0 ? "refunded" : told;
  if (fields.out_trade_no === undefined || state === undefined) return null;
  return {
    channel: "alipay",
    order: fields.out_trade_no,
    accounts: { app_id: fields.app_id ?? "", seller_id: fields.seller_id ?? "" },
    state,
    ...paymentOf(fields, fields.gmt_payment),
    ...(state === "refunded" && returnedBy(fields, told === "refunded")),
  };
}

/** What went back of a trade in all, fen: what Alipay says, or all of one that it has closed for it. */
export function returnedBy(
  { refund_fee, total_amount }: Partial<AlipayFields>,
  isWhole: boolean,
): Pick<Evidence, "refunded"> {
  const refunded = fenIn(refund_fee) ?? (isWhole ? fenIn(total_amount) : undefined);
  return refunded === undefined ? {} : { refunded };
}

/** The facts of a payment that Alipay gives; without a field where it is absent or not understood. */
export function paymentOf(fields: Partial<AlipayFields>, paidAt: string | undefined) {
  const amount = fenIn(fields.total_amount);
  const paid_at = timeIn(paidAt);
  return {
    ...(fields.trade_no && { transaction: fields.trade_no }),
    ...(amount !== undefined && { amount }),
    // Only trades in a foreign currency name one.
    currency: fields.trans_currency ?? "CNY",
    ...(paid_at !== undefined && { paid_at }),
  };
}

/**
 * Alipay's package checks fields that were decoded once (`checkNotifySignV2`); its older check decodes them again, and
 * fails at a `%`. A kind of signature that the sender names is not taken: the package would check SHA-1 too. A value
 * with `&name=` in it is refused, because the signature would be the same if it were two fields.
 */
function checkSignature(fields: AlipayFields, client: AlipayClient): void {
  if (!fields.sign) throw new NoticeRefused("no signature");
  if (fields.sign_type !== "RSA2") throw new NoticeRefused("not the kind of signature RSA2");
  if (Object.values(fields).some((value) => /&\w+=/.test(value)))
    throw new NoticeRefused("a value that could be further fields");
  if (!client.isSigned(fields)) throw new NoticeRefused("wrong signature");
}

/** The fields of a form, decoded once. One that comes twice is refused before anything is read. */
function fieldsIn(body: Buffer): AlipayFields {
  const fields = new Map<string, string>();
  for (const piece of textIn(body).split("&")) {
    const at = piece.indexOf("=");
    const name = decoded(piece.slice(0, Math.max(at, 0)));
    if (name === "") throw new NoticeRefused("no form");
    if (fields.has(name)) throw new NoticeRefused("a field that comes twice");
    fields.set(name, decoded(piece.slice(at + 1)));
  }
  return Object.fromEntries(fields);
}

function textIn(body: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    throw new NoticeRefused("no UTF-8");
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw new NoticeRefused("no form");
  }
}
