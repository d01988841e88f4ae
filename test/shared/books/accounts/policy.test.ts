/** The laws of policies: patterns, ranges of addresses, and what is within what. */
import { BlockList, isIPv6 } from "node:net";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  addressBytes,
  isInRange,
  isRangeWithin,
  rangeOf,
  rangeText,
} from "#shared/books/accounts/address-range.ts";
import { covers, patternOf } from "#shared/books/accounts/pattern.ts";
import {
  type ListRule,
  type Policy,
  type PolicyRuleName,
  policyRows,
  policyText,
  ruleBeyond,
} from "#shared/books/accounts/policy.ts";
import { readPolicy } from "#shared/edges/api/policy-request.ts";

const pattern = fc.string({ unit: fc.constantFrom("a", "b", "*"), maxLength: 8 });
const text = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 12 });
/** The same by a regular expression, whose time is not bounded. */
const slowly = (own: string) => new RegExp(`^${own.replaceAll("*", ".*")}$`);

describe("a pattern", () => {
  test("has the texts that a regular expression finds", () => {
    fc.assert(
      fc.property(pattern, text, (own, given) => patternOf(own)(given) === slowly(own).test(given)),
      { seed: 32, numRuns: 20_000 },
    );
  });

  test("covers no other one that has a text which it has not", () => {
    fc.assert(
      fc.property(pattern, pattern, text, (wide, narrow, given) => {
        fc.pre(covers(wide, narrow) && patternOf(narrow)(given));
        return patternOf(wide)(given);
      }),
      { seed: 32, numRuns: 500 },
    );
    expect([covers("a*", "ab*"), covers("a*", "a*"), covers("*", "a"), covers("ab*", "a*")]).toEqual([
      ...[true, true, true],
      false,
    ]);
  });

  test("of many stars is matched at once", () => {
    const slow = patternOf(`${"a*".repeat(2_000)}b`);
    const started = performance.now();
    expect(slow("a".repeat(100_000))).toBe(false);
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});

describe("a range of addresses", () => {
  const four = fc.ipV4();
  const six = fc.ipV6();
  const masked = (address: string, bits: number): string => {
    const bytes = [...(addressBytes(address) ?? [])];
    const kept = bytes.map((byte, at) => {
      const left = Math.min(8, Math.max(0, bits - at * 8));
      return byte & ((255 << (8 - left)) & 255);
    });
    return rangeText({ first: kept, bits: Math.min(bits, bytes.length * 8) });
  };

  test.each([
    ["IPv4", four, 32, "ipv4"],
    ["IPv6", six, 128, "ipv6"],
  ] as const)("of %s has what Node's own list has", (_, addresses, most, family) => {
    fc.assert(
      fc.property(
        addresses,
        addresses,
        fc.integer({ min: 0, max: most }),
        fc.boolean(),
        (base, other, bits, near) => {
          const [a, b] = [addressBytes(base) ?? [], addressBytes(other) ?? []];
          fc.pre(a.length * 8 === most && b.length * 8 === most);
          const range = rangeOf(masked(base, bits));
          if (!range) throw new Error("no range");
          const list = new BlockList();
          list.addSubnet(base, bits, family);
          const asked = near ? base : other;
          return isInRange(range, near ? a : b) === list.check(asked, family);
        },
      ),
      { seed: 32, numRuns: 3_000 },
    );
  });

  test("is within one that has all of its addresses, and is read as it is written", () => {
    fc.assert(
      fc.property(
        four,
        fc.integer({ min: 0, max: 32 }),
        fc.integer({ min: 0, max: 32 }),
        (base, one, other) => {
          const [a, b] = [rangeOf(masked(base, one)), rangeOf(masked(base, other))];
          return a !== undefined && b !== undefined && isRangeWithin(a, b) === one >= other;
        },
      ),
      { seed: 32 },
    );
    fc.assert(
      fc.property(fc.oneof(four, six), fc.integer({ min: 0, max: 128 }), (base, bits) => {
        const written = masked(base, bits);
        const read = rangeOf(written);
        return read !== undefined && rangeText(read) === written;
      }),
      { seed: 32 },
    );
  });

  test.each([
    ["::FFFF:10.0.0.0/104", "10.0.0.0/8"],
    ["::ffff:10.1.2.3", "10.1.2.3"],
    ["2001:DB8:0:0::/32", "2001:db8::/32"],
    ["203.0.113.7/32", "203.0.113.7"],
    ["::/0", "::/0"],
  ])("%s is read as %s", (given, must) => {
    const range = rangeOf(given);
    expect(range && rangeText(range)).toBe(must);
  });

  test.each([
    "10.0.0.1/8",
    "10.0.0.0/33",
    "10.0.0.0/08",
    "10.0.0.0/",
    "10.0.0/8",
    "2001:db8::1/32",
    "::/129",
    "fe80::1%eth0",
    "::ffff:10.0.0.0/8",
    "010.0.0.1",
    "a",
    "",
  ])("%j is none", (given) => {
    expect(rangeOf(given)).toBeUndefined();
  });

  test("of IPv6 has no IPv4 address, and IPv4 in the form of IPv6 is IPv4", () => {
    const [all, ten] = [rangeOf("::/0"), rangeOf("10.0.0.0/8")];
    const mapped = addressBytes("::ffff:10.1.2.3");
    if (!all || !ten || !mapped) throw new Error("not read");
    expect([isInRange(all, mapped), isInRange(ten, mapped), isIPv6("::ffff:10.1.2.3")]).toEqual([
      ...[false, true],
      true,
    ]);
  });
});

describe("a policy", () => {
  test("is within itself, and beyond one that forbids what it leaves open", () => {
    const whole = Object.fromEntries(policyRows.map(([name, { example }]) => [name, example])) as Policy;
    expect(ruleBeyond(whole, whole)).toBeUndefined();
    expect(ruleBeyond(whole, undefined)).toBeUndefined();
    for (const [name, rule] of policyRows) {
      const { [name]: _, ...others } = whole;
      expect(ruleBeyond(others, whole), name).toBe(rule.forbids ? name : undefined);
      expect(ruleBeyond(whole, others), name).toBeUndefined();
    }
  });

  test.each<[PolicyRuleName, Policy[PolicyRuleName], Policy[PolicyRuleName]]>([
    ["models", ["openai/*"], ["openai/gpt*", "anthropic/claude"]],
    ["models", ["gpt-5.4*"], ["gpt-5*"]],
    ["providers", ["azure-*"], ["*"]],
    ["addresses", ["10.0.0.0/16"], ["10.0.0.0/8"]],
    ["max_output_tokens", 100, 101],
    ["switches", ["tool:*"], ["speed:fast"]],
    ["switches", [], ["tool:a"]],
  ])("%s of %j is beyond by %j", (name, bound, own) => {
    expect(ruleBeyond({ [name]: own }, { [name]: bound })).toBe(name);
  });

  test("is read by the table of its rules, and read again as the same", () => {
    const whole = Object.fromEntries(policyRows.map(([name, { example }]) => [name, example]));
    const read = readPolicy(whole);
    expect(read).toEqual(whole);
    expect(readPolicy(JSON.parse(JSON.stringify(read)))).toEqual(read);
    expect(policyText(read)).toContain("max_output_tokens=4096");
    expect(readPolicy({ addresses: ["2001:DB8::/32", "2001:db8:0::/32"] })).toEqual({
      addresses: ["2001:db8::/32"],
    });
    for (const nothing of [null, undefined, {}, { models: null }])
      expect(readPolicy(nothing)).toBeUndefined();
  });

  test.each<[string, unknown]>([
    ["policy", []],
    ["policy", "models"],
    ["policy.colour", { colour: ["red"] }],
    ["policy.__proto__", JSON.parse('{"__proto__":["a"]}')],
    ["policy.models", { models: "openai/*" }],
    ["policy.models", { models: [] }],
    ["policy.models[1]", { models: ["a", "b c"] }],
    ["policy.models[0]", { models: [1] }],
    ["policy.models", { models: Array.from({ length: 51 }, (_, at) => `m${at}`) }],
    ["policy.providers[0]", { providers: ["Open AI"] }],
    ["policy.addresses[0]", { addresses: ["10.0.0.1/8"] }],
    ["policy.max_output_tokens", { max_output_tokens: 15 }],
    ["policy.max_output_tokens", { max_output_tokens: 1.5 }],
    ["policy.max_output_tokens", { max_output_tokens: "100" }],
    ["policy.switches[0]", { switches: ["web_search"] }],
    ["policy.aliases[0]", { aliases: ["claude-haiku-*"] }],
    ["policy.aliases[0]", { aliases: ["a=b*"] }],
    ["policy.fallbacks[0]", { fallbacks: ["a*"] }],
    ["policy", { models: Array.from({ length: 40 }, (_, at) => `${at}`.padEnd(60, "m")) }],
  ])("is refused for its %s: %j", (name, value) => {
    expect(() => readPolicy(value)).toThrow(`\`${name}\` must be `);
  });

  test("fits patterns of the schema with what is read, on every example", () => {
    for (const [name, rule] of policyRows) {
      if (rule.kind === "number") continue;
      const { example, pattern: form, read }: ListRule = rule;
      for (const each of example)
        expect([name, read(each), new RegExp(form).test(each)]).toEqual([name, each, true]);
    }
  });
});
