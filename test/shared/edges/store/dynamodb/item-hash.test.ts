/** The hash of an item: it tells what is said apart, and not how DynamoDB spells it. */
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import type { Item } from "#shared/edges/store/dynamodb/attributes.ts";
import { hashed, readHash } from "#shared/edges/store/dynamodb/item-hash.ts";

const hashOf = (item: Item) => hashed(item).hash;
const ofNumber = (N: string) => hashOf({ n: { N } });

test.each([
  ["integers beyond 2^53", "9007199254740992", "9007199254740993"],
  ["38 digits that differ in the last", `1${"0".repeat(36)}1`, `1${"0".repeat(36)}2`],
  ["fractions beyond 17 digits", "0.10000000000000000001", "0.1"],
  ["a sign", "-9007199254740993", "9007199254740993"],
  ["a power of ten", "90071992547409930", "9007199254740993"],
])("tells apart %s", (_, one, other) => {
  expect(ofNumber(one)).not.toBe(ofNumber(other));
});

test.each([
  // What JavaScript writes, and what DynamoDB gives back.
  ["1e+21", "1000000000000000000000"],
  ["1e-7", "0.0000001"],
  ["5", "5.00"],
  ["-0", "0"],
  [`1.5${"0".repeat(20)}`, "1.5"],
  ["12345678901234567890.50", "12345678901234567890.5"],
])("takes %s and %s for one number", (one, other) => {
  expect(ofNumber(one)).toBe(ofNumber(other));
});

test("of numbers that JavaScript holds it is what it was before all digits counted", () => {
  const numbers = [0, -1, 1_795_165_260_000, Number.MAX_SAFE_INTEGER, 0.1, 1 / 3, 1e21, 5e-324, -2.5e-8];
  for (const number of numbers) {
    const before = createHash("sha256").update(`{"n":${number}}`).digest().readBigUInt64BE();
    expect(ofNumber(String(number))).toBe(before);
  }
});

test("goes by names and values, and not by the order of a map", () => {
  const one = hashed({ a: { S: "x" }, b: { M: { c: { N: "1" }, d: { NULL: true } } } });
  const { h, a, b } = one.item;
  expect(readHash({ h, b: { M: { d: { NULL: true }, c: { N: "1.0" } } }, a } as Item).isRight).toBe(true);
  expect(readHash({ h, a, b: { M: { c: { N: "2" }, d: { NULL: true } } } } as Item).isRight).toBe(false);
  expect(readHash({ a, b } as Item)).toMatchObject({ isRight: true });
});
