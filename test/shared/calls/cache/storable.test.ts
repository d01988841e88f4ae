/** Which answers are kept, by what the client was given. */
import { describe, expect, test } from "vitest";
import { bounds } from "#shared/calls/cache/bounds.ts";
import { storableReply } from "#shared/calls/cache/storable.ts";
import type { CrossingName } from "#shared/calls/protocols/crossing.ts";
import { streamAnswers, streamEnd, wholeAnswers } from "#test/support/answers.ts";
import { plainAnswers, plainStream } from "#test/support/cached.ts";
import { framesOf, type Speech, speeches } from "#test/support/crossed.ts";
import { crossings } from "#test/support/crossings.ts";

type Json = Record<string, unknown>;

const names: Record<Speech, CrossingName> = {
  openai: "openai-chat",
  anthropic: "anthropic",
  gemini: "gemini",
  responses: "openai-responses",
};
const form = (speech: Speech) => ({ name: names[speech], crossing: crossings[names[speech]] });
const whole = (speech: Speech, answer: Json) =>
  storableReply(form(speech), Buffer.from(JSON.stringify(answer)), false);

describe.each(speeches)("%s", (speech) => {
  const parts = [{ type: "text", text: "Hi there" }];

  test("a plain answer is kept, whole or streamed", () => {
    expect(whole(speech, plainAnswers[speech])).toEqual({ parts, stop_reason: "stop" });
    const stream = Buffer.from(plainStream(speech));
    expect(storableReply(form(speech), stream, true)).toEqual({ parts, stop_reason: "stop" });
  });

  test("a stream without its end is not", () => {
    const frames = plainStream(speech).split("\n\n");
    for (let left = 1; left < frames.length - (speech === "openai" ? 3 : 1); left++) {
      const stream = Buffer.from(`${frames.slice(0, left).join("\n\n")}\n\n`);
      expect(storableReply(form(speech), stream, true)).toBeUndefined();
    }
  });

  test("an answer that calls a tool, or is signed, is not", () => {
    expect(whole(speech, wholeAnswers[speech])).toBeUndefined();
    const stream = framesOf(speech, streamAnswers[speech]).join("") + streamEnd[speech];
    expect(storableReply(form(speech), Buffer.from(stream), true)).toBeUndefined();
  });

  test("an error in a 200, garbage and nothing are not", () => {
    for (const text of ['{"error":{"message":"no"}}', "<html>", "", "{}", "[]"]) {
      expect(storableReply(form(speech), Buffer.from(text), false)).toBeUndefined();
      expect(storableReply(form(speech), Buffer.from(`data: ${text}\n\n`), true)).toBeUndefined();
    }
  });

  test("an answer with a member that nobody knows is not", () => {
    const inside = { ...plainAnswers[speech], grounding: { source: "https://a.example" } };
    expect(whole(speech, inside)).toBeUndefined();
    expect(whole(speech, { ...plainAnswers[speech], grounding: {}, other: null, more: [] })).toBeDefined();
  });
});

const choice = (change: Json): Json => ({
  ...plainAnswers.openai,
  choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop", ...change }],
});
const said = (message: Json): Json => choice({ message: { role: "assistant", content: "Hi", ...message } });
const message = (change: Json): Json => ({ ...plainAnswers.anthropic, ...change });
const [item] = plainAnswers.responses.output as Json[];

test.each([
  ["cut at its length", "openai", choice({ finish_reason: "length" })],
  ["filtered", "openai", choice({ finish_reason: "content_filter" })],
  ["without an end", "openai", choice({ finish_reason: null })],
  ["refused", "openai", said({ content: null, refusal: "No." })],
  ["empty", "openai", said({ content: "" })],
  ["blank", "openai", said({ content: " \n" })],
  ["with citations", "openai", said({ annotations: [{ type: "url_citation" }] })],
  ["with sound", "openai", said({ audio: { id: "a" } })],
  ["with probabilities", "openai", choice({ logprobs: { content: [{ token: "Hi" }] } })],
  ["of two", "openai", { ...plainAnswers.openai, choices: [choice({}), choice({})] }],
  ["of the second choice", "openai", choice({ index: 1 })],
  ["too long", "openai", said({ content: "x".repeat(bounds.answerBytesMax) })],
  ["cut at its length", "anthropic", message({ stop_reason: "max_tokens" })],
  ["refused", "anthropic", message({ stop_reason: "refusal" })],
  ["paused", "anthropic", message({ stop_reason: "pause_turn" })],
  [
    "with citations",
    "anthropic",
    message({ content: [{ type: "text", text: "Hi", citations: [{ type: "x" }] }] }),
  ],
  ["cut at its length", "responses", { ...plainAnswers.responses, status: "incomplete" }],
  [
    "with citations",
    "responses",
    {
      ...plainAnswers.responses,
      output: [
        { ...item, content: [{ type: "output_text", text: "Hi", annotations: [{ type: "url_citation" }] }] },
      ],
    },
  ],
] as [string, Speech, Json][])("an answer %s is not kept (%s)", (_, speech, answer) => {
  expect(whole(speech, answer)).toBeUndefined();
});

test("an answer at a stop sequence is kept with it", () => {
  const answer = message({ stop_reason: "stop_sequence", stop_sequence: "END" });
  expect(whole("anthropic", answer)).toMatchObject({ stop_reason: "stop", stop_sequence: "END" });
});

test("reasoning that nobody signed is kept", () => {
  expect(whole("openai", said({ reasoning_content: "Hm." }))?.parts).toEqual([
    { type: "reasoning", text: "Hm." },
    { type: "text", text: "Hi" },
  ]);
});
