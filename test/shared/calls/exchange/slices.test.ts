/**
 * What is sent of a client's body: slices of its own bytes, wherever it is large and nothing in it has to be changed.
 */
import { describe, expect, test } from "vitest";
import { readJsonObject } from "#shared/base/json/body.ts";
import { limits } from "#shared/base/limits.ts";
import { plainCall } from "#shared/books/billing/call.ts";
import { longTextPlaces } from "#shared/calls/chat/measure.ts";
import { tag } from "#shared/calls/chat/signature.ts";
import type { ExchangedCall } from "#shared/calls/exchange/call.ts";
import { createExchange } from "#shared/calls/exchange/exchange.ts";
import { protocols } from "#shared/calls/protocols/index.ts";
import { origin } from "#test/support/signatures.ts";

const upstream = {
  secret: "KEY",
  provider: "test",
  model: "upstream-model",
  output_tokens: 8_192,
  fits: false,
  traits: {},
};

/** What a provider of Anthropic's protocol is sent of a body, over a direct route or a crossing from `client`. */
async function sent(text: string, client: "anthropic" | "openai-chat" = "anthropic") {
  const bytes = Buffer.from(text);
  const exchanged = {
    protocol: protocols[client],
    body: readJsonObject(bytes, longTextPlaces),
    call: plainCall,
    model: { id: "test/model", output_tokens: 8_192, context_tokens: 100_000 },
    size: { text_bytes: 100, pictures: 0, files: 0 },
    request: { id: `req_${"0".repeat(26)}`, received_at: 0 },
  } as unknown as ExchangedCall;
  const { body } = (
    await createExchange(exchanged, { protocol: protocols.anthropic }, upstream, { now: Date.now })
  ).request;
  const copied = body.filter((slice) => slice.buffer !== bytes.buffer);
  return {
    text: Buffer.concat(body).toString(),
    pieces: body.length,
    copied: Buffer.concat(copied).toString(),
  };
}

const long = "A long text, 你好, \\n with an escape. ".repeat(limits.outlinedBytesMin / 16);
const turn = (content: string) => `{ "role":"user","content":"${content}" }`;
const request = (turns: string, model: string) =>
  `{"max_tokens" : 10,"model":"${model}","messages":[${turns}],"n":1.50}`;

describe("a body that is passed through", () => {
  test("is sent as it came, and only the bytes around the model's name are copied", async () => {
    const turns = `${turn(long)},${turn("short")}`;
    expect(await sent(request(turns, "m"))).toEqual({
      text: request(turns, upstream.model),
      pieces: 2,
      copied: `{"max_tokens" : 10,"model":"${upstream.model}"`,
    });
  });

  test("is one piece where it is small", async () => {
    expect(await sent(request(turn("short"), "m"))).toMatchObject({
      text: request(turn("short"), upstream.model),
      pieces: 1,
    });
  });

  test("gets its signatures back, however large it is", async () => {
    const thought = (signature: string) =>
      `{"role":"assistant","content":[{"type":"thinking","thinking":"${long}","signature":"${signature}"},{"type":"text","text":"Hi"}]}`;
    const turns = (signature: string) => `${turn(long)},${thought(signature)},${turn("Go on.")}`;
    const tagged = tag(origin, { signature: "b3du" });
    expect((await sent(request(turns(tagged), "m"))).text).toBe(request(turns("b3du"), upstream.model));
  });
});

describe("a body that crosses", () => {
  test("has every long text as text", async () => {
    const { text } = await sent(`{"model":"m","messages":[${turn(long)}]}`, "openai-chat");
    expect(JSON.parse(text)).toMatchObject({
      messages: [{ role: "user", content: [{ type: "text", text: JSON.parse(`"${long}"`) as unknown }] }],
    });
  });
});
