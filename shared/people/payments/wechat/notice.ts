/** What WeChat Pay calls us with: signed JSON with an encrypted resource. */
import { createDecipheriv } from "node:crypto";
import { entryOf, type Fields, objectIn } from "../../../base/json/fields.ts";
import { type Evidence, NoticeRefused, type NoticeRequest } from "../platform.ts";
import type { WechatSettings } from "../settings.ts";
import { checkSignature } from "./signature.ts";

/** A payment as notices and answers describe it, as far as it is read. */
interface Transaction {
  appid?: unknown;
  mchid?: unknown;
  out_trade_no?: unknown;
  transaction_id?: unknown;
  trade_state?: unknown;
  success_time?: unknown;
  amount?: { total?: unknown; currency?: unknown };
}

const states: Readonly<Record<string, Evidence["state"]>> = {
  SUCCESS: "paid",
  REFUND: "refunded",
  NOTPAY: "pending",
  USERPAYING: "pending",
  // The customer may try again until the order ends.
  PAYERROR: "pending",
  CLOSED: "closed",
  REVOKED: "closed",
};

/** What a notice says of a payment. `null`: WeChat Pay sent it, about something else. Throws `NoticeRefused`. */
export function readWechatNotice(
  { headers, body }: NoticeRequest,
  settings: WechatSettings,
  at: number,
): Evidence | null {
  const check = checkSignature(headers, body, settings.publicKeys, at);
  if (!check.right) throw new NoticeRefused(check.reason, { probe: check.probe === true });
  const { event_type, resource } = told(body.toString("utf8"));
  if (typeof event_type !== "string" || !event_type.startsWith("TRANSACTION.")) return null;
  const transaction = told(opened(resource, settings.resourceKey)) as Transaction;
  const evidence = evidenceOf(transaction);
  if (!evidence) throw new NoticeRefused("a payment without an order or a known state");
  return evidence;
}

/** What a payment says; undefined where it names no order, or a state that is not known. */
export function evidenceOf(transaction: Transaction): Evidence | undefined {
  const { appid, mchid, out_trade_no, transaction_id, trade_state, success_time, amount } = transaction;
  const state = entryOf(states, trade_state);
  if (typeof out_trade_no !== "string" || state === undefined) return undefined;
  const paid_at = Date.parse(String(success_time));
  return {
    channel: "wechat",
    order: out_trade_no,
    accounts: { appid: String(appid ?? ""), mchid: String(mchid ?? "") },
    state,
    ...(typeof transaction_id === "string" && { transaction: transaction_id }),
    ...(Number.isSafeInteger(amount?.total) && { amount: Number(amount?.total) }),
    ...(typeof amount?.currency === "string" && { currency: amount.currency }),
    ...(!Number.isNaN(paid_at) && { paid_at }),
  };
}

const algorithm = "AEAD_AES_256_GCM";
const tagBytes = 16;

/** The text of an encrypted resource. Throws `NoticeRefused` where it does not open under our key. */
function opened(resource: unknown, key: Buffer): string {
  const { algorithm: named, ciphertext, nonce, associated_data = "" } = Object(resource) as Fields;
  if (
    named !== algorithm ||
    typeof ciphertext !== "string" ||
    typeof nonce !== "string" ||
    typeof associated_data !== "string"
  )
    throw new NoticeRefused("no resource");
  try {
    const bytes = Buffer.from(ciphertext, "base64");
    const decipher = createDecipheriv("aes-256-gcm", key, Buffer.from(nonce), { authTagLength: tagBytes });
    decipher.setAuthTag(bytes.subarray(-tagBytes));
    decipher.setAAD(Buffer.from(associated_data));
    return Buffer.concat([decipher.update(bytes.subarray(0, -tagBytes)), decipher.final()]).toString("utf8");
  } catch {
    throw new NoticeRefused("a resource that does not open under our key");
  }
}

function told(text: string): Fields {
  const object = objectIn(text);
  if (!object) throw new NoticeRefused("no JSON object");
  return object;
}
