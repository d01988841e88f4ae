/**
 * Signatures on their way through a crossing: every client gives them back as it got them, and they reach the model
 * that made them exactly, and no other.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Fields } from "#shared/base/json/fields.ts";
import type { ChatEvent } from "#shared/calls/chat/event.ts";
import type { AssistantPart, ChatRequest } from "#shared/calls/chat/request.ts";
import {
  mayHoldTag,
  originOf,
  restoreSignatures,
  tag,
  tagStart,
  untag,
} from "#shared/calls/chat/signature.ts";
import { anthropicCrossing } from "#shared/calls/protocols/anthropic/crossing/index.ts";
import type { Crossing } from "#shared/calls/protocols/crossing.ts";
import { geminiCrossing } from "#shared/calls/protocols/gemini/crossing/index.ts";
import { openaiChatCrossing } from "#shared/calls/protocols/openai-chat/crossing/index.ts";
import { openaiResponsesCrossing } from "#shared/calls/protocols/openai-responses/crossing/index.ts";
import { framesIn } from "#test/support/crossed.ts";
import { neutralReply } from "#test/support/neutral.ts";
import { origin, otherOrigin, taggedReply } from "#test/support/signatures.ts";

const words = fc.string({ unit: "grapheme", maxLength: 60 });
const overTheWire = (value: unknown) => JSON.parse(JSON.stringify(value)) as Fields;

describe("a tag", () => {
  const isRedacted = fc.boolean().map((redacted) => (redacted ? ({ redacted: true } as const) : {}));

  test("holds any signature, in either alphabet of base64, and begins as every other", () => {
    fc.assert(
      fc.property(words, isRedacted, (signature, kind) => {
        const tagged = tag(origin, { signature, ...kind });
        expect(tagged.startsWith(tagStart)).toBe(true);
        expect(Buffer.from(tagged, "base64").toString("base64")).toBe(tagged);
        const expected = { origin, signature, ...kind };
        expect(untag(tagged)).toEqual(expected);
        expect(untag(Buffer.from(tagged, "base64").toString("base64url"))).toEqual(expected);
      }),
      { seed: 31, numRuns: 500 },
    );
  });

  test("begins with letters and digits, which no client rewrites or escapes", () => {
    expect(tagStart).toMatch(/^[a-zA-Z0-9]{24}$/);
    const body = (value: string) => Buffer.from(JSON.stringify({ deep: [{ value }] }));
    expect(mayHoldTag(body(tag(origin, { signature: "s" })))).toBe(true);
    expect(mayHoldTag(body("s"))).toBe(false);
  });

  test("that is damaged, forged or old is nobody's, and never throws", () => {
    const tagged = tag(origin, { signature: "c2ln" });
    const damaged = fc.oneof(
      fc.nat(tagged.length).map((length) => tagged.slice(0, length)),
      words.map((text) => tagStart + text),
      words.map((text) => Buffer.from(`gateway-signature:${text}`).toString("base64")),
      words.map((text) => Buffer.from(`gateway-signature:1.${text}.s:c2ln`).toString("base64")),
      words.map((text) => Buffer.from(`gateway-signature:1.${origin}.s.${text}:c2ln`).toString("base64")),
      fc.base64String().map((text) => tagStart + text),
      fc.anything(),
    );
    fc.assert(
      fc.property(damaged, (value) => {
        expect(untag(value)?.origin).toSatisfy((from) => from === undefined || value === tagged);
      }),
      { seed: 32, numRuns: 1000 },
    );
    const old = (kind: string) => Buffer.from(`gateway-signature:${kind}:c2ln`).toString("base64");
    expect(untag(old(""))).toEqual({ origin: undefined, signature: "c2ln" });
    expect(untag(old("redacted"))).toEqual({ origin: undefined, signature: "c2ln", redacted: true });
  });

  test("says who made it by the provider's name, and by a digest of its name for the model", () => {
    const made = originOf({ provider: "acme", model: "acme-internal-7" });
    expect(made).toMatch(/^acme\.[0-9a-f]{12}$/);
    expect(originOf({ provider: "acme", model: "acme-internal-8" })).not.toBe(made);
    expect(originOf({ provider: "other", model: "acme-internal-7" })).not.toBe(made);
  });

  test("holds signatures of many megabytes", () => {
    const signature = "A".repeat(12_000_000);
    expect(untag(tag(origin, { signature }))?.signature === signature).toBe(true);
    expect(untag(tagStart.repeat(500_000))?.origin).toBeUndefined();
  });
});

interface Client extends Crossing {
  /** The next request's body, with the answer as the client keeps it. */
  next(answer: Fields): Fields;
}

const clients: Record<string, Client> = {
  "openai-chat": {
    ...openaiChatCrossing,
    next: (answer) => ({ messages: [(answer.choices as Fields[])[0]?.message] }),
  },
  anthropic: {
    ...anthropicCrossing,
    next: (answer) => ({ max_tokens: 9, messages: [{ role: "assistant", content: answer.content }] }),
  },
  gemini: {
    ...geminiCrossing,
    next: (answer) => ({ contents: [(answer.candidates as Fields[])[0]?.content] }),
  },
  responses: { ...openaiResponsesCrossing, next: (answer) => ({ input: answer.output }) },
};

/** What a provider of each protocol signs. */
const signs: Record<string, (part: AssistantPart) => boolean> = {
  "openai-chat": () => true,
  anthropic: ({ type }) => type === "reasoning",
  gemini: (part) => part.type === "tool_call" || !("redacted" in part),
  // What is encrypted without a summary is told as redacted.
  responses: ({ type }) => type === "reasoning",
};

const isSigned = (part: AssistantPart): boolean => part.type !== "text" && part.signature !== undefined;
const signedParts = (request: ChatRequest): AssistantPart[] =>
  request.messages.flatMap(({ parts }) => (parts as AssistantPart[]).filter(isSigned));

/** Signatures long enough to be found wherever they stand. */
const longSignature = fc.base64String({ minLength: 32, maxLength: 48 });
const answers = fc
  .tuple(neutralReply, fc.array(longSignature, { minLength: 8, maxLength: 8 }))
  .map(([reply, signatures]) => ({
    ...reply,
    parts: reply.parts.map((part, index) =>
      isSigned(part) ? { ...part, signature: `${signatures[index % 8]}` } : part,
    ),
  }));

describe.each(Object.keys(clients))("a client of %s", (name) => {
  const client = clients[name] as Client;
  const target = {
    model: "test/model",
    request: {},
    hide_usage: false,
    unsigned: tag(origin, { signature: "" }),
  };

  test.each(Object.keys(clients))(
    "gives a provider of %s its own signatures, and nothing of another's",
    (to) => {
      const provider = clients[to] as Client;
      fc.assert(
        fc.property(answers, (given) => {
          // Gemini's thoughts run up to a signature: one that nobody signed would run into the next.
          const left =
            to === "gemini"
              ? given.parts.filter((part) => part.type !== "reasoning" || isSigned(part))
              : given.parts;
          const parts = left.filter((part) => !isSigned(part) || signs[to]?.(part));
          const reply = { ...given, parts };
          const body = client.next(client.encodeReply(taggedReply(reply), target));
          const { request } = client.decodeRequest(overTheWire(body));
          const sent = (from: string) => {
            const { messages, dropped } = restoreSignatures(request.messages, from);
            const encoded = provider.encodeRequest(
              { ...request, messages },
              { model: "m", output_tokens: 99 },
            );
            return { body: overTheWire(encoded.body), dropped };
          };
          const own = sent(origin);
          expect(own.dropped).toEqual([]);
          expect(signedParts(provider.decodeRequest(own.body).request)).toEqual(parts.filter(isSigned));
          const foreign = sent(otherOrigin);
          const text = JSON.stringify(foreign.body);
          expect(text).not.toContain(tagStart);
          for (const part of parts.filter(isSigned)) {
            expect(text).not.toContain((part as { signature: string }).signature);
          }
          const lost = (type: string, field: string) =>
            parts.some((part) => part.type === type && isSigned(part)) ? [`messages.parts.${field}`] : [];
          expect(foreign.dropped.toSorted()).toEqual([
            ...lost("reasoning", "reasoning"),
            ...lost("tool_call", "signature"),
          ]);
        }),
        { seed: 33, numRuns: 150 },
      );
    },
  );
});

test("what came untagged did not come through a crossing: it is another's, and an empty one is none", () => {
  const message = (signature: string) => ({
    role: "assistant" as const,
    parts: [
      { type: "reasoning" as const, text: "Hm.", signature },
      { type: "tool_call" as const, id: "a", name: "f", arguments: "{}", signature },
    ],
  });
  const call = { type: "tool_call", id: "a", name: "f", arguments: "{}" };
  expect(restoreSignatures([message("c2ln")], origin)).toEqual({
    messages: [{ role: "assistant", parts: [call] }],
    dropped: ["messages.parts.reasoning", "messages.parts.signature"],
  });
  const unsigned = {
    messages: [{ role: "assistant", parts: [{ type: "reasoning", text: "Hm." }, call] }],
    dropped: [],
  };
  expect(restoreSignatures([message("")], origin)).toEqual(unsigned);
  expect(restoreSignatures([message(tag(otherOrigin, { signature: "" }))], origin)).toEqual(unsigned);
  const { body } = anthropicCrossing.encodeRequest(
    { system: [], tools: [], stop: [], stream: false, messages: [message("")] },
    { model: "m", output_tokens: 99 },
  );
  expect(JSON.stringify(body)).not.toContain("thinking");
});

test("a turn of which nothing is left is no turn", () => {
  const foreign = tag(otherOrigin, { signature: "eA==", redacted: true });
  const messages = [
    { role: "user" as const, parts: [{ type: "text" as const, text: "Go" }] },
    { role: "assistant" as const, parts: [{ type: "reasoning" as const, text: "", signature: foreign }] },
  ];
  expect(restoreSignatures(messages, origin).messages).toEqual([messages[0]]);
});

test("thinking that ends without a word is signed once for an Anthropic client, and so is the last", () => {
  const unsigned = tag(origin, { signature: "" });
  const encoder = anthropicCrossing.createEncoder({ model: "m", request: {}, hide_usage: false, unsigned });
  const events: ChatEvent[] = [
    { type: "reply-start", id: "r", created: 0 },
    { type: "reasoning-delta", text: "Hm." },
    { type: "text-delta", text: "Hi." },
    { type: "reasoning-delta", text: "Ah." },
    { type: "reasoning-end", signature: "c2ln" },
    { type: "reasoning-delta", text: "Oh." },
    { type: "reply-end", stop_reason: "stop" },
  ];
  const frames = framesIn(Buffer.concat(events.flatMap((event) => encoder.push(event))).toString());
  const signed = frames.flatMap(({ delta }) => (delta as Fields | undefined)?.signature ?? []);
  expect(signed).toEqual([unsigned, "c2ln", unsigned]);
});

test.each([
  [{ effort: "low" }, ["reasoning.encrypted_content"]],
  [{ budget_tokens: 1024 }, ["reasoning.encrypted_content"]],
  [{ effort: "none" }, undefined],
  [{ budget_tokens: 0 }, undefined],
  [undefined, undefined],
] as const)("with reasoning %j a Responses provider is asked to encrypt %j", (reasoning, include) => {
  const request = {
    system: [],
    messages: [],
    tools: [],
    stop: [],
    stream: false,
    ...(reasoning && { reasoning }),
  };
  const { body } = openaiResponsesCrossing.encodeRequest(request, { model: "m", output_tokens: 99 });
  expect(body.include).toEqual(include);
});
