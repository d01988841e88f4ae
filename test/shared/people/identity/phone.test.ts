/** Phone numbers: which ones are taken, and what of them is shown. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lastFourOf, rangeOf, readCountries, readPhone } from "#shared/people/identity/phone.ts";

const countries = ["+86", "+1", "+49"];

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

test("what is shown of a number is four digits, and a range is all but them", () => {
  expect([lastFourOf("+8613800138000"), rangeOf("+8613800138000")]).toEqual(["8000", "+861380013"]);
});
