/** The check character of the unified social credit code, by codes that are in use and by its own law. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkCharacter, isCreditCode } from "#shared/people/invoices/tax-id.ts";

const alphabet = "0123456789ABCDEFGHJKLMNPQRTUWXY";
const character = fc.constantFrom(...alphabet);
const body = fc
  .tuple(
    fc.string({ unit: character, minLength: 2, maxLength: 2 }),
    fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 6, maxLength: 6 }),
    fc.string({ unit: character, minLength: 9, maxLength: 9 }),
  )
  .map((parts) => parts.join(""));

describe("a code", () => {
  // Codes that these companies publish.
  test.each(["9144030071526726XG", "91330100799655058B", "91110000802100433B", "914403001922038216"])(
    "%s is right",
    (code) => expect(isCreditCode(code)).toBe(true),
  );

  test.each([
    ["a wrong last character", "9144030071526726XH"],
    ["two digits swapped", "9144030017526726XG"],
    ["small letters", "9144030071526726xg"],
    ["a letter that no code has", "9144030071526726IG"],
    ["an older id of 15 digits", "440300715267265"],
    ["17 characters", "9144030071526726X"],
    ["19 characters", "9144030071526726XG0"],
    ["wide digits", "９144030071526726XG"],
    ["letters in the place of the region", "91A4030071526726XG"],
    ["nothing", ""],
  ])("with %s is wrong", (_, code) => expect(isCreditCode(code)).toBe(false));

  test("has exactly one last character that is right", () => {
    fc.assert(
      fc.property(body, (first) => {
        const right = [...alphabet].filter((last) => isCreditCode(first + last));
        expect(right).toEqual([checkCharacter(first)]);
      }),
      { seed: 16, numRuns: 300 },
    );
  });

  test("is wrong with any one character changed, and with any two different neighbours swapped", () => {
    fc.assert(
      fc.property(body, fc.nat(17), character, (first, at, other) => {
        const code = first + checkCharacter(first);
        const changed = code.slice(0, at) + other + code.slice(at + 1);
        if (changed !== code) expect(isCreditCode(changed)).toBe(false);
        const [a = "", b = ""] = [code[at], code[at + 1]];
        const swapped = code.slice(0, at) + b + a + code.slice(at + 2);
        if (a !== b && b !== "") expect(isCreditCode(swapped)).toBe(false);
      }),
      { seed: 16, numRuns: 500 },
    );
  });
});
