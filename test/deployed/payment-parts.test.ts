/** The channels as a function carries them: a part for each, which is loaded when the channel is first used. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleFunction } from "#infra/bundles/bundles.ts";
import { commonName } from "#infra/catalog/catalog-files.ts";
import { defaultCatalog } from "#infra/catalog/default-catalog.ts";
import type { PaymentPlatforms } from "#shared/people/payments/platform.ts";
import type { PlatformsDeps } from "#shared/people/payments/platforms.ts";
import { type Merchant, startMerchant } from "#test/support/merchant.ts";

const folder = mkdtempSync(join(tmpdir(), "payment-parts-"));
let merchant: Merchant;

beforeAll(async () => {
  const catalog = join(defaultCatalog, commonName);
  bundleFunction("shared/people/payments/platforms.ts", catalog, folder);
  merchant = await startMerchant();
});

afterAll(async () => {
  await merchant.stop();
  rmSync(folder, { recursive: true });
});

const partsWith = (text: string) =>
  readdirSync(folder).filter(
    (file) => file.endsWith(".cjs") && readFileSync(join(folder, file), "utf8").includes(text),
  );

test("the start has no channel, and each channel is one part", () => {
  const marks = ["alipay.trade.precreate", "/v3/pay/transactions/native", "payment_intent.latest_charge"];
  const parts = marks.map((mark) => partsWith(mark));
  expect(parts.map((files) => files.length)).toEqual([1, 1, 1]);
  expect(new Set(parts.flat()).size).toBe(3);
  expect(parts.flat()).not.toContain("index.cjs");
  // Alipay's package would bring an HTTP client of a megabyte, which we do not use.
  const sizes = parts.flat().map((file) => readFileSync(join(folder, file)).length);
  expect(Math.max(...sizes)).toBeLessThan(300_000);
});

test.each(["alipay", "wechat", "stripe"] as const)(
  "the part of %s does what its source does",
  async (channel) => {
    const { createPaymentPlatforms } = createRequire(import.meta.url)(join(folder, "index.cjs")) as {
      createPaymentPlatforms: (deps: PlatformsDeps) => PaymentPlatforms;
    };
    const platforms = createPaymentPlatforms({
      readSettings: async () => JSON.stringify(merchant.sandbox.settings),
      log: () => {},
    });
    const platform = await platforms.platform(channel);
    const order = merchant.order({
      currency: platform.currencies[0] ?? "",
      notify_url: merchant.notifyUrl(channel),
    });
    const opened = { ...order, ...(await platform.open(order)) };
    await merchant.sandbox.pay(order.id);
    expect(await platform.query(opened)).toMatchObject({ state: "paid", amount: order.amount });
    const { headers, body } = merchant.received.at(-1) ?? { headers: {}, body: Buffer.alloc(0) };
    expect(await platform.readNotice({ headers, body })).toMatchObject({ order: order.id, state: "paid" });
  },
);
