/** What a provider keeps of a conversation stays the same from turn to turn, so that its cache is of use (crossings.md). */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { originOf } from "#shared/calls/chat/signature.ts";
import { bodyAt, conversation, type Kept, keptOf, turnCount } from "#test/shared/calls/exchange/growing.ts";
import { exchange } from "#test/support/answered/exchanged.ts";
import { pairs } from "#test/support/crossed-pairs.ts";

const origin = originOf({ provider: "test", model: "upstream" });

/** More are played with `CROSSINGS=1000`. */
const numRuns = Math.ceil(Number(process.env.CROSSINGS ?? 80) / 8);

describe.each(pairs)("$client.name to $provider.name", ({ client, provider }) => {
  test("the shared beginning is the same bytes in each of ten turns", { timeout: 3_600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(conversation, async (given) => {
        let before: Kept | undefined;
        for (let turn = 0; turn < turnCount; turn++) {
          const { sent } = await exchange(
            client.name,
            provider.name,
            bodyAt(client.name, given, turn, origin),
          );
          const now = keptOf(sent);
          if (before) {
            expect(now.atoms.slice(0, before.atoms.length)).toEqual(before.atoms);
            // The provider finds what the call before has written only where a point stands there again.
            if (provider.name === "anthropic") expect(now.points).toContain(before.points.at(-1));
          }
          expect(now.points.length > 0).toBe(provider.name === "anthropic");
          before = now;
        }
      }),
      { seed: 34, numRuns },
    );
  });
});
