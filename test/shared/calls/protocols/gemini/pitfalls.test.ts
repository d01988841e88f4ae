/** What gateways got wrong with Gemini (protocols.md §6.6), by name, and what its clients must be given. */
import { describe, expect, test } from "vitest";
import type { Fields } from "#shared/base/json/fields.ts";
import { renderFrame } from "#shared/base/sse/frames.ts";
import type { ChatEvent } from "#shared/calls/chat/event.ts";
import type { ChatReply } from "#shared/calls/chat/reply.ts";
import type { AssistantPart, ChatRequest, UserPart } from "#shared/calls/chat/request.ts";
import { restoreSignatures } from "#shared/calls/chat/signature.ts";
import { geminiCrossing as crossing } from "#shared/calls/protocols/gemini/crossing/index.ts";
import { framesOf, readGolden, readStrictly } from "#test/support/gemini.ts";
import { origin, taggedReply } from "#test/support/signatures.ts";

const target = { model: "gemini-3.5-flash", output_tokens: 8_192 };
const replyTarget = { model: "google/gemini-3.5-flash", request: {}, hide_usage: false };
const asks: ChatRequest = {
  system: [],
  messages: [{ role: "user", parts: [{ type: "text", text: "Go" }] }],
  tools: [],
  stop: [],
  stream: false,
};

function encode(request: Partial<ChatRequest>, model = target.model) {
  return crossing.encodeRequest({ ...asks, ...request }, { ...target, model });
}

/** The contents that a conversation of these turns, the user's first, is sent as. */
function contentsOf(...turns: (UserPart[] | AssistantPart[])[]): unknown {
  const messages = turns.map((parts, index) => ({ role: index % 2 === 0 ? "user" : "assistant", parts }));
  return encode({ messages: messages as ChatRequest["messages"] }).body.contents;
}

const text = (words: string) => ({ type: "text" as const, text: words });
const call = (id: string, more: object = {}) =>
  ({ type: "tool_call", id, name: "now", arguments: "{}", ...more }) as AssistantPart;
const result = (id: string, more: object = {}) =>
  ({ type: "tool_result", call_id: id, content: [text("noon")], ...more }) as UserPart;

function eventsOf(name: string): ChatEvent[] {
  const decoder = crossing.createDecoder();
  return [
    ...framesOf(readGolden(`streams/${name}.sse`)).flatMap((frame) => decoder.push(frame)),
    ...decoder.end(),
  ];
}

describe("pitfalls towards a Gemini provider", () => {
  test("10: the first call of a turn without a signature gets Google's sentinel, a signed one keeps its own", () => {
    expect(contentsOf([text("Go")], [call("a"), call("b")], [result("a"), result("b")])).toMatchObject([
      {},
      {
        role: "model",
        parts: [{ thoughtSignature: "skip_thought_signature_validator" }, { functionCall: { id: "b" } }],
      },
      {},
    ]);
    const [, signed] = contentsOf([text("Go")], [call("a", { signature: "c2ln" }), call("b")]) as Fields[];
    expect(signed).toEqual({
      role: "model",
      parts: [
        { functionCall: { id: "a", name: "now", args: {} }, thoughtSignature: "c2ln" },
        { functionCall: { id: "b", name: "now", args: {} } },
      ],
    });
  });

  test("11: schemas go where Gemini takes all of JSON Schema", () => {
    const schema = { $schema: "x", type: "object", properties: { a: { const: 1, exclusiveMinimum: 0 } } };
    const { body, dropped } = encode({
      tools: [{ name: "f", description: "d", parameters: schema, strict: true }, { name: "g" }],
      tool_choice: { type: "tool", name: "f" },
      format: { type: "json_schema", name: "n", schema, strict: true },
    });
    expect(body.tools).toEqual([
      {
        functionDeclarations: [{ name: "f", description: "d", parametersJsonSchema: schema }, { name: "g" }],
      },
    ]);
    expect(body.toolConfig).toEqual({
      functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["f"] },
    });
    expect(body.generationConfig).toEqual({
      responseMimeType: "application/json",
      responseJsonSchema: schema,
    });
    expect(dropped).toEqual(["format.name", "tools.strict"]);
  });

  test("14: a call without arguments is an empty object, and malformed ones are kept as text", () => {
    const args = (given: string) => {
      const [, turn] = contentsOf([text("Go")], [call("a", { arguments: given })]) as { parts: Fields[] }[];
      return turn?.parts.map((part) => part.functionCall);
    };
    expect(args("")).toEqual([{ id: "a", name: "now", args: {} }]);
    expect(args('{"a":')).toMatchObject([{ args: { arguments: '{"a":' } }]);
    expect(args("[1]")).toMatchObject([{ args: { arguments: "[1]" } }]);
  });

  test("15: results from several messages are one turn, each under the name of its call", () => {
    const messages = [
      ...asks.messages,
      { role: "assistant", parts: [call("a"), { ...call("b"), name: "later" }] },
      { role: "user", parts: [result("a")] },
      {
        role: "user",
        parts: [result("b", { is_error: true }), result("lost", { name: "named" }), result("gone")],
      },
      { role: "user", parts: [text("Go on")] },
    ] as ChatRequest["messages"];
    const contents = encode({ messages }).body.contents as Fields[];
    expect(contents).toHaveLength(4);
    expect(contents[2]).toEqual({
      role: "user",
      parts: [
        { functionResponse: { id: "a", name: "now", response: { result: "noon" } } },
        { functionResponse: { id: "b", name: "later", response: { error: "noon" } } },
        { functionResponse: { id: "lost", name: "named", response: { result: "noon" } } },
        { functionResponse: { id: "gone", name: "gone", response: { result: "noon" } } },
      ],
    });
    // Newer models refuse a turn with anything behind results.
    expect(contents[3]).toEqual({ role: "user", parts: [{ text: "Go on" }] });
  });

  test("16: empty text is never sent, nor a turn of nothing else", () => {
    const { body } = encode({
      system: [text("")],
      messages: [
        { role: "user", parts: [text(""), text("Go")] },
        { role: "assistant", parts: [text("")] },
        { role: "user", parts: [text("on")] },
      ],
    });
    expect(body).toEqual({ contents: [{ role: "user", parts: [{ text: "Go" }, { text: "on" }] }] });
  });

  test("17: thoughts go back with their signatures; what another vendor redacted is dropped by name", () => {
    const thoughts: AssistantPart[] = [
      { type: "reasoning", text: "Hm.", signature: "c2ln" },
      { type: "reasoning", text: "", signature: "ZW5k" },
      { type: "reasoning", text: "", signature: "xyz", redacted: true },
      { type: "reasoning", text: "" },
    ];
    expect(contentsOf([text("Go")], thoughts)).toMatchObject([
      {},
      {
        parts: [
          { text: "Hm.", thought: true, thoughtSignature: "c2ln" },
          { text: "", thoughtSignature: "ZW5k" },
        ],
      },
    ]);
    const messages: ChatRequest["messages"] = [{ role: "assistant", parts: thoughts }];
    expect(encode({ messages }).dropped).toEqual(["messages.parts.redacted"]);
  });

  test("18: text beside calls stays, and media of a result go with it", () => {
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } };
    const linked = { type: "image", source: { type: "url", url: "https://media.example/a.png" } };
    const content = [text("one"), image, linked, text("two")];
    expect(contentsOf([text("Go")], [text("Now."), call("a")], [result("a", { content })])).toMatchObject([
      {},
      { parts: [{ text: "Now." }, { functionCall: {} }] },
      {
        parts: [
          {
            functionResponse: {
              response: { result: "one\ntwo" },
              parts: [{ inlineData: { mimeType: "image/png", data: "AAAA" } }],
            },
          },
        ],
      },
      { parts: [{ fileData: { fileUri: "https://media.example/a.png" } }] },
    ]);
  });

  test.each([
    [{ effort: "low" }, "gemini-3.5-flash", { thinkingLevel: "LOW" }],
    [
      { effort: "xhigh", include: true },
      "gemini-3.1-pro-preview",
      { thinkingLevel: "HIGH", includeThoughts: true },
    ],
    [{ effort: "none" }, "gemini-3.5-flash", { thinkingBudget: 0 }],
    [{ effort: "low", budget_tokens: 100 }, "gemini-3.5-flash", { thinkingBudget: 100 }],
  ] as const)("thinking: %j of %s", (reasoning, model, config) => {
    expect(encode({ reasoning }, model).body.generationConfig).toEqual({ thinkingConfig: config });
  });
});

describe("pitfalls from a Gemini provider", () => {
  test("8: parallel calls have an index each over the whole stream", () => {
    const starts = eventsOf("parallel-tools").filter((event) => event.type === "tool-call-start");
    expect(starts.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(new Set(starts.map(({ id }) => id)).size).toBe(3);
  });

  test("9: a call, then STOP in a chunk of its own, is still a stop for tool calls", () => {
    expect(eventsOf("call-then-stop").at(-1)).toEqual({ type: "reply-end", stop_reason: "tool_calls" });
  });

  test("10: the signature of a call comes out with it", () => {
    expect(eventsOf("call-then-stop")).toContainEqual(expect.objectContaining({ signature: "c2lnbmVk" }));
  });

  test("21, 22: a cut or failed stream has no ending but the error, and nothing follows", () => {
    for (const name of ["cut-off", "error", "malformed-call"]) {
      expect(eventsOf(name).map(({ type }) => type)).not.toContain("reply-end");
      expect(eventsOf(name).at(-1)).toMatchObject({ type: "error" });
    }
    const decoder = crossing.createDecoder();
    expect(decoder.push(Buffer.from(`{"error":{"code":503}}\n\n`))).toMatchObject([{ type: "error" }]);
    expect(decoder.push(renderFrame(`{"candidates":[{"finishReason":"STOP"}]}`))).toEqual([]);
    expect(decoder.end()).toEqual([]);
    expect(() => crossing.decodeReply({ error: { code: 503 } })).toThrow(TypeError);
    expect(() => crossing.decodeReply({ candidates: [] })).toThrow(TypeError);
  });

  test("35: usage is told once, the last one", () => {
    expect(eventsOf("thinking-cached").filter(({ type }) => type === "usage")).toHaveLength(1);
  });

  test("a reply without an id gets the same one each time, and its calls unique ones", () => {
    const reply = (city: string) => ({
      candidates: [
        { content: { parts: [{ functionCall: { name: "f", args: { city } } }] }, finishReason: "STOP" },
      ],
    });
    expect(crossing.decodeReply(reply("Rome"))).toEqual(crossing.decodeReply(reply("Rome")));
    const [rome, oslo] = ["Rome", "Oslo"].map(
      (city) => crossing.decodeReply(reply(city)).parts[0] as { id: string },
    );
    expect(rome?.id).not.toBe(oslo?.id);
    expect(rome?.id).toMatch(/^[a-zA-Z0-9_-]{1,40}$/);
  });
});

describe("towards a Gemini client", () => {
  const reply: ChatReply = { id: "r", created: 0, parts: [], stop_reason: "stop" };

  test("another vendor's signature survives clients that rewrite base64", () => {
    const signature = "gAAAAABo-_x=";
    const parts: AssistantPart[] = [
      { type: "reasoning", text: "Hm.", signature },
      { type: "reasoning", text: "", signature: "cmVk", redacted: true },
    ];
    const encoded = crossing.encodeReply(taggedReply({ ...reply, parts }), replyTarget);
    const [{ content }] = encoded.candidates as [{ content: { parts: { thoughtSignature: string }[] } }];
    const urlSafe = content.parts.map((part) => {
      const bytes = Buffer.from(part.thoughtSignature, "base64");
      expect(bytes.toString("base64")).toBe(part.thoughtSignature);
      return { ...part, thoughtSignature: bytes.toString("base64url") };
    });
    const { request } = crossing.decodeRequest({ contents: [{ role: "model", parts: urlSafe }] });
    const { messages } = restoreSignatures(request.messages, origin);
    expect(messages).toEqual([{ role: "assistant", parts }]);
  });

  test("a stream that fails ends with the error frame; unfinished calls are not lost at a normal end", () => {
    const encoder = crossing.createEncoder(replyTarget);
    expect(encoder.push({ type: "error", message: "secret" }).join("")).toBe(
      `data: {"error":{"code":500,"message":"The model's provider failed.","status":"INTERNAL"}}\n\n`,
    );
    const late = crossing.createEncoder(replyTarget);
    const events: ChatEvent[] = [
      { type: "reply-start", id: "r", created: 0 },
      { type: "tool-call-start", index: 0, id: "a", name: "f" },
      { type: "reply-end", stop_reason: "tool_calls" },
    ];
    expect(readStrictly(Buffer.concat(events.flatMap((event) => late.push(event)))).calls).toEqual([
      { id: "a", name: "f", args: {} },
    ]);
  });

  test("a refusal's words stand beside the finish reason, pause has the nearest one", () => {
    const encoded = crossing.encodeReply({ ...reply, refusal: "No." }, replyTarget);
    expect(encoded.candidates).toMatchObject([{ finishReason: "SAFETY", finishMessage: "No." }]);
    const silent = crossing.encodeReply({ ...reply, parts: [], refusal: "No." }, replyTarget);
    expect(silent.candidates).toMatchObject([
      { content: { parts: [{ text: "No." }] }, finishMessage: "No." },
    ]);
    const paused = crossing.encodeReply({ ...reply, stop_reason: "pause" }, replyTarget);
    expect(paused.candidates).toMatchObject([{ finishReason: "OTHER" }]);
  });
});
