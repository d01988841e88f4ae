/** `x-gateway-usage: cost`: an answer's cost beside its counters, and every other byte as it came. */
import { describe, expect, test } from "vitest";
import { streamAnswers, streamEnd, wholeAnswers } from "#test/support/answers.ts";
import { call } from "#test/support/call.ts";
import {
  framesIn,
  framesOf,
  least,
  modelOf,
  pathOf,
  type Speech,
  speeches,
  useCrossed,
} from "#test/support/crossed.ts";
import { bare } from "#test/support/own-ids.ts";
import { delta, done, sse, usageFrame } from "#test/support/scenario.ts";

type Json = Record<string, unknown>;

const crossed = useCrossed();
const asks = { "x-gateway-usage": "cost" };
/** 20 × 2.5 + 10 × 0.25 + 7 × 10 points per million tokens. */
const cost_points = "0.0001225";
const numbered = `"cost":${cost_points},"cost_points":"${cost_points}"`;
const inItsWay: Record<Speech, string> = {
  openai: numbered,
  responses: numbered,
  anthropic: `"cost_points":"${cost_points}"`,
  gemini: `"cost_points":"${cost_points}"`,
};

/** A provider's whole stream. */
const streamOf = (speech: Speech) => framesOf(speech, streamAnswers[speech]).join("") + streamEnd[speech];

/** Lets the provider answer in its protocol, streamed or not. */
function answers(provider: Speech, stream: boolean): void {
  if (!stream) crossed.upstream.json(wholeAnswers[provider]);
  else crossed.upstream.on((_, response) => response.writeHead(200, sse).end(streamOf(provider)));
}

interface Asked {
  headers?: Record<string, string>;
  body?: Json;
  path?: string;
}

/** Sends a call of `client` to a model whose provider speaks `provider`. */
function send(client: Speech, provider: Speech, stream: boolean, { headers = asks, body, path }: Asked = {}) {
  const model = modelOf(provider);
  const addressed = client === "gemini" ? {} : { model, ...(stream ? { stream } : {}) };
  return call(crossed.serve, path ?? pathOf(client, model, stream), {
    headers: { ...crossed.headers, ...headers },
    body: { ...addressed, ...least[client], ...body },
  });
}

/** The same, of a provider that answers. */
function ask(client: Speech, provider: Speech, stream: boolean, asked: Asked = {}) {
  answers(provider, stream);
  return send(client, provider, stream, asked);
}

/** Text without the cost, of which there must be one. */
function withoutCost(text: string, client: Speech): string {
  const [before, behind, ...more] = bare(text).split(`,${inItsWay[client]}`);
  expect([more, behind]).toEqual([[], expect.any(String)]);
  return `${before}${behind}`;
}

describe.each(speeches)("%s", (client) => {
  test("a stream's last frame with a usage says the cost, and no other byte is changed", async () => {
    const { text } = await ask(client, client, true);
    expect(withoutCost(text, client)).toBe(streamOf(client));
    expect(crossed.memory.events[0]).toMatchObject({ cost_points, evidence: "reported" });
  });

  test("a whole answer says it, and no other byte is changed", async () => {
    const reply = await ask(client, client, false);
    expect(withoutCost(reply.text, client)).toBe(JSON.stringify(wholeAnswers[client]));
    expect(reply.headers["x-gateway-cost-points"]).toBe(cost_points);
  });

  test.each(speeches.filter((provider) => provider !== client))(
    "so does an answer of %s",
    async (provider) => {
      for (const stream of [true, false]) {
        const told = await ask(client, provider, stream);
        const plain = await ask(client, provider, stream, { headers: {} });
        const neutral = (text: string) =>
          text.replaceAll(/[0-9A-Z]{26}|"created(_at)?":\d+|"createTime":"[^"]*"/gi, "…");
        expect(neutral(withoutCost(told.text, client))).toBe(neutral(plain.text));
      }
    },
  );

  test("without the header the bytes are the provider's", async () => {
    expect(bare((await ask(client, client, true, { headers: {} })).text)).toBe(streamOf(client));
    expect(bare((await ask(client, client, false, { headers: {} })).text)).toBe(
      JSON.stringify(wholeAnswers[client]),
    );
  });

  test("a repetition is given the same bytes again", async () => {
    for (const stream of [true, false]) {
      const headers = { ...asks, "idempotency-key": `k-${stream}` };
      const first = await ask(client, client, stream, { headers });
      const again = await ask(client, client, stream, { headers });
      expect(again.headers["x-gateway-replayed"]).toBe(first.id);
      expect(again.text).toBe(first.text);
    }
  });
});

test("a Gemini stream as one array says it too", async () => {
  const path = "/api/v1beta/models/gemini/model-1:streamGenerateContent";
  const { text } = await ask("gemini", "gemini", true, { path });
  expect((JSON.parse(text) as Json[]).at(-1)).toMatchObject({ usageMetadata: { cost_points } });
});

test.each(["", "Cost", "cost, cost", "tokens"])(
  "any other wish is refused, and costs nothing: `%s`",
  async (wish) => {
    for (const client of speeches) {
      const reply = await ask(client, client, true, { headers: { "x-gateway-usage": wish } });
      expect(reply.status).toBe(400);
      expect(reply.text).toContain("x-gateway-usage");
    }
    expect([crossed.upstream.requests, crossed.memory.intents, crossed.memory.events]).toEqual([[], [], []]);
  },
);

test("who asks for the cost is given the usage, though it did not want it", async () => {
  crossed.upstream.on((_, response) => response.writeHead(200, sse).end(delta("Hi") + usageFrame + done));
  const quiet = { stream_options: { include_usage: false } };
  const told = await send("openai", "openai", true, { body: quiet });
  expect(framesIn(told.text).at(-1)).toMatchObject({ usage: { cost: 0.000065, cost_points: "0.000065" } });
  expect((await send("openai", "openai", true, { body: quiet, headers: {} })).text).toBe(delta("Hi") + done);
});

test("a cost that the provider tells of itself is not ours: it gives way", async () => {
  const usage = '{"cost" : 1.5e-3,"prompt_tokens":10, "completion_tokens":4 ,"cost_points":null}';
  const last = `data: {"id":"c","choices":[],"usage":${usage}}\r\ndata: \r\n\r\n`;
  crossed.upstream.on((_, response) => response.writeHead(200, sse).end(delta("Hi") + last + done));
  const { text } = await send("openai", "openai", true);
  const told = usage.replace("1.5e-3", "0.000065").replace("null", '"0.000065"');
  expect(text).toBe(`${delta("Hi")}data: {"id":"c","choices":[],"usage":${told}} \r\n\r\n${done}`);
});

test("an answer without a usage has nowhere to say it, and leaves as it came", async () => {
  crossed.upstream.on((_, response) => response.writeHead(200, sse).end(delta("Hi") + done));
  expect((await send("openai", "openai", true)).text).toBe(delta("Hi") + done);
  const deep = `{"choices":[{"message":{"content":"Hi"}}],"usage":{"prompt_tokens":1},"x":${"[".repeat(200)}${"]".repeat(200)}}`;
  crossed.upstream.on((_, response) =>
    response.writeHead(200, { "content-type": "application/json" }).end(deep),
  );
  expect((await send("openai", "openai", false)).text).toBe(deep);
});
