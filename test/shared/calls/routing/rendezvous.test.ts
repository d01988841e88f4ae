/** Conversations and their channels: shares by weight, and nobody moves without a reason. */
import { describe, expect, test } from "vitest";
import { rankOf } from "#shared/calls/routing/rendezvous.ts";

interface Weighted {
  id: string;
  weight: number;
}

const conversations = Array.from({ length: 20_000 }, (_, at) => `conversation ${at}`);
const first = (conversation: string, channels: readonly Weighted[]): string => {
  const ranked = channels.map(({ id, weight }) => ({ id, rank: rankOf(conversation, id, weight) }));
  return ranked.reduce((best, each) => (each.rank > best.rank ? each : best)).id;
};
const channels = [
  { id: "aaaaaa", weight: 1 },
  { id: "bbbbbb", weight: 2 },
  { id: "cccccc", weight: 5 },
];

describe("the channel of a conversation", () => {
  test("is each channel's for its share of the weights", () => {
    const counts = new Map<string, number>();
    for (const each of conversations) {
      const id = first(each, channels);
      counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    for (const { id, weight } of channels) {
      expect((counts.get(id) ?? 0) / conversations.length).toBeCloseTo(weight / 8, 2);
    }
  });

  test("stays where another channel goes, and where one comes moves to that one only", () => {
    const [a, b, c] = channels as [Weighted, Weighted, Weighted];
    for (const each of conversations.slice(0, 2_000)) {
      const whole = first(each, [a, b, c]);
      const less = first(each, [a, b]);
      if (whole !== c.id) expect(less).toBe(whole);
    }
  });

  test("where a weight grows moves to that channel only", () => {
    const [a, b, c] = channels as [Weighted, Weighted, Weighted];
    for (const each of conversations.slice(0, 2_000)) {
      const before = first(each, [a, b, c]);
      const after = first(each, [{ ...a, weight: 3 }, b, c]);
      if (after !== a.id) expect(after).toBe(before);
    }
  });

  test("does not depend on the order in which the catalog names channels", () => {
    for (const each of conversations.slice(0, 500)) {
      expect(first(each, channels)).toBe(first(each, channels.toReversed()));
    }
  });

  test("is ranked by a finite number", () => {
    for (const each of conversations.slice(0, 2_000)) {
      for (const weight of [1e-9, 1, 1e9]) {
        const rank = rankOf(each, "aaaaaa", weight);
        expect(rank).toBeGreaterThan(0);
        expect(Number.isFinite(rank)).toBe(true);
      }
    }
  });
});
