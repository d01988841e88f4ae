/** How a strict stream that is stopped ends, in each protocol: closed, ended for its length, and then the error. */
import { describe, expect, test, vi } from "vitest";
import { openaiChat } from "#shared/calls/protocols/openai-chat/index.ts";
import { call } from "#test/support/call.ts";
import { framesIn, modelOf, pathOf, type Speech, speeches, useCrossed } from "#test/support/crossed.ts";
import { bare } from "#test/support/own-ids.ts";
import { readResponse } from "#test/support/responses-grammar.ts";
import { frame, namedFrame, sse } from "#test/support/scenario.ts";
import {
  begun,
  stopAfter,
  text,
  thought,
  twoAnswers,
  unfinished,
  untilText,
} from "#test/support/unfinished.ts";

type Json = Record<string, unknown>;

const crossed = useCrossed();
const message = "The balance does not cover this call.";
const openaiError = { type: "quota_exceeded", code: "40201", message, param: null };
const errors: Record<Speech, Json> = {
  openai: { error: openaiError },
  anthropic: { type: "error", error: { type: "billing_error", message } },
  gemini: { error: { code: 402, message, status: "RESOURCE_EXHAUSTED" } },
  responses: { type: "error", code: "40201", message, param: null, error: openaiError },
};
/** More than one step of output. */
const most: Partial<Record<Speech, Json>> = { anthropic: { max_tokens: 8_192 } };

/** A call that is stopped when its client has been told `last`. */
async function stopped(client: Speech, provider: Speech, items: Json[], last: string, fields: Json = {}) {
  const { frames, onChunk } = stopAfter(crossed, provider, items, last);
  const reply = await crossed.ask(client, provider, { ...most[client], ...fields }, true, onChunk);
  return { reply, frames };
}

const billed = () => crossed.memory.events[0]?.usage.output_tokens;

describe("passed through, the provider's own bytes are followed by", () => {
  const passed = async (speech: Speech, items: Json[], last: string, fields?: Json): Promise<string> => {
    const { reply, frames } = await stopped(speech, speech, items, last, fields);
    const text = bare(reply.text);
    expect(text.startsWith(frames)).toBe(true);
    return text.slice(frames.length);
  };
  const head = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "upstream" };
  const ended = (index: number) =>
    frame({ ...head, choices: [{ index, delta: {}, finish_reason: "length" }] });

  test("a chunk with the finish reason, in OpenAI chat", async () => {
    expect(await passed("openai", unfinished.openai, "Par")).toBe(ended(0) + frame(errors.openai));
    expect(crossed.memory.events).toMatchObject([{ outcome: "truncated", evidence: "estimated" }]);
  });

  test("one for each choice that has not ended", async () => {
    expect(await passed("openai", twoAnswers.openai, "END", { n: 2 })).toBe(ended(1) + frame(errors.openai));
    const open = twoAnswers.openai.filter((_, index) => index !== 2);
    crossed.forget();
    expect(await passed("openai", open, "END", { n: 2 })).toBe(ended(0) + ended(1) + frame(errors.openai));
  });

  test("the end of the open block and of the message, in Anthropic's", async () => {
    expect(await passed("anthropic", unfinished.anthropic, "Par")).toBe(
      [
        { type: "content_block_stop", index: 2 },
        {
          type: "message_delta",
          delta: { stop_reason: "max_tokens", stop_sequence: null },
          usage: { output_tokens: billed() },
        },
        errors.anthropic,
      ]
        .map((event) => namedFrame(event as never))
        .join(""),
    );
  });

  test("the end of a thought as well, and of nothing that is not open", async () => {
    const begin = unfinished.anthropic.slice(0, 2);
    const thinking = {
      type: "content_block_delta",
      index: 0,
      delta: { type: "thinking_delta", thinking: text },
    };
    const stop = { type: "content_block_stop", index: 0 };
    const rest = await passed("anthropic", [...begin, thinking], "END");
    expect(rest.startsWith(`${namedFrame(stop)}event: message_delta\n`)).toBe(true);
    crossed.forget();
    const closed = await passed("anthropic", [...begin, thinking, stop], '"index":0}\n\n');
    expect(closed.startsWith("event: message_delta\n")).toBe(true);
  });

  test("a last chunk with every candidate that has not ended, in Gemini's", async () => {
    const content = { role: "model", parts: [{ text: "" }] };
    const last = (...indices: number[]) => {
      const candidates = indices.map((index) => ({ content, finishReason: "MAX_TOKENS", index }));
      return frame({ candidates, modelVersion: "upstream", responseId: "r1" }) + frame(errors.gemini);
    };
    const two = { generationConfig: { candidateCount: 2 } };
    expect(await passed("gemini", unfinished.gemini, "END")).toBe(last(0));
    crossed.forget();
    expect(await passed("gemini", twoAnswers.gemini, "END", two)).toBe(last(1));
    crossed.forget();
    const open = twoAnswers.gemini.filter((_, index) => index !== 2);
    expect(await passed("gemini", open, "END", two)).toBe(last(0, 1));
  });

  test("the closed items and the incomplete response, in the Responses stream", async () => {
    const rest = framesIn(await passed("responses", unfinished.responses, "Par"));
    const next = unfinished.responses.length;
    const created = unfinished.responses[0]?.response as Json;
    const place = { item_id: "fc_1", output_index: 2 };
    const item = {
      id: "fc_1",
      type: "function_call",
      call_id: "call_1",
      name: "weather",
      arguments: begun,
      status: "incomplete",
    };
    expect(rest).toMatchObject([
      { type: "response.function_call_arguments.done", ...place, name: "weather", arguments: begun },
      { type: "response.output_item.done", output_index: 2, item },
      {
        type: "response.incomplete",
        response: {
          ...created,
          status: "incomplete",
          incomplete_details: { reason: "max_output_tokens" },
          output: [{ id: "rs_1" }, { id: "msg_1", content: [{ text }] }, item],
        },
      },
      errors.responses,
    ]);
    expect(rest.map(({ sequence_number }) => sequence_number)).toEqual([0, 1, 2, 3].map((at) => next + at));
  });
});

/** All a client was told: its thought, its text, its call's arguments so far. */
type Told = [thought: string, text: string, call: string];

/** What the last frames must be, given all frames. They are taken off. */
const expectEnd: Record<Speech, (frames: Json[], open: "text" | "call") => void> = {
  openai(frames) {
    const { id, created, model } = frames[0] ?? {};
    const choices = [{ index: 0, delta: {}, finish_reason: "length" }];
    expect(frames.splice(-2)).toMatchObject([{ id, created, model, choices }, errors.openai]);
    for (const {
      choices: [choice],
    } of frames as { choices: Json[] }[])
      expect(choice?.finish_reason).toBeNull();
  },
  anthropic(frames, open) {
    expect(frames.splice(-3)).toEqual([
      { type: "content_block_stop", index: open === "text" ? 1 : 2 },
      {
        type: "message_delta",
        delta: { stop_reason: "max_tokens", stop_sequence: null },
        usage: { output_tokens: billed() },
      },
      errors.anthropic,
    ]);
  },
  gemini(frames) {
    const { modelVersion, responseId } = frames[0] ?? {};
    const candidates = [{ index: 0, finishReason: "MAX_TOKENS", content: { parts: [{ text: "" }] } }];
    expect(frames.splice(-2)).toMatchObject([{ candidates, modelVersion, responseId }, errors.gemini]);
  },
  responses(frames) {
    expect(frames.pop()).toEqual({ ...errors.responses, sequence_number: frames.length });
    const bytes = frames.map((event) => namedFrame(event as never)).join("");
    const response = readResponse(Buffer.from(bytes));
    expect(response).toMatchObject({ incomplete_details: { reason: "max_output_tokens" } });
    expect((response.output as Json[]).at(-1)).toMatchObject({ status: "incomplete" });
  },
};

const pairs = speeches.flatMap((client) => speeches.map((provider) => [client, provider] as const));

describe.each(pairs)("a client of %s at a provider of %s", (client, provider) => {
  test.each(["text", "call"] as const)("is told the end of an open %s", async (open) => {
    const whole = client === "gemini" || provider === "gemini";
    const items = open === "text" ? untilText(provider) : unfinished[provider];
    const last = open === "call" && !whole ? "Par" : "END";
    const { reply } = await stopped(client, provider, items, last);
    const frames = framesIn(reply.text);
    expectEnd[client](frames, whole ? "text" : open);
    const told: Told = [thought, text, open === "call" && !whole ? begun : ""];
    const bare = JSON.stringify(frames);
    for (const part of told) expect(bare).toContain(JSON.stringify(part).slice(1, -1));
    for (const terminal of ["[DONE]", "message_stop"]) expect(reply.text).not.toContain(terminal);
  });
});

test.each(["gemini", "openai"] as const)(
  "Gemini's JSON array stays one, at a provider of %s",
  async (provider) => {
    const { onChunk } = stopAfter(crossed, provider, untilText(provider), "END");
    const path = pathOf("gemini", modelOf(provider), true).replace("?alt=sse", "");
    const body = { contents: [{ role: "user", parts: [{ text: "Hello" }] }] };
    const reply = await call(crossed.serve, path, { headers: crossed.headers, body, onChunk });
    const elements = JSON.parse(reply.text) as Json[];
    expectEnd.gemini(elements, "text");
    expect(JSON.stringify(elements)).toContain(text);
  },
);

test("a strict stream whose provider fails ends with the error alone", async () => {
  const { frames } = stopAfter(crossed, "openai", untilText("openai"), "END");
  const told = Promise.withResolvers<void>();
  crossed.memory.extension = async () => ({ extended: true });
  crossed.upstream.on(async (_, response) => {
    response.writeHead(200, sse).write(frames);
    await told.promise;
    response.end(frame({ error: { message: "overloaded" } }));
  });
  const reply = await crossed.ask("openai", "openai", {}, true, () => told.resolve());
  expect(framesIn(reply.text.slice(frames.length))).toMatchObject([{ error: { code: "50001" } }]);
});

test.each([
  ["that is not strict", false, {}],
  ["that cannot need a second step", true, { max_tokens: 4_096 }],
])("no stream is followed %s", async (_, strict, fields) => {
  const created = vi.spyOn(openaiChat.stream, "createStopper");
  const { onChunk } = stopAfter(crossed, "openai", [], "never");
  const model = crossed.memory.deps.catalog.find(modelOf("openai"));
  if (model) Object.assign(model, { strict });
  crossed.upstream.on((_request, response) =>
    response.writeHead(200, sse).end(frame({ id: "c", choices: [] })),
  );
  await crossed.ask("openai", "openai", fields, true, onChunk);
  expect(created).not.toHaveBeenCalled();
  created.mockRestore();
});
