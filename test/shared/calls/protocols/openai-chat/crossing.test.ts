/**
 * OpenAI chat to the neutral form and back: goldens written by hand from the vendors' documentation, and
 * laws by chance.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { GatewayError } from "#shared/base/errors.ts";
import type { Fields } from "#shared/base/json/fields.ts";
import { createFrameSplitter, splitFrames } from "#shared/base/sse/frames.ts";
import { type ChatEvent, foldEvents } from "#shared/calls/chat/event.ts";
import type { ChatReply } from "#shared/calls/chat/reply.ts";
import type {
  AssistantPart,
  ChatMessage,
  ChatRequest,
  ReasoningPart,
  UserPart,
} from "#shared/calls/chat/request.ts";
import { openaiChatCrossing as crossing } from "#shared/calls/protocols/openai-chat/crossing/index.ts";
import { neutralReply, neutralRequest, neutralStream } from "#test/support/neutral.ts";
import { readOpenaiChatStream } from "#test/support/openai-chat-stream.ts";

const root = join(import.meta.dirname, "../../../../golden/openai-chat");
const target = { model: "test/model", output_tokens: 4096 };
const client = { model: "test/model", request: {}, hide_usage: false };

const names = (kind: string, companion: string) =>
  readdirSync(join(root, kind))
    .filter((file) => file.endsWith(companion))
    .map((file) => file.slice(0, -companion.length));
const bytesOf = (kind: string, file: string) => readFileSync(join(root, kind, file));
const golden = (kind: string, file: string) => JSON.parse(bytesOf(kind, file).toString());

function decode(bytes: Buffer, cuts: readonly number[] = []): ChatEvent[] {
  const splitter = createFrameSplitter(1 << 20);
  const decoder = crossing.createDecoder();
  const bounds = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
  const frames = bounds
    .slice(1)
    .flatMap((end, index) => splitFrames(splitter.push(bytes.subarray(bounds[index], end))));
  return [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()];
}

const encode = (events: readonly ChatEvent[], hide_usage = false): Buffer => {
  const encoder = crossing.createEncoder({ ...client, hide_usage });
  return Buffer.concat(events.flatMap((event) => encoder.push(event)));
};

const sse = (...chunks: object[]) =>
  Buffer.from(
    [...chunks.map((chunk) => JSON.stringify(chunk)), "[DONE]"].map((d) => `data: ${d}\n\n`).join(""),
  );
const chunk = (delta: object, finish_reason: string | null = null) => ({
  id: "x",
  created: 1,
  choices: [{ index: 0, delta, finish_reason }],
});

/** How a neutral form loses what `dropped` names. */
const without: Record<string, (request: ChatRequest) => ChatRequest> = {
  top_k: ({ top_k: _, ...rest }) => rest,
  "messages.tool_result.is_error": (request) =>
    editParts(request, (part) => {
      if (part.type !== "tool_result") return [part];
      const { is_error: _, ...rest } = part;
      return [rest];
    }),
};

type Part = AssistantPart | UserPart;

function editParts(request: ChatRequest, edit: (part: Part) => Part[]): ChatRequest {
  const messages = request.messages.map(({ role, parts }) => ({
    role,
    parts: (parts as Part[]).flatMap(edit),
  }));
  return { ...request, messages: messages as ChatMessage[] };
}

/** Without marks of the cache, which no provider of this protocol reads. */
const unmarked = (request: ChatRequest): ChatRequest =>
  editParts(request, (part) => {
    if (part.type === "reasoning" || part.type === "tool_call") return [part];
    const { cache: _, ...rest } = part;
    return [rest];
  });

const joined = (parts: readonly ReasoningPart[]): ReasoningPart[] =>
  parts.length === 0 ? [] : [{ type: "reasoning", text: parts.map(({ text }) => text).join("") }];

/** Reasoning that nobody signed is one text; one signature keeps the parts apart. */
const told = (parts: readonly ReasoningPart[]): readonly ReasoningPart[] =>
  parts.some(({ signature }) => signature) ? parts : joined(parts);

/** Neighbouring turns as one, results first, unsigned reasoning as one text: what all of them mean alike. */
function canonical(request: ChatRequest): ChatRequest {
  const messages: { role: string; parts: Part[] }[] = [];
  for (const { role, parts } of request.messages) {
    const last = messages.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else messages.push({ role, parts: [...parts] });
  }
  const rank = ({ type }: Part) => (type === "tool_result" ? 0 : 1);
  const ordered = messages.map(({ role, parts }) => ({
    role,
    parts:
      role === "user"
        ? parts.toSorted((a, b) => rank(a) - rank(b))
        : [
            ...told(parts.filter((part) => part.type === "reasoning")),
            ...parts.filter(({ type }) => type !== "reasoning"),
          ],
  }));
  return { ...request, messages: ordered as ChatMessage[] };
}

/** The reply as its stream tells it: a reasoning part without a signature runs into the next. */
function streamed(reply: ChatReply): ChatReply {
  const parts: AssistantPart[] = [];
  for (const part of reply.parts) {
    const last = parts.at(-1);
    if (part.type !== "reasoning" || part.redacted || last?.type !== "reasoning" || last.signature) {
      parts.push(part);
    } else parts.splice(-1, 1, { ...part, text: last.text + part.text });
  }
  return { ...reply, parts };
}

describe("goldens", () => {
  test("there are enough", () => {
    expect(names("requests", ".neutral.json").length).toBeGreaterThanOrEqual(12);
    expect(names("replies", ".neutral.json").length).toBeGreaterThanOrEqual(6);
    expect(names("streams", ".events.json").length).toBeGreaterThanOrEqual(8);
  });

  test.each(names("requests", ".neutral.json"))("request %s", (name) => {
    const decoded = crossing.decodeRequest(golden("requests", `${name}.json`));
    expect(decoded).toStrictEqual(golden("requests", `${name}.neutral.json`));
    const { body, dropped } = crossing.encodeRequest(decoded.request, target);
    const lost = dropped.reduce((request, field) => without[field]?.(request) ?? request, decoded.request);
    const again = crossing.decodeRequest(JSON.parse(JSON.stringify(body)));
    expect(canonical(again.request)).toStrictEqual(canonical(unmarked(lost)));
  });

  test.each(names("replies", ".neutral.json"))("reply %s", (name) => {
    const reply = crossing.decodeReply(golden("replies", `${name}.json`));
    expect(reply).toStrictEqual(golden("replies", `${name}.neutral.json`));
    expect(crossing.decodeReply(crossing.encodeReply(reply, client))).toStrictEqual(reply);
  });

  test.each(names("streams", ".events.json"))("stream %s, however it is cut", (name) => {
    const bytes = bytesOf("streams", `${name}.sse`);
    const expected = golden("streams", `${name}.events.json`);
    expect(decode(bytes)).toStrictEqual(expected);
    const cuts = fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 8 });
    fc.assert(
      fc.property(cuts, (at) => {
        expect(decode(bytes, at)).toStrictEqual(expected);
      }),
      { seed: 1, numRuns: 20 },
    );
  });

  test.each(names("streams", ".usage.json").filter((name) => name.startsWith("x-")))(
    "stream %s gives the four numbers",
    (name) => {
      const usage = golden("streams", `${name}.usage.json`);
      expect(foldEvents(decode(bytesOf("streams", `${name}.sse`))).usage).toMatchObject(usage);
    },
  );

  const both = names("replies", ".neutral.json").filter((name) =>
    names("streams", ".events.json").includes(name),
  );
  test.each(both)("%s is the same whole and streamed", (name) => {
    const folded = foldEvents(decode(bytesOf("streams", `${name}.sse`)));
    expect(folded).toStrictEqual(crossing.decodeReply(golden("replies", `${name}.json`)));
  });
});

describe("laws", () => {
  const runs = { seed: 20261121, numRuns: 300 };

  test("a request comes back as it went, less what is dropped by name", () => {
    fc.assert(
      fc.property(neutralRequest, (request) => {
        const { body, dropped } = crossing.encodeRequest(request, target);
        const again = crossing.decodeRequest(JSON.parse(JSON.stringify(body)));
        expect(again.dropped).toEqual([]);
        const expected = dropped.reduce((lost, name) => {
          const remove = without[name];
          if (!remove) throw new Error(`nothing is known of ${name}`);
          return remove(lost);
        }, request);
        expect(canonical(again.request)).toStrictEqual(canonical(expected));
      }),
      runs,
    );
  });

  test("a reply comes back as it went", () => {
    fc.assert(
      fc.property(neutralReply, (reply) => {
        const again = crossing.decodeReply(JSON.parse(JSON.stringify(crossing.encodeReply(reply, client))));
        const signed = reply.parts.some((part) => part.type === "reasoning" && part.signature);
        const reasoning = reply.parts.filter((part) => part.type === "reasoning");
        const rest = reply.parts.filter((part) => part.type !== "reasoning");
        const parts = signed ? reply.parts : [...joined(reasoning), ...rest];
        expect(again).toStrictEqual({ ...reply, parts });
      }),
      runs,
    );
  });

  test("a stream keeps the grammar and folds to the same reply", () => {
    fc.assert(
      fc.property(neutralStream, ({ reply, events }) => {
        const bytes = encode(events);
        const read = readOpenaiChatStream(bytes);
        const calls = reply.parts.filter((part) => part.type === "tool_call");
        expect(read.calls).toEqual(
          calls.map(({ id, name, arguments: text }) => ({ id, name, arguments: text })),
        );
        expect(read).toMatchObject({
          id: `chatcmpl-${reply.id}`,
          created: reply.created,
          model: client.model,
        });
        expect(foldEvents(decode(bytes))).toStrictEqual(streamed(reply));
        const whole = crossing.encodeReply(reply, client);
        expect(read.usage).toEqual(whole.usage);
        expect((whole.choices as Fields[])[0]?.finish_reason).toBe(read.finish);
      }),
      runs,
    );
  });

  test("whatever a client or a provider sends, the answer is defined", () => {
    const soup = fc.object({
      key: fc.constantFrom(
        ..."messages role content type text image_url url tools function name tool_calls id index arguments".split(
          " ",
        ),
        ..."choices message delta finish_reason usage thinking response_format json_schema tool_choice".split(
          " ",
        ),
        ..."reasoning_details file file_data input_audio stop error".split(" "),
      ),
      values: [
        fc.string(),
        fc.integer(),
        fc.boolean(),
        fc.constantFrom(null, "user", "assistant", "tool", "function"),
      ],
      maxDepth: 5,
    });
    fc.assert(
      fc.property(soup, fc.string(), (value, text) => {
        const body = value as Fields;
        expectThrowsOnly(GatewayError, () => crossing.decodeRequest(body));
        expectThrowsOnly(TypeError, () => crossing.decodeReply(body));
        decode(Buffer.concat([sse(body, chunk({ tool_calls: [body] }), chunk(body)), Buffer.from(text)]));
      }),
      { ...runs, numRuns: 1000 },
    );
  });
});

function expectThrowsOnly(kind: typeof GatewayError | typeof TypeError, run: () => unknown): void {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(kind);
  }
}
