/**
 * Channels whose platforms' keys the test has, so that it can sign what a platform would sign, and what it would not. Their
 * clock stands at `at`.
 */
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { expect } from "vitest";
import type { PaymentChannel } from "#shared/books/catalog/catalog.ts";
import { type Evidence, NoticeRefused, type NoticeRequest } from "#shared/people/payments/platform.ts";
import { createPaymentPlatforms } from "#shared/people/payments/platforms.ts";

/** Unix milliseconds. */
export const at = Date.UTC(2026, 10, 23, 8, 30);

const pair = () => generateKeyPairSync("rsa", { modulusLength: 2048 });
const pem = (key: KeyObject) =>
  String(key.export({ type: key.type === "private" ? "pkcs8" : "spki", format: "pem" }));

/** The platforms' keys, and those of somebody else. */
export const platformKeys = pair();
export const otherKeys = pair();

export const settings = {
  alipay: {
    app_id: "2021000000000001",
    seller_id: "2088000000000001",
    private_key: pem(otherKeys.privateKey),
    alipay_public_key: pem(platformKeys.publicKey),
  },
  wechat: {
    appid: "wx0000000000000001",
    mchid: "1900000001",
    serial_no: "AA",
    private_key: pem(otherKeys.privateKey),
    api_v3_key: "0123456789abcdef0123456789abcdef",
    public_keys: { PUB_KEY_ID_1: pem(platformKeys.publicKey) },
  },
  stripe: { secret_key: "sk_test_1", webhook_secret: "whsec_1", currencies: ["USD"] },
};

const platforms = createPaymentPlatforms({
  readSettings: async () => JSON.stringify(settings),
  log: () => {},
  now: () => at,
});

/** What a channel reads in a call. */
export async function read(channel: PaymentChannel, notice: NoticeRequest): Promise<Evidence | null> {
  return await (await platforms.platform(channel)).readNotice(notice);
}

/** Why a channel refuses a call, as the log would say it. */
export async function refusal(channel: PaymentChannel, notice: NoticeRequest): Promise<string> {
  const error = await read(channel, notice).then(
    (evidence) => `read as ${JSON.stringify(evidence)}`,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof NoticeRefused)) return String(error);
  expect(error.key).toBe("payment_signature");
  return error.probe ? `probe: ${error.reason}` : error.reason;
}

/** Our accounts at a platform. */
export async function accountsAt(channel: PaymentChannel): Promise<Readonly<Record<string, string>>> {
  return (await platforms.platform(channel)).accounts;
}
