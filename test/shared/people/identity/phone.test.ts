/** Phone numbers: which ones are taken, and that only the secret tells them again. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { keysOf } from "#shared/people/identity/identity-keys.ts";
import {
  lastFourOf,
  openPhone,
  phoneName,
  readCountries,
  readPhone,
  sealPhone,
} from "#shared/people/identity/phone.ts";
import { bothSecrets, firstSecret, keysFrom, secondSecret } from "#test/support/people.ts";

const countries = ["+86", "+1", "+49"];
const { current: first } = keysOf(firstSecret);
const { current: second } = keysOf(bothSecrets);

describe("reading a number", () => {
  test.each([
    ["+8613800138000", "+8613800138000", "+86"],
    ["+86 138-0013-8000", "+8613800138000", "+86"],
    [" +1 (415) 555.2671 ", "+14155552671", "+1"],
    ["+4915112345678", "+4915112345678", "+49"],
  ])("%j is %s of %s", (text, number, country) => {
    expect(readPhone(text, countries)).toEqual({ number, country });
  });

  test.each([
    "",
    "+",
    "13800138000",
    "008613800138000",
    "+86138001380001",
    "+861380013800",
    "+8612800138000",
    "+8601380013800",
    "+1555",
    "+11155552671",
    "+85291234567",
    "+8613800138000;ext=1",
    "+86１３８００１３８０００",
    "++8613800138000",
    "+86138001380００",
    `+${"1".repeat(400)}`,
  ])("%j is refused", (text) => {
    expect(() => readPhone(text, countries)).toThrow(/^`phone` must be /);
  });

  test("the same number in any writing is the same", () => {
    const digits = fc.stringMatching(/^1[3-9]\d{9}$/);
    const separators = fc.array(fc.constantFrom("", " ", "-", ".", "(", ")"), {
      minLength: 14,
      maxLength: 14,
    });
    fc.assert(
      fc.property(digits, separators, (national, marks) => {
        const number = `+86${national}`;
        const written = [...number].map((digit, at) => digit + (marks[at] ?? "")).join("");
        expect(readPhone(written, countries).number).toBe(number);
      }),
      { seed: 16 },
    );
  });
});

describe("the setting of countries", () => {
  test.each([
    [undefined, ["+86"]],
    ["", ["+86"]],
    ["+86", ["+86"]],
    ["+86, +852,+1", ["+86", "+852", "+1"]],
  ])("%j is %j", (setting, read) => {
    expect(readCountries(setting)).toEqual(read);
  });

  test.each(["86", "+0", "+86,", "+86;+1", "*", "+86000"])("%j is no list of calling codes", (setting) => {
    expect(() => readCountries(setting)).toThrow("is no calling code such as +86");
  });
});

describe("keeping a number", () => {
  const number = "+8613800138000";

  test("its name needs the secret and its version, and tells nothing else", () => {
    const names = [phoneName(number, first), phoneName(number, second), phoneName("+8613800138001", first)];
    expect(new Set(names).size).toBe(3);
    for (const name of names) expect(name).toMatch(/^[0-9a-f]{64}$/);
    expect(phoneName(number, first)).toBe(names[0]);
  });

  test("its box opens for the same user under the version that made it", async () => {
    const box = { id: "usr_1", ...sealPhone(number, "usr_1", first) };
    expect(await openPhone(box, keysFrom(firstSecret))).toBe(number);
    expect(await openPhone(box, keysFrom(bothSecrets))).toBe(number);
    expect(box.phone_box).not.toBe(sealPhone(number, "usr_1", first).phone_box);
    await expect(openPhone({ ...box, id: "usr_2" }, keysFrom(firstSecret))).rejects.toThrow();
    await expect(openPhone({ ...box, phone_version: 2 }, keysFrom(bothSecrets))).rejects.toThrow();
    await expect(openPhone(box, keysFrom(secondSecret))).rejects.toThrow(
      "the phone of usr_1 is under version 1, which is gone",
    );
  });

  test("what is shown of it is four digits", () => {
    expect(lastFourOf(number)).toBe("8000");
  });
});
