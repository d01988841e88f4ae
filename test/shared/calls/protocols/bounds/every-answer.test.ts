/** What a provider answers is what the client's own SDK reads, in whatever legal form it comes (crossings.md). */
import fc from "fast-check";
import { afterAll, beforeAll, describe, test } from "vitest";
import { oldChatClient } from "#test/support/answered/chat-clients.ts";
import { answeredClients } from "#test/support/answered/clients.ts";
import { exchange, namesTold } from "#test/support/answered/exchanged.ts";
import { countsAlways, expectSeen, nothing } from "#test/support/answered/expected.ts";
import { hasOwnIds } from "#test/support/answered/gemini.ts";
import { anySaid, type Said, withFirstCall } from "#test/support/answered/said.ts";
import { serveAnswers } from "#test/support/answered/sdks.ts";
import { answeredVendors } from "#test/support/answered/vendors.ts";
import { pairs } from "#test/support/crossed-pairs.ts";

/** So many answers of each pair, half of them streamed. More are played with `CROSSINGS=100000`. */
const answers = Number(process.env.CROSSINGS ?? 80);
const numRuns = Math.ceil(answers / 2);

/** The bytes of these frames in reads of these lengths, over and over. */
function readsOf(frames: string[], lengths: number[]): Buffer[] {
  const bytes = Buffer.from(frames.join(""));
  const reads: Buffer[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const length = lengths[turn % lengths.length] ?? 1;
    reads.push(bytes.subarray(at, at + length));
    at += length;
  }
  return reads;
}

let stop: () => void;
beforeAll(() => {
  stop = serveAnswers();
});
afterAll(() => stop());

describe.each(pairs)("$provider.name answers $client.name", ({ client, provider }) => {
  const given = answeredClients[client.name];
  const vendor = answeredVendors[provider.name];
  const ownIds = (said: Said) => provider.name !== "gemini" || hasOwnIds(said);
  const ready = async () => {
    const exchanged = await exchange(client.name, provider.name, given.body);
    return { exchanged, names: [...namesTold(exchanged.sent), "stranger"] };
  };

  test("whole", { timeout: 3_600_000 }, async () => {
    const { exchanged, names } = await ready();
    await fc.assert(
      fc.asyncProperty(anySaid, async (any) => {
        const said = vendor.within(any, false);
        const seen = await given.whole(exchanged.whole(vendor.whole(said, names)));
        expectSeen(client.name, given, seen, said, ownIds(said));
      }),
      { seed: 29, numRuns },
    );
  });

  test("streamed", { timeout: 3_600_000 }, async () => {
    const { exchanged, names } = await ready();
    await fc.assert(
      fc.asyncProperty(anySaid, async (any) => {
        const said = vendor.within(any, true);
        const reads = readsOf(vendor.frames(said, names), said.odd.reads);
        const seen = await given.streamed(exchanged.streamed(reads));
        expectSeen(client.name, given, seen, said, ownIds(said));
      }),
      { seed: 30, numRuns },
    );
  });

  test("in a stream that breaks off: never as if it were whole", { timeout: 3_600_000 }, async () => {
    const { exchanged, names } = await ready();
    await fc.assert(
      fc.asyncProperty(anySaid, fc.nat(), async (any, nth) => {
        const said = vendor.within(any, true);
        const frames = vendor.frames(said, names);
        const kept = frames.slice(0, nth % frames.length);
        const { counts: _, ...rest } = said;
        const seen = await given
          .streamed(exchanged.streamed(readsOf(kept, said.odd.reads)))
          .catch(() => undefined);
        // The usage, and a frame that only ends, may be lost.
        if (seen) {
          const { counts: __, ...told } = seen;
          const none = countsAlways[client.name] ? { counts: nothing } : {};
          expectSeen(client.name, given, { ...told, ...none }, rest, ownIds(said));
        }
      }),
      { seed: 31, numRuns: Math.ceil(numRuns / 3) },
    );
  });
});

describe.each(pairs.filter(({ client }) => client.name === "openai-chat"))(
  "$provider.name answers a client with functions in place of tools",
  ({ client, provider }) => {
    const vendor = answeredVendors[provider.name];

    test.each([false, true])("the first call alone, streamed: %s", async (streamed) => {
      const exchanged = await exchange(client.name, provider.name, oldChatClient.body);
      const names = [...namesTold(exchanged.sent), "stranger"];
      await fc.assert(
        fc.asyncProperty(anySaid, async (any) => {
          const said = vendor.within(any, streamed);
          const seen = streamed
            ? await oldChatClient.streamed(
                exchanged.streamed(readsOf(vendor.frames(said, names), said.odd.reads)),
              )
            : await oldChatClient.whole(exchanged.whole(vendor.whole(said, names)));
          expectSeen(client.name, oldChatClient, seen, withFirstCall(said), false);
        }),
        { seed: 34, numRuns },
      );
    });
  },
);
