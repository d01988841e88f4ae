/**
 * Mutated answers of providers behind every crossing, seeded. The client gets a clean answer in its own protocol,
 * an error frame, or 50001. Every hold is settled once. An unhandled rejection fails the run.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { streamAnswers, streamEnd, wholeAnswers } from "#test/support/answers.ts";
import type { Answer } from "#test/support/call.ts";
import { framesIn, type Speech, speeches, streamed, useCrossed } from "#test/support/crossed.ts";
import { mutated } from "#test/support/mutation.ts";

type Json = Record<string, unknown>;

const crossed = useCrossed();
const pairs = speeches.flatMap((client) =>
  speeches.filter((provider) => provider !== client).map((provider) => [client, provider] as const),
);

/** The member that makes a whole body an answer of the protocol. */
const body: Record<Speech, string> = {
  openai: "choices",
  anthropic: "content",
  gemini: "candidates",
  responses: "output",
};

/** Whether the last value of a stream is the protocol's own end. */
const ends: Record<Speech, (last: Json, text: string) => boolean> = {
  openai: (_, text) => text.endsWith("data: [DONE]\n\n"),
  anthropic: (last) => last.type === "message_stop",
  gemini: (last) => typeof (last.candidates as Json[] | undefined)?.[0]?.finishReason === "string",
  responses: ({ type }) => type === "response.completed" || type === "response.incomplete",
};
const fails: Record<Speech, (last: Json) => boolean> = {
  openai: (last) => "error" in last,
  anthropic: ({ type }) => type === "error",
  gemini: (last) => "error" in last,
  responses: ({ type }) => type === "response.failed" || type === "error",
};

function expectAccounted(told: string): void {
  const { memory } = crossed;
  expect(
    memory.logs.filter(({ event }) => event === "internal"),
    told,
  ).toEqual([]);
  expect([memory.holds.length, memory.settled.length, memory.events.length], told).toEqual([1, 1, 1]);
  for (const count of Object.values(memory.events[0]?.usage ?? {})) {
    expect(Number.isSafeInteger(count) && count >= 0, told).toBe(true);
  }
}

function expectFailure(reply: Answer, told: string): void {
  expect(reply.status, told).toBe(500);
  expect(reply.text, told).toContain("The model's provider failed.");
}

describe.each(pairs)("%s from %s", (client, provider) => {
  test("whole", async () => {
    await fc.assert(
      fc.asyncProperty(mutated(wholeAnswers[provider]), async (answer) => {
        crossed.forget();
        crossed.upstream.on((_, response) =>
          response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer)),
        );
        const reply = await crossed.ask(client, provider);
        const told = `${reply.text.slice(0, 300)} from ${JSON.stringify(answer)}`;
        if (reply.status === 200) expect(Array.isArray(reply.json()[body[client]]), told).toBe(true);
        else expectFailure(reply, told);
        expectAccounted(told);
      }),
      { seed: 9, numRuns: 100 },
    );
  });

  test("streamed", async () => {
    await fc.assert(
      fc.asyncProperty(mutated(streamAnswers[provider]), async (frames) => {
        crossed.forget();
        crossed.upstream.on(streamed(provider, frames as Json[], streamEnd[provider]));
        const reply = await crossed.ask(client, provider, {}, true);
        const told = `${reply.text.slice(-300)} from ${JSON.stringify(frames)}`;
        if (reply.status === 200) {
          const last = framesIn(reply.text).at(-1) ?? {};
          expect(ends[client](last, reply.text) !== fails[client](last), told).toBe(true);
        } else expectFailure(reply, told);
        expectAccounted(told);
      }),
      { seed: 10, numRuns: 100 },
    );
  });
});
