/** WeChat Pay's signatures, API version 3: RSA over SHA-256, and the texts that they are over. */
import { type KeyObject, randomBytes, sign, verify } from "node:crypto";
import { consoleLimits } from "../../../base/console-limits.ts";
import type { WechatSettings } from "../settings.ts";

/** How a signature of a probe begins. WeChat Pay sends some, to see that they are refused. */
const probePrefix = "WECHATPAY/SIGNTEST/";

interface SignedRequest {
  method: string;
  /** The path with its query. */
  path: string;
  body: string;
}

/** The header `authorization` of a request. `at` is Unix milliseconds; `nonce` is random unless given. */
export function authorization(
  request: SignedRequest,
  { merchantId, serialNumber, privateKey }: WechatSettings,
  at: number,
  nonce = randomBytes(16).toString("hex"),
): string {
  const timestamp = Math.floor(at / 1000);
  const text = `${request.method}\n${request.path}\n${timestamp}\n${nonce}\n${request.body}\n`;
  const signature = sign("sha256", Buffer.from(text), privateKey).toString("base64");
  const fields = { mchid: merchantId, nonce_str: nonce, signature, timestamp, serial_no: serialNumber };
  const written = Object.entries(fields).map(([name, value]) => `${name}="${value}"`);
  return `WECHATPAY2-SHA256-RSA2048 ${written.join(",")}`;
}

type SignatureCheck = { right: true } | { right: false; reason: string; probe?: true };

/** Whether an answer or a notice has a signature at all. */
export function hasSignature(headers: Readonly<Record<string, string | undefined>>): boolean {
  return headers["wechatpay-signature"] !== undefined;
}

/** Checks the signature over a body's bytes by WeChat Pay's `keys`, by their ids. `at` is now, Unix ms. */
export function checkSignature(
  headers: Readonly<Record<string, string | undefined>>,
  body: Uint8Array,
  keys: ReadonlyMap<string, KeyObject>,
  at: number,
): SignatureCheck {
  const wrong = (reason: string): SignatureCheck => ({ right: false, reason });
  const signature = headers["wechatpay-signature"] ?? "";
  const timestamp = headers["wechatpay-timestamp"] ?? "";
  const nonce = headers["wechatpay-nonce"] ?? "";
  if (signature === "" || nonce === "") return wrong("no signature");
  if (signature.startsWith(probePrefix)) return { right: false, reason: "a probe", probe: true };
  const key = keys.get(headers["wechatpay-serial"] ?? "");
  if (!key) return wrong("signed with a key that is not in the settings");
  if (!/^\d{1,12}$/.test(timestamp)) return wrong("no time");
  if (Math.abs(at / 1000 - Number(timestamp)) > consoleLimits.noticeAgeSecondsMax)
    return wrong("a time that is too far from ours");
  const signed = Buffer.concat([Buffer.from(`${timestamp}\n${nonce}\n`), body, Buffer.from("\n")]);
  if (!verify("sha256", signed, key, Buffer.from(signature, "base64"))) return wrong("wrong signature");
  return { right: true };
}
