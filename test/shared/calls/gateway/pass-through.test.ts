/** The main road: what the provider receives and what the client receives, byte for byte. */
import { describe, expect, test } from "vitest";
import {
  chatBody,
  delta,
  done,
  messagesBody,
  sse,
  streamOf,
  usageFrame,
  useScenario,
} from "#test/support/scenario.ts";

const scenario = useScenario();

describe("pass-through", () => {
  test("the provider gets the client's bytes with only the model changed, the client the provider's", async () => {
    const body = `{ "z":12345678901234567890,"model" : "TEST/model.1", "messages":[{"role":"user","content":"\\u00e9 é 😀"}],\n"a":{"b":1.0e+2} }`;
    const answer = `{"id" : "c",  "choices":[{"message":{"content":"Hi"}}],"usage":{"prompt_tokens":1,"completion_tokens":1},"n":1.50 }`;
    scenario.upstream.on((_, response) =>
      response.writeHead(201, { "content-type": "application/json; charset=x" }).end(answer),
    );
    const reply = await scenario.chat({ body });
    expect(scenario.upstream.requests[0]?.body.toString()).toBe(
      body.replace("TEST/model.1", "upstream-model"),
    );
    expect(scenario.upstream.requests[0]?.path).toBe("/v1/chat/completions");
    expect(scenario.upstream.requests[0]?.headers.authorization).toBe("Bearer upstream-secret");
    expect(reply).toMatchObject({ status: 201, text: answer });
    expect(reply.headers["content-type"]).toBe("application/json; charset=x");
    expect(reply.headers["x-request-id"]).toBe(reply.id);
  });

  test("a large body arrives as it came too, and what it lacks is added", async () => {
    const text = String.raw`A long text, é 你好 😀, \u00e9 \n \"quoted\". `.repeat(20_000);
    const body = `{ "stream":true,"messages":[{"role":"user" , "content":"${text}"},{"role":"user","content":"${text}"}],"model":"TEST/model.1","n":1 }`;
    scenario.upstream.on(streamOf(delta("Hi"), usageFrame, done));
    expect((await scenario.chat({ body })).status).toBe(200);
    expect(scenario.upstream.requests[0]?.body.toString()).toBe(
      body.replace(
        '"model":"TEST/model.1"',
        '"stream_options":{"include_usage":true},"model":"upstream-model"',
      ),
    );
  });

  const switched: [name: string, sent: string, received: string][] = [
    [
      "absent",
      `{"stream":true,"model":"m"`,
      `{"stream":true,"stream_options":{"include_usage":true},"model":"m"`,
    ],
    [
      "null",
      `{"stream_options":null,"stream":true,"model":"m"`,
      `{"stream_options":{"include_usage":true},"stream":true,"model":"m"`,
    ],
    [
      "empty",
      `{"stream_options": { } ,"stream":true,"model":"m"`,
      `{"stream_options": {"include_usage":true } ,"stream":true,"model":"m"`,
    ],
    [
      "false",
      `{"stream_options":{"include_usage" : false,"x":1},"stream":true,"model":"m"`,
      `{"stream_options":{"include_usage" : true,"x":1},"stream":true,"model":"m"`,
    ],
    [
      "other",
      `{"stream_options":{"x":1},"stream":true,"model":"m"`,
      `{"stream_options":{"include_usage":true,"x":1},"stream":true,"model":"m"`,
    ],
    ["not streamed", `{"stream_options":{"x":1},"model":"m"`, `{"stream_options":{"x":1},"model":"m"`],
  ];
  test.each(switched)("stream_options %s", async (_, sent, received) => {
    scenario.upstream.on(streamOf(delta("Hi"), usageFrame, done));
    const rest = `,"messages":[{"role":"user","content":"x"}]}`;
    await scenario.chat({ body: sent.replace('"m"', '"test/model-1"') + rest });
    expect(scenario.upstream.requests[0]?.body.toString()).toBe(
      received.replace('"m"', '"upstream-model"') + rest,
    );
  });

  test("no header of the client reaches the provider but the protocol's own", async () => {
    scenario.upstream.on((_, response) =>
      response.writeHead(200, { "content-type": "application/json" }).end(
        JSON.stringify({
          type: "message",
          content: [{ type: "text", text: "x" }],
          usage: { input_tokens: 1, output_tokens: 1 },
        }),
      ),
    );
    const canaries = {
      cookie: "canary=1",
      "x-stainless-os": "canary",
      "openai-organization": "canary",
      "x-forwarded-for": "canary",
      "anthropic-beta": "b-1",
      "anthropic-version": "2026-10-21",
    };
    await scenario.message({ headers: { ...scenario.bearer(), ...canaries }, body: messagesBody });
    const seen = scenario.upstream.requests[0]?.headers ?? {};
    expect(JSON.stringify(seen)).not.toContain("canary");
    expect(JSON.stringify(seen)).not.toContain(scenario.key);
    expect(seen).toMatchObject({ "anthropic-beta": "b-1", "anthropic-version": "2026-10-21" });
  });

  test("each chunk leaves before the provider sends the next", async () => {
    let release: (() => void) | undefined;
    const texts = ["one", "two", "three"];
    scenario.upstream.on(async (_, response) => {
      response.writeHead(200, sse);
      for (const text of texts) {
        response.write(delta(text));
        // Sent on only once the client has this one: a gateway that held it back would hang here.
        await new Promise<void>((resolve) => (release = resolve));
      }
      response.end(usageFrame + done);
    });
    const reply = await scenario.chat({ body: { ...chatBody, stream: true }, onChunk: () => release?.() });
    expect(reply.text).toBe(texts.map(delta).join("") + usageFrame + done);
  });

  test("a stream cut at every byte is the same stream, and the same usage", async () => {
    const whole = Buffer.from(delta("é漢字😀") + usageFrame + done);
    for (let cut = 1; cut < whole.length; cut += 1) {
      scenario.upstream.on((_, response) => {
        response.writeHead(200, sse);
        response.write(whole.subarray(0, cut), () => response.end(whole.subarray(cut)));
      });
      const reply = await scenario.chat({ body: { ...chatBody, stream: true } });
      expect(reply.text).toBe(whole.toString());
      expect(scenario.memory.events.at(-1)).toMatchObject({
        evidence: "reported",
        usage: { input_tokens: 10, output_tokens: 4 },
      });
    }
  });

  test("include_usage: false keeps the usage chunk from the client, not from us", async () => {
    scenario.upstream.on(streamOf(delta("Hi"), usageFrame, done));
    const body = { ...chatBody, stream: true, stream_options: { include_usage: false } };
    const reply = await scenario.chat({ body });
    expect(reply.text).toBe(delta("Hi") + done);
    expect(scenario.memory.events[0]?.usage.output_tokens).toBe(4);
  });
});
