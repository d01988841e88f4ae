/** Envelopes over the stand-in of KMS: for one context, and for nobody who lacks the root key. */
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startKms } from "#infra/local/emulators/kms.ts";
import { type Aws, createAws } from "#shared/base/platform/aws.ts";
import { seal, unseal } from "#shared/base/platform/envelope.ts";

const kmsKey = "arn:aws:kms:us-east-1:000000000000:key/own";
const text = "sk-a-key-of-a-customer";
const context = { organization: "org_1", provider: "openai" };
const parts = new AsyncDisposableStack();
let [aws, other] = [undefined as unknown as Aws, undefined as unknown as Aws];

async function open(): Promise<Aws> {
  const { url, stop } = await startKms(randomBytes(32));
  parts.defer(stop);
  const credentials = () => ({ accessKeyId: "test", secretAccessKey: "test" });
  return createAws({
    region: "us-east-1",
    credentials,
    endpoints: { kms: url },
    attemptsMax: 1,
    timeoutMs: 5_000,
  });
}

beforeAll(async () => {
  [aws, other] = [await open(), await open()];
});
afterAll(() => parts.disposeAsync());

test("a text comes back, and no part of it is seen in its envelope", async () => {
  const sealed = await seal(aws, kmsKey, text, context);
  expect(await unseal(aws, sealed, { provider: "openai", organization: "org_1" })).toBe(text);
  const bytes = sealed.split(".").map((part) => Buffer.from(part, "base64url").toString("latin1"));
  for (const seen of [sealed, ...bytes]) expect(seen).not.toContain("sk-a-key");
  expect(await seal(aws, kmsKey, text, context)).not.toBe(sealed);
});

test("an envelope opens for its organization and provider alone", async () => {
  const sealed = await seal(aws, kmsKey, text, context);
  for (const wrong of [
    { ...context, organization: "org_2" },
    { ...context, provider: "zhipu" },
  ])
    await expect(unseal(aws, sealed, wrong)).rejects.toThrow("InvalidCiphertextException");
  await expect(unseal(other, sealed, context)).rejects.toThrow("InvalidCiphertextException");
});

test("a box does not open under the data key of another one, nor where a bit differs", async () => {
  const [one, two] = [await seal(aws, kmsKey, text, context), await seal(aws, kmsKey, "another", context)];
  const mixed = `${one.split(".")[0]}.${two.split(".")[1]}`;
  await expect(unseal(aws, mixed, context)).rejects.toThrow();
  const box = Buffer.from(one.split(".")[1] ?? "", "base64url");
  box[box.length - 1] = (box.at(-1) ?? 0) ^ 1;
  await expect(unseal(aws, `${one.split(".")[0]}.${box.toString("base64url")}`, context)).rejects.toThrow();
});
