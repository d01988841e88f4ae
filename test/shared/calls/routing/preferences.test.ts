/** A caller's wishes for channels: what is understood, and what is refused. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { GatewayError } from "#shared/base/errors.ts";
import { type Preferences, readPreferences } from "#shared/calls/routing/preferences.ts";

const refusalOf = (value: string): GatewayError | undefined => {
  try {
    readPreferences(value);
    return undefined;
  } catch (error) {
    return error as GatewayError;
  }
};

describe("preferences", () => {
  test.each<[string | undefined, Preferences | undefined]>([
    [undefined, undefined],
    ["", undefined],
    ["  ", undefined],
    [";", {}],
    ["sort=latency", { sort: "latency" }],
    ["sort=price", { sort: "price" }],
    [" sort = throughput ; ", { sort: "throughput" }],
    ["only=acme", { only: ["acme"] }],
    ["only=acme, globex;ignore=initech", { only: ["acme", "globex"], ignore: ["initech"] }],
    ["order=b-2,a_1;fallbacks=off", { order: ["b-2", "a_1"], fallbacks: "off" }],
    ["fallbacks=on", { fallbacks: "on" }],
  ])("%j", (value, preferences) => {
    expect(readPreferences(value)).toEqual(preferences);
  });

  test.each([
    "sort",
    "sort=",
    "sort=fun",
    "sort=latency,throughput",
    "sort=latency;sort=latency",
    "fallbacks=no",
    "only=",
    "only=,acme",
    "only=Acme",
    "only=https://acme.example",
    "only=acme\r\nx: y",
    "max_price=3",
    "__proto__=a",
    "constructor=a",
    "toString=a",
    "only=a=b",
    "smart",
    "SORT=latency",
    `only=${Array.from({ length: 21 }, () => "a").join(",")}`,
    `ignore=${"a".repeat(1_100)}`,
  ])("are refused: %j", (value) => {
    expect(refusalOf(value)).toMatchObject({ key: "invalid_request", detail: { param: "x-gateway-route" } });
  });

  test("are refused with the name of the header and all that is allowed, and without what was sent", () => {
    const { message } = refusalOf("sort=<script>") as GatewayError;
    for (const word of [
      "x-gateway-route",
      "sort=latency|throughput",
      "only=",
      "order=",
      "ignore=",
      "fallbacks=off|on",
    ]) {
      expect(message).toContain(word);
    }
    expect(message).not.toContain("script");
  });

  test("are either understood or refused, whatever was sent", () => {
    const word = fc.constantFrom(
      "sort",
      "only",
      "order",
      "ignore",
      "fallbacks",
      "=",
      ";",
      ",",
      "a",
      "latency",
      "off",
      " ",
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(word, fc.string({ maxLength: 3 })), { maxLength: 12 }), (words) => {
        const error = refusalOf(words.join(""));
        if (error !== undefined) expect(error).toBeInstanceOf(GatewayError);
      }),
      { seed: 20261122, numRuns: 500 },
    );
  });
});
