/**
 * What other gateways got wrong with usage and money (protocols.md §6.6), each by its number, through the
 * whole pipeline. The other numbers stand in the files beside this one; the last test counts them all.
 */
import { readdirSync, readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { tokensGuess } from "#shared/calls/chat/estimate.ts";
import { streamAnswers, streamEnd, wholeAnswers } from "#test/support/answers.ts";
import { readAnthropicStream } from "#test/support/anthropic-stream.ts";
import { readerOf } from "#test/support/body.ts";
import { open } from "#test/support/call.ts";
import {
  framesIn,
  least,
  modelOf,
  type Speech,
  speeches,
  streamed,
  useCrossed,
} from "#test/support/crossed.ts";
import { readOpenaiChatStream } from "#test/support/openai-chat-stream.ts";

type Json = Record<string, unknown>;

const crossed = useCrossed();
const plays = (speech: Speech) =>
  crossed.upstream.on(streamed(speech, streamAnswers[speech], streamEnd[speech]));

/** What every answer of `support/answers.ts` uses, and what it costs at 2.5, 10 and 0.25 points a million. */
const used = { input_tokens: 20, cache_read_tokens: 10, cache_write_tokens: 0, output_tokens: 7 };
const cost = "0.0001225";
const told = {
  input_tokens: 20,
  cache_read_input_tokens: 10,
  cache_creation_input_tokens: 0,
  output_tokens: 7,
};

const chunksUpTo = (count: number) => streamAnswers.openai.slice(0, count);
const finish = streamAnswers.openai[4] ?? {};
const { usage } = wholeAnswers.openai;

describe("usage", () => {
  test.each([
    ["after finish_reason", streamAnswers.openai],
    ["with finish_reason", [...chunksUpTo(4), { ...finish, usage }]],
  ])("pitfall 1: cache tokens reach message_delta when usage comes %s", async (_, chunks) => {
    crossed.upstream.on(streamed("openai", chunks, streamEnd.openai));
    const reply = await crossed.ask("anthropic", "openai", {}, true);
    expect(readAnthropicStream(Buffer.from(reply.text)).usage).toMatchObject(told);
  });

  test.each(["openai", "gemini", "responses"] as const)(
    "pitfall 2: input_tokens on messages never includes the cache, from %s",
    async (provider) => {
      crossed.upstream.json(wholeAnswers[provider]);
      expect((await crossed.ask("anthropic", provider)).json().usage).toMatchObject(told);
    },
  );

  test.each(["openai", "gemini", "responses"] as const)(
    "pitfall 3: message_delta carries the input too, from %s",
    async (provider) => {
      plays(provider);
      const frames = framesIn((await crossed.ask("anthropic", provider, {}, true)).text);
      expect(frames.find(({ type }) => type === "message_delta")?.usage).toMatchObject(told);
    },
  );

  test("pitfall 4: cached tokens of Responses reach a messages client", async () => {
    plays("responses");
    const reply = await crossed.ask("anthropic", "responses", {}, true);
    expect(readAnthropicStream(Buffer.from(reply.text)).usage).toMatchObject(told);
  });

  test.each(speeches)("pitfall 5: usage split over two events is one, for a client of %s", async (client) => {
    plays("anthropic");
    const reply = await crossed.ask(client, "anthropic", {}, true);
    expect(reply.status).toBe(200);
    expect(crossed.memory.events[0]).toMatchObject({ evidence: "reported", usage: used });
    if (client === "openai") {
      const read = readOpenaiChatStream(Buffer.from(reply.text));
      expect(read.usage).toMatchObject({ prompt_tokens: 30, completion_tokens: 7, total_tokens: 37 });
    }
  });

  test.each(speeches)("pitfall 6: cached tokens are billed once, from %s", async (provider) => {
    for (const client of speeches) {
      crossed.forget();
      crossed.upstream.json(wholeAnswers[provider]);
      await crossed.ask(client, provider);
      expect(crossed.memory.events[0]).toMatchObject({ usage: used, cost_points: cost });
    }
  });

  test.each([false, true])("pitfall 7: Gemini's thoughts are output, streamed %j", async (stream) => {
    if (stream) plays("gemini");
    else crossed.upstream.json(wholeAnswers.gemini);
    const reply = await crossed.ask("openai", "gemini", {}, stream);
    const shown = stream ? readOpenaiChatStream(Buffer.from(reply.text)).usage : reply.json().usage;
    expect(shown).toMatchObject({ completion_tokens: 7 });
    expect(crossed.memory.events[0]?.usage.output_tokens).toBe(7);
  });

  test("pitfall 25: include_usage false shows no chunk without choices, and is billed all the same", async () => {
    for (const provider of speeches) {
      crossed.forget();
      plays(provider);
      const body = { stream_options: { include_usage: false } };
      const reply = await crossed.ask("openai", provider, body, true);
      const frames = framesIn(reply.text);
      expect(frames.length).toBeGreaterThan(3);
      for (const { choices } of frames) expect(choices).toHaveLength(1);
      expect(crossed.memory.events[0]).toMatchObject({ usage: used });
    }
  });

  test("pitfall 35: a running total on every chunk is never summed; an empty finish_reason is none", async () => {
    const running = streamAnswers.openai.map((chunk, index) => {
      const [choice] = chunk.choices as Json[];
      const partial = { prompt_tokens: 30, completion_tokens: index, total_tokens: 30 + index };
      const ended = choice?.finish_reason ?? "";
      return {
        ...chunk,
        choices: choice ? [{ ...choice, finish_reason: ended }] : [],
        usage: chunk.usage ?? partial,
      };
    });
    crossed.upstream.on(streamed("openai", running, streamEnd.openai));
    const reply = await crossed.ask("anthropic", "openai", {}, true);
    const read = readAnthropicStream(Buffer.from(reply.text));
    expect(read).toMatchObject({ usage: told, stop_reason: "tool_use" });
    expect(read.content).toContainEqual({ type: "text", text: "Hello" });
    expect(crossed.memory.events[0]).toMatchObject({ usage: used, cost_points: cost });
  });

  test.each([0, -1])("pitfall 36: a maximum of %i is refused and never a default", async (most) => {
    const bodies: Record<Speech, Json> = {
      openai: { max_tokens: most },
      anthropic: { max_tokens: most },
      gemini: { generationConfig: { maxOutputTokens: most } },
      responses: { max_output_tokens: most },
    };
    for (const client of speeches) {
      for (const provider of speeches) {
        expect((await crossed.ask(client, provider, bodies[client])).status).toBe(400);
      }
    }
    expect([crossed.memory.holds, crossed.upstream.requests]).toEqual([[], []]);
  });
});

describe("a client that hangs up", () => {
  /** Reads one piece of a stream, hangs up, and lets the work after the reply finish. */
  async function hangUp(client: Speech, provider: Speech): Promise<void> {
    const path = client === "openai" ? "/v1/chat/completions" : "/v1/messages";
    const body = { model: modelOf(provider), stream: true, ...least[client] };
    const { reply } = await open(crossed.serve, path, { headers: crossed.headers, body });
    const pieces = readerOf(reply);
    expect(await pieces.next()).toBeDefined();
    pieces.leave();
    await reply.after?.();
  }

  test.each(speeches)("pitfall 23: before the usage came pays what it caused, from %s", async (provider) => {
    for (const client of ["openai", "anthropic"] as const) {
      crossed.forget();
      plays(provider);
      await hangUp(client, provider);
      expect(crossed.memory.events).toMatchObject([{ evidence: "reported", usage: used, cost_points: cost }]);
      expect(crossed.memory.settled).toHaveLength(1);
    }
  });

  test("pitfall 24: does not apply, since a disconnect is invisible on a function URL: the provider is read to its end", async () => {
    let response: ServerResponse | undefined;
    crossed.upstream.on((request, given) => {
      response = given;
      streamed("openai", streamAnswers.openai, streamEnd.openai)(request, given);
    });
    await hangUp("anthropic", "openai");
    expect(response?.writableFinished).toBe(true);
    expect(crossed.memory.events).toMatchObject([{ outcome: "completed" }]);
  });

  test("pitfall 34: does not apply, since nothing is ever tokenised: an estimate is a division of bytes", async () => {
    const words = "é".repeat(10_000);
    crossed.upstream.on((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const choices = [{ index: 0, delta: { content: words }, finish_reason: null }];
      response.write(`data: ${JSON.stringify({ id: "c", choices })}\n\n`, () => response.destroy());
    });
    await crossed.ask("openai", "openai", {}, true);
    expect(crossed.memory.events).toMatchObject([
      { evidence: "estimated", usage: { output_tokens: tokensGuess(Buffer.byteLength(words)) } },
    ]);
  });
});

test("every number from 1 to 37 has its test", () => {
  const folder = join(import.meta.dirname, "../..");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".test.ts"),
  );
  const text = files.map((name) => readFileSync(join(folder, name), "utf8")).join("");
  const numbers = new Set([...text.matchAll(/["`]pitfall (\d+): /g)].map(([, number]) => Number(number)));
  expect([...numbers].sort((a, b) => a - b)).toEqual(Array.from({ length: 37 }, (_, index) => index + 1));
});
