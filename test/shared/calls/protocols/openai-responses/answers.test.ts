/** Replies and streams of the Responses room: goldens both ways, identity on the neutral form, and the grammar. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import type { Fields } from "#shared/base/json/fields.ts";
import { createFrameSplitter, splitFrames } from "#shared/base/sse/frames.ts";
import { type ChatEvent, foldEvents } from "#shared/calls/chat/event.ts";
import type { ChatReply } from "#shared/calls/chat/reply.ts";
import { openaiResponsesCrossing as crossing } from "#shared/calls/protocols/openai-responses/crossing/index.ts";
import { neutralReply, neutralStream } from "#test/support/neutral.ts";
import { cases, chance, json, read, replyTarget, root } from "#test/support/responses-golden.ts";
import { parseWire, readResponse } from "#test/support/responses-grammar.ts";

/** A frame at a time, as the relay gives them. */
function decodeStream(bytes: Buffer, size: number): ChatEvent[] {
  const splitter = createFrameSplitter(1_000_000);
  const decoder = crossing.createDecoder();
  const events: ChatEvent[] = [];
  for (let from = 0; from < bytes.length; from += size) {
    for (const frame of splitFrames(splitter.push(bytes.subarray(from, from + size))))
      events.push(...decoder.push(frame));
  }
  return [...events, ...decoder.end()];
}

function encodeStream(events: ChatEvent[], target = replyTarget): Buffer {
  const encoder = crossing.createEncoder(target);
  return Buffer.concat(events.flatMap((event) => encoder.push(event)));
}

/** The reasoning tokens are always told to the client: none where none were reported. */
function withReasoningTokens(reply: ChatReply): ChatReply {
  return reply.usage ? { ...reply, usage: { reasoning_tokens: 0, ...reply.usage } } : reply;
}

describe("replies", () => {
  test.each(cases("replies", ".neutral.json"))("golden %s is decoded as it should be", (name) => {
    const reply = json<ChatReply>("replies", `${name}.neutral.json`);
    expect(crossing.decodeReply(json("replies", `${name}.json`))).toEqual(reply);
    const encoded = crossing.encodeReply(reply, replyTarget);
    expect(crossing.decodeReply(encoded)).toEqual(withReasoningTokens(reply));
  });

  test("any neutral reply comes back", () => {
    fc.assert(
      fc.property(
        neutralReply,
        fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
        (said, refusal) => {
          const reply = refusal === undefined ? said : { ...said, refusal };
          const encoded = crossing.encodeReply(reply, replyTarget);
          expect(crossing.decodeReply(encoded)).toEqual(withReasoningTokens(reply));
        },
      ),
      chance,
    );
  });

  test("a response repeats its request and names the client's model", () => {
    const tools = [{ type: "function", name: "now" }];
    const request = {
      input: "x",
      instructions: "Be brief.",
      tools,
      metadata: { run: "7" },
      temperature: 0.5,
    };
    const reply: ChatReply = {
      id: "r",
      created: 5,
      parts: [{ type: "text", text: "Hi" }],
      stop_reason: "length",
    };
    expect(crossing.encodeReply(reply, { ...replyTarget, request })).toEqual({
      id: "resp_r",
      object: "response",
      created_at: 5,
      status: "incomplete",
      error: null,
      incomplete_details: { reason: "max_output_tokens" },
      model: "test/model-1",
      instructions: "Be brief.",
      max_output_tokens: null,
      metadata: { run: "7" },
      parallel_tool_calls: true,
      reasoning: { effort: null, summary: null },
      temperature: 0.5,
      text: { format: { type: "text" } },
      tool_choice: "auto",
      tools,
      top_p: null,
      user: null,
      background: false,
      previous_response_id: null,
      store: false,
      truncation: "disabled",
      output: [
        {
          id: "msg_r_0",
          type: "message",
          status: "incomplete",
          role: "assistant",
          content: [{ type: "output_text", text: "Hi", annotations: [], logprobs: [] }],
        },
      ],
      usage: null,
    });
  });

  test.each([{}, { output: "x" }, { output: [{ type: "function_call" }] }, { error: { message: "x" } }])(
    "%j is no response",
    (reply) => {
      expect(() => crossing.decodeReply(reply)).toThrow(TypeError);
    },
  );
});

describe("streams", () => {
  test.each(cases("streams", ".events.json"))("golden %s gives its events, whatever its cuts", (name) => {
    const bytes = read("streams", `${name}.sse`);
    const expected = json<ChatEvent[]>("streams", `${name}.events.json`);
    for (const size of [1, 7, 64, bytes.length]) expect(decodeStream(bytes, size)).toEqual(expected);
    const usage = expected.find(({ type }) => type === "usage");
    const counted = existsSync(join(root, "streams", `${name}.usage.json`));
    expect(usage !== undefined).toBe(counted);
    if (usage) expect(usage).toMatchObject({ usage: json("streams", `${name}.usage.json`) });
  });

  const both = cases("streams", ".events.json").filter((name) =>
    existsSync(join(root, "replies", `${name}.neutral.json`)),
  );
  test.each(both)("golden %s folds to the whole reply", (name) => {
    const events = json<ChatEvent[]>("streams", `${name}.events.json`);
    expect(foldEvents(events)).toEqual(json("replies", `${name}.neutral.json`));
  });
  test("the goldens that are streams and whole replies are all there", () => {
    expect(both.length).toBeGreaterThanOrEqual(6);
  });

  test("any stream comes back event by event, follows the grammar, and ends as the whole reply (pitfalls 19, 20)", () => {
    fc.assert(
      fc.property(neutralStream, ({ reply, events }) => {
        const bytes = encodeStream(events);
        const last = readResponse(bytes);
        const whole = withReasoningTokens(reply);
        expect(crossing.decodeReply(last)).toEqual(whole);
        const decoded = decodeStream(bytes, bytes.length);
        expect(foldEvents(decoded)).toEqual(whole);
        expect(decoded.filter(({ type }) => type !== "tool-call-delta" && type !== "usage")).toEqual(
          events.filter(({ type }) => type !== "tool-call-delta" && type !== "usage"),
        );
        expect(last).toEqual(crossing.encodeReply(foldEvents(events), replyTarget));
      }),
      chance,
    );
  });

  test("the vendor's own stream helper rebuilds the same response", async () => {
    const samples = fc.sample(neutralStream, { ...chance, numRuns: 20 });
    for (const { reply, events } of samples) {
      const body = encodeStream(events);
      const fetch = async () => new Response(body, { headers: { "content-type": "text/event-stream" } });
      const client = new OpenAI({ apiKey: "k", baseURL: "http://provider.example/v1", fetch });
      const final = await client.responses.stream({ model: "m", input: "x" }).finalResponse();
      const texts = reply.parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
      expect(final.output_text).toBe(texts.join(""));
      expect(crossing.decodeReply(final as unknown as Fields)).toEqual(withReasoningTokens(reply));
    }
  });

  test("the vendor's SDK throws on a failure", async () => {
    const body = encodeStream(json<ChatEvent[]>("streams", "x-failed.events.json"));
    const fetch = async () => new Response(body, { headers: { "content-type": "text/event-stream" } });
    const client = new OpenAI({ apiKey: "k", baseURL: "http://provider.example/v1", fetch });
    const run = async () => {
      for await (const _ of await client.responses.create({ model: "m", input: "x", stream: true }));
    };
    await expect(run()).rejects.toMatchObject({ message: "The model's provider failed.", code: "50001" });
  });

  test("each event leaves at once: no delta waits for the next", () => {
    const encoder = crossing.createEncoder(replyTarget);
    for (const event of json<ChatEvent[]>("streams", "x-parallel-tools.events.json")) {
      const frames = encoder.push(event);
      expect(frames.length > 0).toBe(event.type !== "usage");
    }
  });

  test("the ladder of an answer with text, a refusal beside it and a call without arguments (pitfalls 14, 19)", () => {
    const bytes = encodeStream([
      { type: "reply-start", id: "r", created: 5 },
      { type: "text-delta", text: "Hi" },
      { type: "refusal-delta", text: "No." },
      { type: "tool-call-start", index: 0, id: "call_1", name: "now", signature: "c2ln" },
      { type: "tool-call-end", index: 0 },
      { type: "reply-end", stop_reason: "tool_calls" },
    ]);
    expect(parseWire(bytes).map(({ type }) => type.replace("response.", ""))).toEqual([
      "created",
      "in_progress",
      "output_item.added",
      "content_part.added",
      "output_text.delta",
      "output_text.done",
      "content_part.done",
      "content_part.added",
      "refusal.delta",
      "refusal.done",
      "content_part.done",
      "output_item.done",
      "output_item.added",
      "function_call_arguments.delta",
      "function_call_arguments.done",
      "output_item.done",
      "completed",
    ]);
    expect(readResponse(bytes).output).toMatchObject([
      { id: "msg_r_0", content: [{ text: "Hi" }, { refusal: "No." }] },
      {
        id: "fc_r_1",
        call_id: "call_1",
        arguments: "{}",
        extra_content: { google: { thought_signature: "c2ln" } },
      },
    ]);
  });

  test("what is still open at the end is closed, a message with the status of the reply", () => {
    const opening: ChatEvent[] = [
      { type: "reply-start", id: "r", created: 5 },
      { type: "reasoning-delta", text: "Hm" },
      { type: "tool-call-start", index: 0, id: "call_1", name: "look" },
      { type: "tool-call-delta", index: 0, arguments: '{"at"' },
      { type: "text-delta", text: "Once" },
      { type: "text-delta", text: "" },
      { type: "reply-end", stop_reason: "length" },
    ];
    expect(readResponse(encodeStream(opening)).output).toMatchObject([
      { type: "reasoning", summary: [{ text: "Hm" }] },
      { type: "function_call", arguments: '{"at"' },
      { type: "message", status: "incomplete", content: [{ text: "Once" }] },
    ]);
  });

  test("a failure is an error event and a failed response, never an ending (pitfall 21)", () => {
    const events = json<ChatEvent[]>("streams", "x-failed.events.json");
    const wire = parseWire(encodeStream([...events, { type: "text-delta", text: "late" }]));
    const [error, failed] = wire.slice(-2);
    expect(error).toMatchObject({
      type: "error",
      code: "50001",
      message: "The model's provider failed.",
      error: { code: "50001", type: "server_error", message: "The model's provider failed." },
    });
    expect(failed).toMatchObject({
      type: "response.failed",
      response: { id: "resp_r5", status: "failed", output: [], error: { code: "server_error" } },
    });
    expect(JSON.stringify(wire)).not.toContain("It broke.");
  });
});
