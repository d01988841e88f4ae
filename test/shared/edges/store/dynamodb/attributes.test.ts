/** Values as DynamoDB's attributes, and back. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { fromItem, toItem } from "#shared/edges/store/dynamodb/attributes.ts";

const name = fc.oneof(fc.constantFrom("__proto__", "constructor", "toString", "7"), fc.string());
const leaf = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.uint8Array().map((bytes) => Buffer.from(bytes)),
);
const { fields } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, leaf, fc.array(tie("value"), { maxLength: 4 }), tie("fields")),
  fields: fc.dictionary(name, tie("value"), { maxKeys: 5, noNullPrototype: true }),
}));

test("whatever stands in fields of any name comes back", () => {
  fc.assert(
    fc.property(fields, (given) => {
      const item = toItem(given as object);
      expect(Object.keys(item)).toEqual(Object.keys(given as object));
      expect(fromItem(item)).toEqual(given);
      expect(Object.getPrototypeOf(item)).toBe(Object.prototype);
    }),
  );
});

test("fields that are undefined are left out", () => {
  expect(toItem({ a: 1, b: undefined, c: { d: undefined } })).toEqual({ a: { N: "1" }, c: { M: {} } });
});

test("a provider's tool of any name keeps its count", () => {
  const calls = JSON.parse('{"__proto__":2,"search":1}') as object;
  const item = toItem({ calls });
  expect(JSON.stringify(item)).toBe('{"calls":{"M":{"__proto__":{"N":"2"},"search":{"N":"1"}}}}');
});
