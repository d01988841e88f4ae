/** The form of keys: what is looked for in the table, and what is refused before. */
import { expect, test } from "vitest";
import { hasKeyForm, newApiKey } from "#shared/base/platform/api-key.ts";

test.each(["payg", "subscription"] as const)(
  "a new %s key has it, and no key that differs in one character",
  (mode) => {
    for (let round = 0; round < 20; round++) {
      const { secret, last_four } = newApiKey(mode);
      expect([hasKeyForm(secret), secret.endsWith(last_four)]).toEqual([true, true]);
      // The prefix may become no prefix; all else is found by the checksum.
      for (let at = 0; at < secret.length; at++) {
        const other = secret[at] === "A" ? "B" : "A";
        expect(hasKeyForm(secret.slice(0, at) + other + secret.slice(at + 1)), `${at}`).toBe(false);
      }
      expect(hasKeyForm(secret.slice(0, -1))).toBe(false);
      expect(hasKeyForm(`${secret}A`)).toBe(false);
    }
  },
);

test("a key from before there were checksums has it, and so has whatever stands behind sk_live_", () => {
  for (let round = 0; round < 20; round++)
    expect(hasKeyForm(newApiKey("payg").secret.slice(0, -6))).toBe(true);
  expect(hasKeyForm("sk_live_1")).toBe(true);
});

test.each(["", "abc", "sk-", "sk-payg-", "sk-sub-x", "sk-live-1", "pk_live_1", "SK-PAYG-"])(
  "%j has not",
  (text) => {
    expect(hasKeyForm(text)).toBe(false);
  },
);
