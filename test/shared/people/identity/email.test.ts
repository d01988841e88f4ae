/** E-mail addresses: good and bad ones, two spellings of one, and injected text. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mailboxOf, maskEmail, readEmail } from "#shared/people/identity/email.ts";

describe("an address", () => {
  test.each([
    ["ann@example.com", "ann@example.com"],
    [" Ann.Lee@EXAMPLE.Com\n", "ann.lee@example.com"],
    ["ann+tag@example.com", "ann+tag@example.com"],
    ["a@b.cd", "a@b.cd"],
    ["o'brien_{x}=y@mail.example.co.uk", "o'brien_{x}=y@mail.example.co.uk"],
    ["ann@müller.example", "ann@xn--mller-kva.example"],
    ["ann@MÜLLER.example", "ann@xn--mller-kva.example"],
    ["ann@例子.测试", "ann@xn--fsqu00a.xn--0zwm56d"],
    ["ann@xn--fsqu00a.xn--0zwm56d", "ann@xn--fsqu00a.xn--0zwm56d"],
    [`${"a".repeat(64)}@example.com`, `${"a".repeat(64)}@example.com`],
    [`a@${"b".repeat(63)}.example`, `a@${"b".repeat(63)}.example`],
  ])("%j is %s", (text, address) => {
    expect(readEmail(text)).toBe(address);
  });

  test.each([
    "",
    "@",
    "ann",
    "ann@",
    "@example.com",
    "ann@localhost",
    "ann@@example.com",
    "ann@bob@example.com",
    ".ann@example.com",
    "ann.@example.com",
    "ann..lee@example.com",
    "ann lee@example.com",
    '"ann lee"@example.com',
    '"ann@bob"@example.com',
    "ann@example..com",
    "ann@.example.com",
    "ann@example.com.",
    "ann@-example.com",
    "ann@exa_mple.com",
    "ann@127.0.0.1",
    "ann@[127.0.0.1]",
    "ann@[IPv6:::1]",
    "ann@0x7f.1",
    "ann@1.2",
    "ann@example.com/evil.example",
    "ann@exa%6dple.com",
    "ann@example.com:25",
    "ann@example.com?x=y",
    "ann@example.com#x",
    "ann@example.com, bob@example.com",
    "ann@example.com;bob@example.com",
    "Ann <ann@example.com>",
    "<ann@example.com>",
    "mailto:ann@example.com",
    "ann@example.com\r\nBcc: bob@example.com",
    "ann\r\nBcc: bob@example.com@example.com",
    "ann\u0000@example.com",
    "ann\u200b@example.com",
    "аnn@example.com",
    "ünn@example.com",
    "ann＠example.com",
    `${"a".repeat(65)}@example.com`,
    `a@${"b".repeat(64)}.example`,
  ])("%j is refused", (text) => {
    expect(() => readEmail(text)).toThrow(/^`email` must be /);
  });

  test.each([
    ["of labels", `a@${"b.".repeat(130)}example`],
    ["of at signs", "a@".repeat(100_000)],
    ["of one letter", "a".repeat(1_000_000)],
  ])("that is long, made %s, is refused at once", (_, text) => {
    const began = performance.now();
    expect(() => readEmail(text)).toThrow(/^`email` must be /);
    expect(performance.now() - began).toBeLessThan(50);
  });

  test("that looks like another one by letters of another alphabet is another one, and is shown as such", () => {
    const [latin, cyrillic] = ["ann@apple.example", "ann@аpple.example"].map(readEmail);
    expect(cyrillic).toBe("ann@xn--pple-43d.example");
    expect(maskEmail(cyrillic ?? "")).toBe("a…@xn--pple-43d.example");
    expect(latin).not.toBe(cyrillic);
  });

  test("that is taken has nothing that a header of a mail could end with, and is read as itself again", () => {
    fc.assert(
      fc.property(fc.oneof(fc.emailAddress(), fc.string({ unit: "binary", maxLength: 60 })), (text) => {
        let address: string;
        try {
          address = readEmail(text);
        } catch {
          return;
        }
        expect(address).toMatch(/^[!-~]+$/);
        expect(address).not.toMatch(/[<>,;:"()[\]\\]/);
        expect(address.split("@")).toHaveLength(2);
        expect(address.length).toBeLessThanOrEqual(254);
        expect(readEmail(address)).toBe(address);
      }),
      { seed: 32, numRuns: 1_000 },
    );
  });
});

test("dots and what follows a plus make other people, of one mailbox", () => {
  const texts = ["ann.lee@example.com", "annlee@example.com", "annlee+x@example.com"];
  expect(new Set(texts.map(readEmail)).size).toBe(3);
  expect(new Set(texts.map(mailboxOf)).size).toBe(1);
});

test("what is shown of an address is its first character and its domain", () => {
  expect(maskEmail("ann.lee@example.com")).toBe("a…@example.com");
});
