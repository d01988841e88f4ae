/** Gemini across the neutral form: goldens, the laws of both directions, and what is refused. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ChatEvent, foldEvents } from "#shared/calls/chat/event.ts";
import type { ChatReply, ReplyUsage } from "#shared/calls/chat/reply.ts";
import type {
  AssistantPart,
  ChatMessage,
  ChatRequest,
  DecodedRequest,
  MediaPart,
  UserPart,
} from "#shared/calls/chat/request.ts";
import { untag } from "#shared/calls/chat/signature.ts";
import { geminiCrossing as crossing } from "#shared/calls/protocols/gemini/crossing/index.ts";
import { casesIn, framesOf, readGolden, readJson, readStrictly } from "#test/support/gemini.ts";
import { neutralReply, neutralRequest, neutralStream } from "#test/support/neutral.ts";
import { taggedEvents, taggedReply } from "#test/support/signatures.ts";

const target = { model: "gemini-3.5-flash", output_tokens: 8_192 };
const replyTarget = { model: "google/gemini-3.5-flash", request: {}, hide_usage: false };
const overTheWire = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

function decodeStream(bytes: Buffer, cuts: number[] = []): ChatEvent[] {
  const decoder = crossing.createDecoder();
  return [...framesOf(bytes, cuts).flatMap((frame) => decoder.push(frame)), ...decoder.end()];
}

function encodeStream(events: ChatEvent[]): Buffer {
  const encoder = crossing.createEncoder(replyTarget);
  return Buffer.concat(events.flatMap((event) => encoder.push(event)));
}

describe("goldens", () => {
  test.each(casesIn("requests", ".neutral.json"))("request %s", (name) => {
    const decoded = crossing.decodeRequest(readJson(`requests/${name}.json`));
    expect(decoded).toEqual(readJson<DecodedRequest>(`requests/${name}.neutral.json`));
    const { body } = crossing.encodeRequest(decoded.request, target);
    expect(crossing.decodeRequest(overTheWire(body)).request).toEqual(carriable(decoded.request));
  });

  test.each(casesIn("replies", ".neutral.json"))("reply %s", (name) => {
    const reply = crossing.decodeReply(readJson(`replies/${name}.json`));
    expect(reply).toEqual(readJson(`replies/${name}.neutral.json`));
    // A refusal's words are also the text of an answer that has none.
    const isSilent = reply.refusal !== undefined && reply.parts.length === 0;
    const told = isSilent ? { ...reply, parts: [{ type: "text", text: reply.refusal }] } : reply;
    expect(crossing.decodeReply(overTheWire(crossing.encodeReply(reply, replyTarget)))).toEqual(told);
  });

  const streams = casesIn("streams", ".events.json");

  test.each(streams)("stream %s, cut anywhere, with either line end", (name) => {
    const bytes = readGolden(`streams/${name}.sse`);
    const events = readJson<ChatEvent[]>(`streams/${name}.events.json`);
    expect(decodeStream(bytes)).toEqual(events);
    expect(decodeStream(Buffer.from(bytes.toString("utf8").replaceAll("\n", "\r\n")))).toEqual(events);
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 12 }), (cuts) => {
        expect(decodeStream(bytes, cuts)).toEqual(events);
      }),
      { seed: 5, numRuns: 50 },
    );
  });

  const told = casesIn("streams", ".usage.json");

  test.each(told)("stream %s: the four counters", (name) => {
    const reported = decodeStream(readGolden(`streams/${name}.sse`)).filter(
      (event) => event.type === "usage",
    );
    expect(reported).toHaveLength(1);
    expect(reported[0]?.usage).toMatchObject(readJson(`streams/${name}.usage.json`));
  });

  const both = told.filter((name) => casesIn("replies", ".neutral.json").includes(name));

  test("folding a stream gives the whole reply", () => {
    expect(both.length).toBeGreaterThanOrEqual(4);
    for (const name of both) {
      const folded = foldEvents(decodeStream(readGolden(`streams/${name}.sse`)));
      expect(folded).toEqual(crossing.decodeReply(readJson(`replies/${name}.json`)));
    }
  });
});

/** What Gemini keeps of an answer's parts in a request: not what another vendor redacted. */
function carriableAnswer(parts: AssistantPart[]): AssistantPart[] {
  return parts.filter((part) => part.type !== "reasoning" || !part.redacted);
}

/** A medium without its file name; an address without a media type comes back as a file. */
function carriableMedia({ type, source }: MediaPart): MediaPart {
  const { media_type } = source;
  return { type: media_type === undefined ? "file" : type, source };
}

function carriableUser(part: UserPart): UserPart {
  if (part.type === "text") return part;
  if (part.type !== "tool_result") return carriableMedia(part);
  const texts = part.content.filter((item) => item.type === "text").map(({ text }) => text);
  const media = part.content.filter((item) => item.type !== "text").map(carriableMedia);
  return {
    ...part,
    content: [...(texts.length > 0 ? [{ type: "text" as const, text: texts.join("\n") }] : []), ...media],
  };
}

/** Pieces of a text are one, and thoughts that nothing signs run into the next one. */
function joined(parts: readonly AssistantPart[]): AssistantPart[] {
  const [first, second, ...rest] = parts;
  if (first?.type === "text" && second?.type === "text") {
    return joined([{ ...first, text: first.text + second.text }, ...rest]);
  }
  if (first?.type === "reasoning" && !first.signature && second?.type === "reasoning") {
    return joined([{ ...second, text: first.text + second.text }, ...rest]);
  }
  return first ? [first, ...joined(parts.slice(1))] : [];
}

/** A request without what Gemini has no place for, its neighbouring turns merged. */
function carriable(request: ChatRequest): ChatRequest {
  const { user: _, parallel_tool_calls: __, format, reasoning, ...rest } = request;
  const messages: ChatRequest["messages"] = [];
  for (const message of request.messages) {
    const parts = message.role === "user" ? message.parts.map(carriableUser) : carriableAnswer(message.parts);
    const last = messages.at(-1);
    if (last?.role === message.role) (last.parts as unknown[]).push(...parts);
    else messages.push({ role: message.role, parts } as ChatRequest["messages"][number]);
  }
  messages.splice(0, messages.length, ...messages.flatMap(resultsAlone));
  for (const message of messages) if (message.role === "assistant") message.parts = joined(message.parts);
  const plain =
    format?.type === "json_schema" ? { type: format.type, name: "response", schema: format.schema } : format;
  const effort = reasoning?.effort === "xhigh" ? "high" : reasoning?.effort;
  const kept: ChatRequest = {
    ...rest,
    messages,
    stream: false,
    tools: request.tools.map(({ strict: ___, ...tool }) => tool),
    ...(plain ? { format: plain } : {}),
    ...(reasoning ? { reasoning: { ...reasoning, ...(effort ? { effort } : {}) } } : {}),
  };
  if (kept.tools.length === 0) delete kept.tool_choice;
  return kept;
}

/** Results have a turn of their own. */
function resultsAlone(message: ChatMessage): ChatMessage[] {
  if (message.role !== "user") return [message];
  const turns = [true, false].map((isResult) =>
    message.parts.filter(({ type }) => (type === "tool_result") === isResult),
  );
  return turns.filter(({ length }) => length > 0).map((parts) => ({ role: "user", parts }));
}

/** What was written to a cache counts as prompt. */
function carriableUsage(usage: ReplyUsage): ReplyUsage {
  const { input_tokens, cache_write_tokens } = usage;
  return { ...usage, input_tokens: input_tokens + cache_write_tokens, cache_write_tokens: 0 };
}

/** A thought that nothing signs runs into the next one, so only the last of such a row is asked for. */
function carriableReply(reply: ChatReply): ChatReply {
  const parts = reply.parts.filter(
    (part, index) =>
      part.type !== "reasoning" || part.signature || reply.parts[index + 1]?.type !== "reasoning",
  );
  return { ...reply, parts, ...(reply.usage ? { usage: carriableUsage(reply.usage) } : {}) };
}

describe("laws", () => {
  test("decode ∘ encode is the identity on every request Gemini can carry", () => {
    fc.assert(
      fc.property(neutralRequest, (request) => {
        const { body, dropped } = crossing.encodeRequest(request, target);
        const back = crossing.decodeRequest(overTheWire(body));
        expect(back.request).toEqual(carriable(request));
        expect(back.dropped).toEqual([]);
        expect(dropped.includes("user")).toBe(request.user !== undefined);
        expect(dropped.includes("parallel_tool_calls")).toBe(request.parallel_tool_calls === false);
        expect(dropped.includes("reasoning.effort")).toBe(request.reasoning?.effort === "xhigh");
      }),
      { seed: 21, numRuns: 500 },
    );
  });

  test("decode ∘ encode is the identity on every whole reply", () => {
    fc.assert(
      fc.property(
        neutralReply.map(carriableReply).map((reply) => taggedReply(reply)),
        (reply) => {
          expect(crossing.decodeReply(overTheWire(crossing.encodeReply(reply, replyTarget)))).toEqual(reply);
        },
      ),
      { seed: 22, numRuns: 500 },
    );
  });

  test("a stream written keeps to Gemini's grammar, says the same, and ends with the same usage", () => {
    fc.assert(
      fc.property(neutralStream, ({ reply, events }) => {
        const read = readStrictly(encodeStream(taggedEvents(events)));
        const { calls, thoughts, text, signatures } = read;
        expect(read.id).toBe(reply.id);
        expect(text).toBe(reply.parts.map((part) => (part.type === "text" ? part.text : "")).join(""));
        expect(thoughts).toBe(
          reply.parts.map((part) => (part.type === "reasoning" ? part.text : "")).join(""),
        );
        expect(calls).toEqual(
          reply.parts.flatMap((part) =>
            part.type === "tool_call"
              ? [{ id: part.id, name: part.name, args: JSON.parse(part.arguments) }]
              : [],
          ),
        );
        const signed = reply.parts.flatMap((part) => ("signature" in part ? [part.signature] : []));
        expect(signatures.map((signature) => untag(signature)?.signature)).toEqual(signed);
        const reasons = {
          stop: "STOP",
          tool_calls: "STOP",
          length: "MAX_TOKENS",
          refusal: "SAFETY",
          pause: "OTHER",
        };
        expect(read.finish.reason).toBe(reasons[reply.stop_reason]);
        const { input_tokens, cache_read_tokens, cache_write_tokens, output_tokens } =
          reply.usage as ReplyUsage;
        const prompt = input_tokens + cache_read_tokens + cache_write_tokens;
        expect(read.usage).toMatchObject({
          promptTokenCount: prompt,
          totalTokenCount: prompt + output_tokens,
        });
        const {
          candidatesTokenCount = 0,
          thoughtsTokenCount = 0,
          cachedContentTokenCount = 0,
        } = read.usage ?? {};
        expect(candidatesTokenCount + thoughtsTokenCount).toBe(output_tokens);
        expect(cachedContentTokenCount).toBe(cache_read_tokens);
      }),
      { seed: 23, numRuns: 300 },
    );
  });

  test("a stream written and read again folds to the same reply", () => {
    const carried = neutralStream.filter(
      ({ reply }) => carriableReply(reply).parts.length === reply.parts.length,
    );
    fc.assert(
      fc.property(carried, ({ reply, events }) => {
        const told = decodeStream(encodeStream(taggedEvents(events)));
        expect(foldEvents(told)).toEqual(taggedReply(carriableReply(reply)));
      }),
      { seed: 24, numRuns: 300 },
    );
  });
});

describe("a Gemini client's request is refused where its meaning would be lost", () => {
  const contents = [{ parts: [{ text: "Go" }] }];
  const model = (part: object) => ({ contents: [{ role: "model", parts: [part] }] });
  const user = (part: object) => ({ contents: [{ parts: [part] }] });
  const config = (generationConfig: object) => ({ contents, generationConfig });
  test.each([
    { contents, cachedContent: "cachedContents/1" },
    { contents, tools: ["x"] },
    { contents, tools: [{ functionDeclarations: [{}] }] },
    config({ candidateCount: 2 }),
    config({ responseLogprobs: true }),
    config({ responseModalities: ["TEXT", "IMAGE"] }),
    config({ responseMimeType: "text/x.enum", responseSchema: { type: "STRING", enum: ["a"] } }),
    config({ responseFormat: { text: {} } }),
    config({ thinkingConfig: "high" }),
    config({ topK: 0.5 }),
    { contents: [{ role: "system", parts: [] }] },
    user({ functionCall: { name: "f" } }),
    user({ inlineData: { data: "AAAA" } }),
    user({ functionResponse: { response: {} } }),
    user({ functionResponse: { name: "f", response: "x" } }),
    user({ functionResponse: { name: "f", parts: [{ text: "x" }] } }),
    model({ inlineData: { mimeType: "image/png", data: "AAAA" } }),
    model({ functionCall: { args: {} } }),
    model({ functionCall: { name: "f", args: "{}" } }),
    { contents, systemInstruction: { parts: [{ inlineData: { mimeType: "image/png", data: "A" } }] } },
  ])("%j", (body) => {
    expect(() => crossing.decodeRequest(body)).toThrow(expect.objectContaining({ key: "invalid_request" }));
  });
});
