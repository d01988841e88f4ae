/** Sketches of embeddings: how far apart they are, and that all processes make the same. */
import { describe, expect, test } from "vitest";
import { nearest } from "#shared/calls/cache/semantic/page.ts";
import { distance, sketchBytes, sketchOf } from "#shared/calls/cache/semantic/sketch.ts";
import { directions, mixed } from "./vectors.ts";

describe("a sketch", () => {
  test("is the same in every process, for whatever dimensions", () => {
    const sine = (length: number) => Array.from({ length }, (_, at) => Math.sin(at * at));
    const made = [8, 256, 1536].map((length) => sketchOf(sine(length)).toString("base64url"));
    expect(made).toEqual([
      "iQ8ODGtxdjPxjxP8b5cPOd8zZ9A7L8wG0PCfTJzQH_I",
      "UH23038b5pQ2hgPu62gUP4Zk5V0WXgtO0F5cbALgkdg",
      "4P_-EbuWdKp-VAcnXuTiDhFgcdQd9uCOoUdajQsYrew",
    ]);
  });

  test.each([8, 100, 256, 384, 1024, 1536, 3072])(
    "of %d dimensions follows the angle of two vectors",
    (dimensions) => {
      const random = directions(dimensions, 7);
      for (const cosine of [1, 0.95, 0.8, 0.5, 0, -0.5]) {
        let sum = 0;
        const rounds = 40;
        for (let round = 0; round < rounds; round++) {
          const one = random();
          sum += distance(sketchOf(one), sketchOf(mixed(one, random(), cosine)));
        }
        // The mean of 40 has a deviation of at most 8 / √40 bits, and few dimensions vary more.
        const expected = (256 * Math.acos(cosine)) / Math.PI;
        expect(Math.abs(sum / rounds - expected)).toBeLessThan(dimensions < 100 ? 14 : 5);
      }
    },
  );

  test("does not depend on the length of the vector, however small or large", () => {
    const vector = directions(384, 3)();
    for (const factor of [1e-300, 1e-3, 1, 1e300]) {
      expect(sketchOf(vector.map((value) => value * factor))).toEqual(sketchOf(vector));
    }
  });

  test("sees a vector whose weight stands in one component", () => {
    const peak = (at: number) => Array.from({ length: 1536 }, (_, each) => (each === at ? 1 : 0));
    const sketches = [0, 1, 2, 700, 1535].map((at) => sketchOf(peak(at)));
    for (const [at, one] of sketches.entries()) {
      for (const other of sketches.slice(at + 1)) expect(distance(one, other)).toBeGreaterThan(80);
    }
  });

  test.each([
    ["too few dimensions", [1, 2, 3, 4, 5, 6, 7]],
    ["no direction", new Array(8).fill(0)],
    ["a component that is no number", [1, 2, 3, 4, 5, 6, 7, Number.NaN]],
    ["an endless component", [1, 2, 3, 4, 5, 6, 7, Number.POSITIVE_INFINITY]],
  ])("is refused to a vector with %s", (_, vector) => {
    expect(() => sketchOf(vector)).toThrow(RangeError);
  });

  test("has the true neighbour among the best eight of 512, at a cosine of 0.8", () => {
    const random = directions(1536, 11);
    const kept = Array.from({ length: 512 }, () => random());
    const records = kept.map((vector, at) => ({ name: String(at), sketch: sketchOf(vector), until: 1 }));
    for (let at = 0; at < 80; at++) {
      const asked = sketchOf(mixed(kept[at] ?? [], random(), 0.8));
      expect(nearest(records, asked, 0).map(({ name }) => name)).toContain(String(at));
    }
  });
});

test("the distance counts bits, and only of sketches", () => {
  const zeros = Buffer.alloc(sketchBytes);
  expect(distance(zeros, zeros)).toBe(0);
  expect(distance(zeros, Buffer.alloc(sketchBytes, 255))).toBe(256);
  expect(distance(zeros, Buffer.from([...zeros.subarray(1), 0b1010_0001]))).toBe(3);
  expect(() => distance(zeros, Buffer.alloc(sketchBytes - 1))).toThrow(RangeError);
});
