/**
 * Anthropic messages to the neutral form and back: goldens written by hand from the vendor's documentation,
 * and laws by chance.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { GatewayError } from "#shared/base/errors.ts";
import type { Fields } from "#shared/base/json/fields.ts";
import { foldEvents } from "#shared/calls/chat/event.ts";
import type {
  AssistantPart,
  ChatMessage,
  ChatRequest,
  OutputFormat,
  UserPart,
} from "#shared/calls/chat/request.ts";
import { anthropicCrossing as crossing } from "#shared/calls/protocols/anthropic/crossing/index.ts";
import {
  bytesOf,
  client,
  decode,
  encode,
  golden,
  names,
  target,
  wire,
} from "#test/support/anthropic-crossing.ts";
import { readAnthropicStream } from "#test/support/anthropic-stream.ts";
import { neutralReply, neutralRequest, neutralStream } from "#test/support/neutral.ts";

const runs = { seed: 20261121, numRuns: 300 };

const sse = (...events: Fields[]) =>
  Buffer.from(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""));

describe("goldens", () => {
  test("there are enough", () => {
    expect(names("requests", ".neutral.json").length).toBeGreaterThanOrEqual(12);
    expect(names("replies", ".neutral.json").length).toBeGreaterThanOrEqual(6);
    expect(names("streams", ".events.json").length).toBeGreaterThanOrEqual(8);
  });

  test.each(names("requests", ".neutral.json"))("request %s", (name) => {
    const { request, dropped } = crossing.decodeRequest(golden("requests", `${name}.json`));
    expect({ request, dropped: dropped.toSorted() }).toStrictEqual(
      golden("requests", `${name}.neutral.json`),
    );
  });

  test.each(names("replies", ".neutral.json"))("reply %s", (name) => {
    const reply = crossing.decodeReply(golden("replies", `${name}.json`));
    expect(reply).toStrictEqual(golden("replies", `${name}.neutral.json`));
    const again = crossing.decodeReply(wire(crossing.encodeReply(reply, client)));
    // The SDKs break without counters, so a reply without any has zeros.
    expect(again).toStrictEqual({ ...reply, usage: reply.usage ?? again.usage });
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

  test.each(names("streams", ".usage.json"))("stream %s gives the four numbers", (name) => {
    const events = decode(bytesOf("streams", `${name}.sse`));
    const usage = golden("streams", `${name}.usage.json`);
    expect(foldEvents(events).usage).toMatchObject(usage);
    expect(foldEvents(decode(encode(events))).usage).toMatchObject(usage);
  });

  const both = names("replies", ".neutral.json").filter((name) =>
    names("streams", ".usage.json").includes(name),
  );
  test.each(both)("%s is the same whole and streamed, both ways", (name) => {
    const reply = crossing.decodeReply(golden("replies", `${name}.json`));
    const events = decode(bytesOf("streams", `${name}.sse`));
    expect(foldEvents(events)).toStrictEqual(reply);
    expect(crossing.encodeReply(reply, client)).toMatchObject({ ...readAnthropicStream(encode(events)) });
  });
});

type Part = AssistantPart | UserPart;

function editParts(request: ChatRequest, edit: (part: Part) => Part[]): ChatRequest {
  const messages = request.messages.map(({ role, parts }) => ({
    role,
    parts: (parts as Part[]).flatMap(edit),
  }));
  return { ...request, messages: messages.filter(({ parts }) => parts.length > 0) as ChatMessage[] };
}

const named = (schema: OutputFormat, change: object) => ({ ...schema, ...change }) as OutputFormat;

/** How a neutral form loses what `dropped` names. */
const without: Record<string, (request: ChatRequest) => ChatRequest> = {
  seed: ({ seed: _, ...rest }) => rest,
  temperature: ({ temperature: _, ...rest }) => rest,
  top_p: ({ top_p: _, ...rest }) => rest,
  top_k: ({ top_k: _, ...rest }) => rest,
  format: ({ format: _, ...rest }) => rest,
  "format.name": ({ format, ...rest }) => ({
    ...rest,
    format: named(format as OutputFormat, { name: "answer" }),
  }),
  "format.strict": (request) => request,
  "reasoning.effort": (request) => ({ ...request, reasoning: { effort: "low" } }),
  // Thinking goes, the effort stays: it also rules an answer without thinking.
  reasoning: (request) => request,
  "messages.parts.signature": (request) =>
    editParts(request, (part) => {
      if (part.type !== "tool_call") return [part];
      const { signature: _, ...rest } = part;
      return [rest];
    }),
  "messages.parts.reasoning": (request) =>
    editParts(request, (part) => (part.type === "reasoning" && part.signature === undefined ? [] : [part])),
};

/** What Anthropic says in other words without losing anything. */
function canonical(request: ChatRequest): ChatRequest {
  const { tool_choice, parallel_tool_calls, format, ...rest } = editParts(request, (part) => {
    if (part.type !== "tool_result") return [part];
    const { name: _, ...result } = part;
    return [result];
  });
  const parallel =
    parallel_tool_calls === undefined || tool_choice?.type === "none" ? {} : { parallel_tool_calls };
  const choice = tool_choice ?? (parallel_tool_calls === undefined ? undefined : { type: "auto" as const });
  return {
    ...rest,
    ...(choice ? { tool_choice: choice } : {}),
    ...parallel,
    ...(format?.type === "json_schema"
      ? {
          format: named(format, {
            strict: true,
            schema: { additionalProperties: false, ...format.schema },
          }),
        }
      : {}),
    tools: rest.tools.map(({ parameters, ...tool }) =>
      parameters && Object.keys(parameters.properties as Fields).length > 0 ? { ...tool, parameters } : tool,
    ),
    max_output_tokens: Math.min(rest.max_output_tokens ?? target.output_tokens, target.output_tokens),
  };
}

describe("laws", () => {
  test("a request comes back as it went, less what is dropped by name", () => {
    fc.assert(
      fc.property(neutralRequest, (given) => {
        const heard = editParts(given, (part) => (part.type === "audio" ? [] : [part]));
        fc.pre(heard.messages[0]?.role === "user");
        const { body, dropped } = crossing.encodeRequest(heard, target);
        const again = crossing.decodeRequest(wire(body));
        expect(again.dropped).toEqual([]);
        const expected = dropped.reduce((lost, name) => {
          const remove = without[name];
          if (!remove) throw new Error(`nothing is known of ${name}`);
          return remove(lost);
        }, heard);
        expect(canonical(merged(again.request))).toStrictEqual(canonical(merged(expected)));
      }),
      runs,
    );
  });

  test("a reply comes back as it went, but for the time, which Anthropic does not tell", () => {
    fc.assert(
      fc.property(neutralReply, (reply) => {
        const again = crossing.decodeReply(wire(crossing.encodeReply(reply, client)));
        expect(again).toStrictEqual({ ...reply, created: 0 });
      }),
      runs,
    );
  });

  test("a stream keeps the grammar, folds to the same reply and is the whole reply in pieces", () => {
    fc.assert(
      fc.property(neutralStream, ({ reply, events }) => {
        const bytes = encode(events);
        const whole: Fields = crossing.encodeReply(reply, client);
        expect(whole).toMatchObject({ ...readAnthropicStream(bytes) });
        expect(foldEvents(decode(bytes))).toStrictEqual({ ...reply, created: 0 });
      }),
      runs,
    );
  });

  test("whatever a client or a provider sends, the answer is defined", () => {
    const key = fc.constantFrom(
      ...(
        "messages role content type text source data media_type url title tools name input input_schema id " +
        "tool_use_id tool_choice thinking signature budget_tokens output_config effort format schema system " +
        "metadata user_id stop_reason stop_details usage delta index content_block partial_json message error"
      ).split(" "),
    );
    const word = fc.constantFrom(
      ..."user assistant system text image document tool_use tool_result thinking json_schema base64".split(
        " ",
      ),
    );
    const values = [fc.string(), fc.integer(), fc.boolean(), fc.constant(null), word];
    const soup = fc.object({ key, values, maxDepth: 5 }) as fc.Arbitrary<Fields>;
    const event = fc.record({
      type: fc.constantFrom(
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
      ),
      index: fc.nat(2),
      content_block: soup,
      delta: soup,
      usage: soup,
    });
    fc.assert(
      fc.property(soup, fc.array(event, { maxLength: 6 }), (body, events) => {
        onlyThrows(GatewayError, () => crossing.decodeRequest(body));
        onlyThrows(GatewayError, () => crossing.decodeRequest({ ...body, messages: [body] }));
        onlyThrows(TypeError, () =>
          crossing.decodeReply({ ...body, type: "message", stop_reason: "end_turn" }),
        );
        const read = decode(sse({ type: "message_start", message: body }, ...events));
        expect(read[0]?.type).toMatch(/^(?:reply-start|error)$/);
        expect(read.at(-1)?.type).toBe("error");
      }),
      { ...runs, numRuns: 1000 },
    );
  });
});

function onlyThrows(kind: typeof GatewayError | typeof TypeError, run: () => unknown): void {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(kind);
  }
}

/** Neighbouring turns of one role as one: a turn that lost its only part lets its neighbours meet. */
function merged(request: ChatRequest): ChatRequest {
  const messages: { role: string; parts: Part[] }[] = [];
  for (const { role, parts } of request.messages) {
    const last = messages.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else messages.push({ role, parts: [...parts] });
  }
  const rank = ({ type }: Part) => (type === "tool_result" ? 0 : 1);
  const ordered = messages.map(({ role, parts }) => ({
    role,
    parts: parts.toSorted((a, b) => rank(a) - rank(b)),
  }));
  return { ...request, messages: ordered as ChatMessage[] };
}
