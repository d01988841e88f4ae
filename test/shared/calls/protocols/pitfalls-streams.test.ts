/** What other gateways got wrong with streams, headers and vendors (protocols.md §6.6), through the whole pipeline. */
import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { streamAnswers, streamEnd, wholeAnswers } from "#test/support/answers.ts";
import { call } from "#test/support/call.ts";
import {
  framesIn,
  framesOf,
  least,
  modelOf,
  type Speech,
  speeches,
  streamed,
  useCrossed,
} from "#test/support/crossed.ts";
import { parseWire, readResponse } from "#test/support/responses-grammar.ts";
import { sse } from "#test/support/scenario.ts";

type Json = Record<string, unknown>;

const crossed = useCrossed();
const others = ["openai", "anthropic", "gemini"] as const;
const pairs = speeches.flatMap((client) => speeches.map((provider) => [client, provider] as const));

/** A provider's word for a failure inside its own stream. */
const failures: Record<Speech, Json> = {
  openai: { error: { message: "secret words", code: "overloaded" } },
  anthropic: { type: "error", error: { type: "overloaded_error", message: "secret words" } },
  gemini: { error: { code: 503, message: "secret words", status: "UNAVAILABLE" } },
  responses: {
    type: "response.failed",
    response: { id: "resp_1", status: "failed", error: { code: "server_error", message: "secret words" } },
  },
};
const endings = ["[DONE]", "message_stop", "response.completed", "finishReason"];

function expectFailed(text: string): void {
  // A client of Responses is told it twice: the last frame is the response that failed.
  const { error, response } = framesIn(text).at(-1) as { error?: Json; response?: Json };
  expect(error ?? response?.error).toMatchObject({ message: "The model's provider failed." });
  for (const ending of endings) expect(text).not.toContain(ending);
  expect(text).not.toContain("secret words");
}

describe("the Responses ladder", () => {
  test.each(others)("pitfall 19: no event of it is missing, from %s", async (provider) => {
    crossed.upstream.on(streamed(provider, streamAnswers[provider], streamEnd[provider]));
    const reply = await crossed.ask("responses", provider, {}, true);
    const types = parseWire(Buffer.from(reply.text)).map(({ type }) => type);
    expect(types.slice(0, 2)).toEqual(["response.created", "response.in_progress"]);
    for (const type of ["output_item.added", "content_part.added", "content_part.done", "output_item.done"]) {
      expect(types).toContain(`response.${type}`);
    }
    expect(types.at(-1)).toBe("response.completed");
  });

  test.each(others)("pitfall 20: ids, numbers and the whole output are right, from %s", async (provider) => {
    crossed.upstream.on(streamed(provider, streamAnswers[provider], streamEnd[provider]));
    const reply = await crossed.ask("responses", provider, {}, true);
    // The reader checks numbers from 0, ids that stay, indexes, and that the last event repeats the items.
    const response = readResponse(Buffer.from(reply.text));
    expect((response.output as Json[]).map(({ type }) => type)).toEqual([
      "reasoning",
      "message",
      "function_call",
    ]);
  });
});

describe.each(pairs)("a client of %s, a provider of %s", (client, provider) => {
  const begun = framesOf(provider, streamAnswers[provider].slice(0, -2));
  const [failure = ""] = framesOf(provider, [failures[provider]]);

  test("pitfall 21: a stream cut in the middle has no normal end", async () => {
    crossed.upstream.on((_, response) => {
      response.writeHead(200, sse).write(begun.join(""), () => response.destroy());
    });
    expectFailed((await crossed.ask(client, provider, {}, true)).text);
    expect(crossed.memory.events).toMatchObject([{ outcome: "truncated" }]);
  });

  test("pitfall 22: an error in the band of a 200 is a failure, whole, first and in the middle", async () => {
    const { promise: heard, resolve } = Promise.withResolvers<void>();
    crossed.upstream.on(async (_, response) => {
      response.writeHead(200, sse).write(begun.join(""));
      await heard;
      response.end(failure);
    });
    expectFailed((await crossed.ask(client, provider, {}, true, () => resolve())).text);
    crossed.upstream.on(streamed(provider, [failures[provider]]));
    const first = await crossed.ask(client, provider, {}, true);
    crossed.upstream.json(
      provider === "responses" ? (failures.responses.response as Json) : failures[provider],
    );
    const whole = await crossed.ask(client, provider);
    for (const { status, text } of [first, whole]) {
      expect(status).toBe(500);
      expect(text).toContain("The model's provider failed.");
    }
    expect(crossed.memory.events.slice(1)).toMatchObject([{ cost_points: "0" }, { cost_points: "0" }]);
  });
});

describe.each(pairs)("a client of %s, a provider of %s that fails", (client, provider) => {
  const begun = framesOf(provider, streamAnswers[provider].slice(0, -2));
  const [failure = ""] = framesOf(provider, [failures[provider]]);

  /** What the client reads when the provider says all of `before`, is heard, and then says the rest at once. */
  async function read(before: number): Promise<string> {
    const { promise: heard, resolve } = Promise.withResolvers<void>();
    crossed.upstream.on(async (_, response) => {
      response.writeHead(200, sse).write(begun.slice(0, before).join(""));
      await heard;
      response.end([...begun.slice(before), failure].join(""));
    });
    const { id, text } = await crossed.ask(client, provider, {}, true, () => resolve());
    return text
      .replaceAll(id.slice("req_".length), "")
      .replaceAll(/"created(_at)?":\d+|"createTime":"[^"]+"/g, "");
  }

  test("is heard to its last word, also when that comes with the failure", async () => {
    const apart = await read(begun.length);
    expect(await read(begun.length - 1)).toBe(apart);
    const [event, other] = crossed.memory.events;
    expect(other?.usage).toEqual(event?.usage);
  });
});

describe("bytes and headers", () => {
  test("pitfall 26: no length, coding, cookie or other header of the provider's is passed on", async () => {
    const answer = JSON.stringify(wholeAnswers.openai);
    crossed.upstream.on((_, response) =>
      response
        .writeHead(200, {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(answer),
          "content-encoding": "identity",
          "set-cookie": "a=b",
          "x-ratelimit-limit-requests": "9",
        })
        .end(answer),
    );
    for (const client of ["openai", "anthropic"] as const) {
      const { status, headers } = await crossed.ask(client, "openai");
      expect(status).toBe(200);
      for (const name of ["content-length", "content-encoding", "set-cookie", "x-ratelimit-limit-requests"]) {
        expect(headers).not.toHaveProperty(name);
      }
    }
    crossed.upstream.on((_, response) =>
      response.writeHead(400, { "content-encoding": "gzip" }).end("\u001f\u008b"),
    );
    const refused = await crossed.ask("anthropic", "openai");
    expect(refused.headers).not.toHaveProperty("content-encoding");
    expect(refused.json()).toMatchObject({ type: "error" });
  });

  test.each(speeches)(
    "pitfall 27: characters and lines cut anywhere are whole again, from %s",
    async (provider) => {
      const text = "Zoë 🙂";
      const items = JSON.parse(JSON.stringify(streamAnswers[provider]).replaceAll("Hello", text)) as Json[];
      crossed.upstream.on(async (_, response) => {
        response.writeHead(200, sse);
        for (const byte of Buffer.from(framesOf(provider, items).join("") + streamEnd[provider])) {
          response.write(Buffer.from([byte]));
          await setImmediate();
        }
        response.end();
      });
      const frames = framesIn((await crossed.ask("responses", provider, {}, true)).text);
      expect(frames.find(({ type }) => type === "response.output_text.done")?.text).toBe(text);
    },
  );

  test("pitfall 28: unknown fields are dropped by name, and anthropic-beta goes to Anthropic alone", async () => {
    const headers = { ...crossed.headers, "anthropic-beta": "new-thing-2026-01-01" };
    const ask = (provider: Speech) => {
      crossed.upstream.json(wholeAnswers[provider]);
      const body = { model: modelOf(provider), ...least.anthropic, new_thing: { a: 1 } };
      return call(crossed.serve, "/v1/messages", { headers, body });
    };
    const across = await ask("openai");
    expect([across.status, across.headers["x-gateway-dropped"]]).toEqual([200, "new_thing"]);
    expect(crossed.sent()).not.toHaveProperty("new_thing");
    expect(crossed.upstream.requests.at(-1)?.headers).not.toHaveProperty("anthropic-beta");
    expect((await ask("anthropic")).status).toBe(200);
    expect(crossed.sent().new_thing).toEqual({ a: 1 });
    expect(crossed.upstream.requests.at(-1)?.headers).toHaveProperty(
      "anthropic-beta",
      "new-thing-2026-01-01",
    );
  });
});

describe("vendors' own limits", () => {
  test("pitfall 29: a temperature above Anthropic's 1 becomes 1 and is named; within it nothing changes", async () => {
    crossed.upstream.json(wholeAnswers.anthropic);
    const hot = await crossed.ask("openai", "anthropic", { temperature: 1.5 });
    expect([hot.status, hot.headers["x-gateway-dropped"]]).toEqual([200, "temperature"]);
    expect(crossed.sent().temperature).toBe(1);
    await crossed.ask("openai", "anthropic", { temperature: 0.5 });
    expect(crossed.sent().temperature).toBe(0.5);
    await crossed.ask("openai", "anthropic");
    expect(crossed.sent()).not.toHaveProperty("temperature");
  });

  test("pitfall 30: a vendor's limits on tool_choice are its own to tell: the choice goes as it is, its 400 comes back", async () => {
    const error = { message: "tool_choice only supports auto", code: "1210" };
    crossed.upstream.on((_, response) => response.writeHead(400).end(JSON.stringify({ error })));
    const reply = await crossed.ask("openai", "openai", { tool_choice: "required" });
    expect(crossed.sent().tool_choice).toBe("required");
    expect(reply.status).toBe(400);
    expect(reply.json().error).toMatchObject({
      message: expect.stringContaining("only supports auto") as string,
      upstream_code: "1210",
    });
  });

  test("pitfall 37: MiniMax's <think> is content, its own switch goes along, and its bounds hold", async () => {
    const chunks = ["<think>", "Hm.", "</think>Hello"].map((content) => ({
      id: "c",
      choices: [{ index: 0, delta: { content }, finish_reason: null }],
    }));
    const frames = [...chunks, ...streamAnswers.openai.slice(-2)];
    crossed.upstream.on(streamed("openai", frames, streamEnd.openai));
    const reply = await crossed.ask("openai", "openai", { reasoning_split: true }, true);
    expect(crossed.sent().reasoning_split).toBe(true);
    expect(framesIn(reply.text)).toEqual(frames);
    crossed.upstream.on(streamed("openai", [streamAnswers.openai[0] ?? {}, ...frames], streamEnd.openai));
    const across = readResponse(Buffer.from((await crossed.ask("responses", "openai", {}, true)).text));
    expect(JSON.stringify(across.output)).toContain("<think>Hm.</think>Hello");
    expect((await crossed.ask("openai", "openai", { temperature: 2.1 })).status).toBe(400);
    expect((await crossed.ask("openai", "anthropic", { n: 2 })).status).toBe(400);
  });
});
