/** A strict stream that comes to the end of its key's budget names that in its last frame, in every protocol. */
import { expect, test } from "vitest";
import { framesIn, type Speech, speeches, useCrossed } from "#test/support/crossed.ts";
import { stopAfter, unfinished } from "#test/support/unfinished.ts";

const crossed = useCrossed();
const message = "The key's budget of 1 points per day (UTC) does not cover the next part of the answer.";
const lastWords: Record<Speech, string> = {
  openai: "Par",
  anthropic: "Par",
  gemini: "END",
  responses: "Par",
};

test.each(speeches)("for a client of %s", async (speech) => {
  const { onChunk } = stopAfter(crossed, speech, unfinished[speech], lastWords[speech], message);
  const most = speech === "anthropic" ? { max_tokens: 8_192 } : {};
  const reply = await crossed.ask(speech, speech, most, true, onChunk);
  const last = framesIn(reply.text).at(-1);
  expect(last).toMatchObject({ error: { message } });
  expect(crossed.memory.events).toMatchObject([{ outcome: "truncated" }]);
});
