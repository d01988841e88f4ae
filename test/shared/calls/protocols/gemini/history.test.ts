/**
 * The history of Google's chats over streams: the SDK keeps each chunk as a turn of its own. To every other
 * protocol an answer is one turn again, with its calls side by side and its thought whole beside its signature.
 */
import { expect, test } from "vitest";
import type { Fields } from "#shared/base/json/fields.ts";
import type { AssistantPart } from "#shared/calls/chat/request.ts";
import { restoreSignatures } from "#shared/calls/chat/signature.ts";
import { anthropicCrossing } from "#shared/calls/protocols/anthropic/crossing/index.ts";
import type { Crossing } from "#shared/calls/protocols/crossing.ts";
import { geminiCrossing } from "#shared/calls/protocols/gemini/crossing/index.ts";
import { openaiChatCrossing } from "#shared/calls/protocols/openai-chat/crossing/index.ts";
import { framesIn } from "#test/support/crossed.ts";
import { eventsOf } from "#test/support/neutral.ts";
import { origin, taggedEvents } from "#test/support/signatures.ts";

type Candidate = { content: Fields };

/** What a provider is sent when every chunk of an answer comes back, with the results of its calls. */
function sentBack(provider: Crossing, parts: AssistantPart[]): Fields[] {
  const encoder = geminiCrossing.createEncoder({ model: "m", request: {}, hide_usage: false });
  const answer = { id: "r", created: 1, parts, stop_reason: "tool_calls" as const };
  const events = taggedEvents(eventsOf(answer, 1, false));
  const stream = Buffer.concat(events.flatMap((event) => encoder.push(event)));
  const turns = framesIn(stream.toString()).map((chunk) => (chunk.candidates as [Candidate])[0].content);
  const results = parts.flatMap((part) =>
    part.type === "tool_call"
      ? [{ functionResponse: { id: part.id, name: part.name, response: { output: "ok" } } }]
      : [],
  );
  const contents = [{ parts: [{ text: "Go" }] }, ...turns, { parts: results }];
  const { request } = geminiCrossing.decodeRequest({ contents });
  const { messages } = restoreSignatures(request.messages, origin);
  const restored = { ...request, messages };
  const { body } = provider.encodeRequest(restored, { model: "upstream", output_tokens: 8_192 });
  return body.messages as Fields[];
}

const calls = ["a", "b"].map((id) => ({ type: "tool_call" as const, id, name: "now", arguments: "{}" }));
const thought = { type: "reasoning" as const, text: "Hm.", signature: "c2ln" };
const said = { type: "text" as const, text: "Hi." };
const signed = { type: "thinking", thinking: "Hm.", signature: "c2ln" };

test("OpenAI chat: one answer with both calls, then their results", () => {
  const [, answer, ...results] = sentBack(openaiChatCrossing, [said, ...calls]);
  expect(answer).toMatchObject({ role: "assistant", content: "Hi.", tool_calls: [{ id: "a" }, { id: "b" }] });
  expect(results).toMatchObject([{ tool_call_id: "a" }, { tool_call_id: "b" }]);
});

test("Anthropic: the thought as it was signed", () => {
  const [, answer] = sentBack(anthropicCrossing, [thought, said, ...calls]);
  expect(answer).toMatchObject({
    content: [signed, said, { type: "tool_use", id: "a" }, { type: "tool_use", id: "b" }],
  });
});

test("Anthropic: what was signed apart stays apart", () => {
  const redacted = { type: "reasoning" as const, text: "", signature: "eA==", redacted: true as const };
  const [, answer] = sentBack(anthropicCrossing, [thought, redacted, thought, said]);
  expect(answer).toMatchObject({
    content: [signed, { type: "redacted_thinking", data: "eA==" }, signed, said],
  });
});
