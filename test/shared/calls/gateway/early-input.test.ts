/**
 * An Anthropic stream tells its input at the start, when no other provider has counted it yet. A crossing tells an
 * estimate there. The end tells the real counters, which are what is billed.
 */
import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, test } from "vitest";
import { streamAnswers, streamEnd } from "#test/support/answers.ts";
import { call } from "#test/support/call.ts";
import {
  framesIn,
  least,
  modelOf,
  type Speech,
  speeches,
  streamed,
  useCrossed,
} from "#test/support/crossed.ts";

type Json = Record<string, unknown>;

const crossed = useCrossed();
const providers = speeches.filter((speech) => speech !== "anthropic");
const stream = (provider: Speech) =>
  crossed.upstream.on(streamed(provider, streamAnswers[provider], streamEnd[provider]));
const long = { messages: [{ role: "user", content: "Tell me about it. ".repeat(100) }] };

describe.each(providers)("an answer of %s", (provider) => {
  test("begins with the estimate that a count of tokens gives", async () => {
    stream(provider);
    const reply = await crossed.ask("anthropic", provider, long, true);
    const [start] = framesIn(reply.text) as { message: { usage: Json } }[];
    const counted = await call(crossed.serve, "/v1/messages/count_tokens", {
      headers: crossed.headers,
      body: { ...least.anthropic, model: modelOf(provider), ...long },
    });
    const { input_tokens } = counted.json() as { input_tokens: number };
    expect(counted.headers["x-gateway-estimate"]).toBe("true");
    // The one body says `stream`, and the other does not.
    expect(start?.message.usage.input_tokens).toBeGreaterThanOrEqual(input_tokens);
    expect(start?.message.usage.input_tokens).toBeLessThan(input_tokens + 10);
    expect(start?.message.usage).toMatchObject({ output_tokens: 0, cache_read_input_tokens: 0 });
  });

  test("ends with the real counters in Anthropic's SDK, and those are billed", async () => {
    stream(provider);
    const client = new Anthropic({
      apiKey: "unused",
      fetch: async (_input, init) => {
        const { text, headers } = await call(crossed.serve, "/v1/messages", {
          headers: crossed.headers,
          body: String(init?.body),
        });
        return new Response(text, { headers });
      },
    });
    const message = await client.messages
      .stream({ model: modelOf(provider), max_tokens: 100, ...long } as Anthropic.MessageStreamParams)
      .finalMessage();
    const [event] = crossed.memory.events;
    const { usage } = event ?? {};
    expect(event?.flags).toEqual([]);
    expect(usage?.input_tokens).toBeGreaterThan(0);
    expect(message.usage).toMatchObject({
      input_tokens: usage?.input_tokens,
      cache_read_input_tokens: usage?.cache_read_tokens,
      output_tokens: usage?.output_tokens,
    });
    expect(usage?.input_tokens).toBeLessThan(100);
  });
});

test("a message of Anthropic's own is not touched", async () => {
  stream("anthropic");
  const reply = await crossed.ask("anthropic", "anthropic", long, true);
  expect(framesIn(reply.text)[0]).toEqual(streamAnswers.anthropic[0]);
});
